"""How a ruling is announced to the table: what to do first, readable from across, then the verdict and the reason."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from referee.rules.disputes.ruling import Order, Role, Voice, say_orders
from referee.rules.text.words import in_presses, line


@dataclass(frozen=True, slots=True)
class Announcement:
    """A ruling as it is shown to the table: what to do in the largest type, then the rest, then the verdict.

    `kind` says what the headline is: an order, else the verdict, else the lead, which says the verdict or what is open.
    `before` are the orders carried out ahead of the headline's, as when a hand is shown first, `orders` those after it.
    `verdict` and `lead` are empty where the headline or an order says the same.
    """

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


def announce(
    orders: Iterable[Order], say: Voice, verdict: str, lead: str, *, silent: bool, shown_to: object = None
) -> Announcement:
    """Return a ruling in the order to read it out; `silent` if it leaves the point itself open."""
    orders = tuple(orders)
    sentences = say_orders(orders, say, shown_to)
    if orders:
        first = next((place for place, order in enumerate(orders) if order.action in PENALTIES), 0)
        headline = _headline(orders[first], sentences[first], say)
        below = "" if silent or verdict in _verdicts_said(orders) or _says(lead, verdict) else verdict
        return Announcement("order", headline, tuple(sentences[:first]), tuple(sentences[first + 1 :]), below, lead)
    if silent or _says(lead, verdict):
        return Announcement("open", lead, (), (), "", "")
    return Announcement("verdict", verdict, (), (), "", lead)


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
