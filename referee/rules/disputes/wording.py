"""What a rulebook makes of the words of a ruling: drawing is pressing a launcher, and what is left open has a name."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from referee.rules.books import settings
from referee.rules.books.rulebook import Rulebook
from referee.rules.cards.decks import extra_faces
from referee.rules.disputes.hearing import Silent
from referee.rules.disputes.ruling import Order
from referee.rules.text.words import CATALOGUE, Line, by_launcher, silence


@dataclass(frozen=True, slots=True)
class Heading:
    """What a dispute is called under a rulebook: its title, the question it settles, and whom a match is asked for."""

    title: str
    lead: str
    who: str


def say_under(
    rulebook: Rulebook, lines: Iterable[Line | Order], orders: Iterable[Order], table: str
) -> tuple[list[Line | Order], tuple[Order, ...]]:
    """Return lines and orders, with “presses” for “draws” if the box has a launcher; `table` is for keys without one.

    Someone presses as often as cards were to be drawn. That the rules don't say something is said once.
    """
    if rulebook.has_launcher:
        lines = [_pressed(each) if isinstance(each, Order) else by_launcher(each, table) for each in lines]
        orders = map(_pressed, orders)
    return _join_open(lines, table), tuple(orders)


def _join_open(lines: Iterable[Line | Order], table: str) -> list[Line | Order]:
    """Say of what lies open in a row that the rules don't say it once, where the catalogue has such a sentence."""
    said: list[Line | Order] = []
    for each in reversed([*lines]):
        after = said[-1] if said else None
        if isinstance(each, Line) and isinstance(after, Line) and after.key.startswith("rest-"):
            both = Line(f"{each.key}-and-{after.key}", each.places + after.places)
            if f"{table}.{both.key}" in CATALOGUE.sentences:
                said[-1] = both
                continue
        said.append(each)
    return said[::-1]


def _pressed(order: Order) -> Order:
    if order.action != "draw" or not order.cards:
        return order
    return replace(order, action="press", cards=None, times=order.cards)


def say_open(silent: Silent, rulebook: Rulebook) -> str:
    """Return what a rulebook leaves open, in a sentence; a card that few boxes hold by its name."""
    kind = next((kind for kind in ("start-card-", "card-") if silent.question.startswith(kind)), None)
    face = extra_faces().get(silent.question.removeprefix(kind)) if kind else None
    if silent.part == "no_challenge":
        stacks = rulebook.value(settings.STACKS_UPWARD, False)
        return CATALOGUE.say("open.no_challenge_but_stack" if stacks else "open.no_challenge")
    if silent.part in ("no_draw_card", "no_seven_zero", "no_mercy_rule", "no_draft"):
        return CATALOGUE.say(f"open.{silent.part}", rulebook=rulebook.title)
    if kind is None or face is None or silent.part:
        return silence(silent.part, silent.question)
    return CATALOGUE.say(f"open.{kind}own", card=face.label)
