"""How a ruling is announced to the table: what to do first, readable from across, then the verdict and the reason."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from referee.rules.disputes.hearing_documents import is_silent, unanswered
from referee.rules.disputes.ruling import PLAIN, Order, Role, Voice, say_orders
from referee.rules.text.words import in_presses, line


@dataclass(frozen=True, slots=True)
class Announcement:
    """A ruling as it is shown to the table: a sign, what to do in the largest type, then the rest.

    `sign` says whether what was done is fine, where that was asked, or that the rules leave it open, unless the lead
    says so below an order; `law`, that those at the table decided it. `verdict` stands beside it where it says more
    than the sign.
    `kind` says what the headline is: an order, else the verdict, else how the lead begins, or the open question.
    `before` are the orders carried out ahead of the headline's, as when a hand is shown first, `orders` those after it.
    `verdict` and `lead` are empty where the headline, the sign or an order says the same. Without names, the role in
    an order stands between `ruling.ROLE` and `ruling.ROLE_END`.
    """

    sign: Literal["yes", "no", "open", "law", ""]
    kind: Literal["order", "verdict", "open"]
    headline: str
    before: tuple[str, ...]
    orders: tuple[str, ...]
    verdict: str
    lead: str


PENALTIES = frozenset({"draw", "draw-until-color", "press", "press-until-fired"})
"""Actions that the table looks for first, whatever is done before them."""
VERDICTS_OF_ACTIONS: Mapping[str, str] = {
    "draw-until-color": "draw-until-color",
    "press": "draw-presses",
    "press-until-fired": "draw-until-fired",
    "lose-turn": "skipped",
}
"""Verdicts that say no more than an order does; one to draw or to play next has several."""


ALLOWED = ("legal", "allowed")
"""Keys of an outcome that say whether what was done is fine."""


def announce(ruling: Mapping[str, Any], say: Voice) -> Announcement:
    """Return a ruling, as JSON, in the order to read it out."""
    orders, outcome = tuple(map(Order.from_json, ruling["orders"])), ruling["outcome"]
    verdict, lead = ruling["verdict"], ruling.get("lead", ruling["summary"])  # releases before 0.2.0 kept no lead
    silent, law = is_silent(ruling), any(step.get("decided") for step in ruling["steps"])
    fine = next((bool(outcome[key]) for key in ALLOWED if outcome.get(key) is not None), None)
    sign: Any = "law" if law else ("" if orders else "open") if silent else "" if fine is None else ("no", "yes")[fine]
    plain = sign in ("yes", "no") and verdict in [Voice().line(line(f"verdicts.{key}"), "verdicts") for key in PLAIN]
    said = silent or plain or _says(lead, verdict)
    if orders:
        marking = replace(say, marks=True)
        sentences = say_orders(orders, marking, outcome.get("hand_shown_to"))
        first = next((place for place, order in enumerate(orders) if order.action in PENALTIES), 0)
        headline = _headline(orders[first], sentences[first], marking)
        own = "" if said or sign == "no" or verdict in _verdicts_said(orders) else verdict
        return Announcement(sign, "order", headline, tuple(sentences[:first]), tuple(sentences[first + 1 :]), own, lead)
    if asked := unanswered(ruling):
        return Announcement(sign, "open", asked, (), (), "", lead)
    if said and lead:
        told, rest = _first_sentence(lead, say)
        return Announcement(sign, "open", told, (), (), "", rest)
    return Announcement("" if plain else sign, "verdict", verdict, (), (), "", lead)


def _first_sentence(text: str, say: Voice) -> tuple[str, str]:
    """Split a text after its first sentence; not where a name in it might have the full stop."""
    ends = () if any("." in name for name in say.names.values()) else re.finditer(r"(?<=\w\w[.!?])\s+", text)
    first = next((end for end in ends if not text[end.end()].islower()), None)
    return (text[: first.start()], text[first.end() :]) if first else (text, "")


def _says(lead: str, verdict: str) -> bool:
    """Return whether a sentence has the words of a verdict."""
    return re.search(rf"\b{re.escape(verdict)}\b", lead, re.IGNORECASE) is not None


def _headline(order: Order, sentence: str, say: Voice) -> str:
    if order.action == "draw" and order.cards:
        return say.line(line("headlines.draw", who=say(order.role), n=order.cards), "headlines")
    return sentence.removesuffix(".")


def _verdicts_said(orders: Iterable[Order]) -> set[str]:
    """List the verdicts that these orders say already."""
    keys = {order: VERDICTS_OF_ACTIONS.get(order.action, "") for order in orders}
    turns = (order for order in orders if order.action == "play-next")
    keys |= {turn: "play-again" if turn.role is Role.SAME_PLAYER else "play-on" for turn in turns}
    keys |= {order: "draw" if order.cards else "draw-on" for order in orders if order.action == "draw"}
    verdicts = (line(f"verdicts.{key}", n=order.cards or order.times or 0) for order, key in keys.items() if key)
    return {Voice().line(in_presses(each), "verdicts") for each in verdicts}
