"""What is said of a stack: who draws how many cards, and whom it faces next."""

from __future__ import annotations

from collections.abc import Iterable

from referee.rules.cards.cards import Card
from referee.rules.disputes.base import Facts, Outcome
from referee.rules.disputes.effects import draw_orders, drawing_verdict
from referee.rules.disputes.ruling import Order, Role
from referee.rules.text.words import Line, line


def orders(outcome: Outcome, facts: Facts) -> Iterable[Order]:
    """Return orders on who does what; a stack passed on is not drawn yet, unless no card is left to answer with."""
    if outcome["legal"] is False:
        yield Order(Role.RESPONDER, "take-back")
    if outcome["who_draws"] is Role.RESPONDER and outcome["draws"] is not None and not outcome["returned"]:
        yield from draw_orders(Role.RESPONDER, outcome["draws"])
        if outcome["loses_turn"]:
            yield Order(Role.RESPONDER, "lose-turn")
        elif outcome["loses_turn"] is False:
            yield Order(Role.RESPONDER, "play-next")
    elif outcome["none_left"]:
        yield Order(Role.NEXT_PLAYER, "draw", outcome["draws"])
        if outcome["loses_turn"]:
            yield Order(Role.NEXT_PLAYER, "lose-turn")


def verdict(outcome: Outcome, facts: Facts) -> Line:
    """Return the badge: what has to be drawn, unless a card was stacked that may be."""
    if outcome["draws"] and (facts.get("response") is None or not outcome["legal"]):
        return drawing_verdict(outcome["draws"])
    return line("verdicts.allowed" if outcome["legal"] else "verdicts.not-allowed")


def summary(outcome: Outcome, facts: Facts) -> Iterable[Line | Order]:
    """Return a sentence on whether the answer is allowed, who draws how many, and whether the turn is lost."""
    answer: Card | None = facts.get("response")
    if answer is not None and outcome["legal"] is not None:
        yield line("allowed" if outcome["legal"] else "not-allowed")
        if not outcome["legal"]:
            yield Order(Role.RESPONDER, "take-back")
    if outcome["none_left"] and outcome["loses_turn"]:
        yield line("none-left", n=outcome["draws"])
    elif answer is not None and (
        outcome["returned"] or outcome["who_draws"] in (Role.NEXT_PLAYER, Role.PREVIOUS_PLAYER)
    ):
        yield from _passed(outcome, answer)
    elif outcome["who_draws"] is Role.RESPONDER:
        if outcome["draws"] is None:
            yield line("rest-draws")
        elif isinstance(outcome["draws"], str):
            yield line(f"draws-{outcome['draws']}{'-skipped' if outcome['loses_turn'] else ''}")
        else:
            yield line("draws-skipped" if outcome["loses_turn"] else "draws", n=outcome["draws"])
            if outcome["may_dare"]:
                yield line("may-dare", n=outcome["draws"])
        if outcome["loses_turn"] is False:
            yield Order(Role.RESPONDER, "play-next")
        elif outcome["loses_turn"] is None and outcome["legal"] is not None:
            yield line("rest-turn")


def _passed(outcome: Outcome, answer: Card) -> Iterable[Line]:
    """Return whom the stack now faces, with which card they may answer, and how many cards are due."""
    way = "returned" if outcome["returned"] else "passed-on"
    way = "passed-back" if outcome["who_draws"] is Role.PREVIOUS_PLAYER else way
    if outcome["draws"] is None and way == "passed-on" and not outcome["upward"]:
        yield line("passed-on-all", card=answer.face.label)
    elif outcome["draws"]:
        least = "-over" if outcome["over_whole"] else "-upward" if outcome["upward"] else ""
        yield line(f"{way}{least}", n=outcome["draws"], card=answer.face.label, least=outcome["least"])
