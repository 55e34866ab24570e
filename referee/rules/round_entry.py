"""One round as entered, by seat: who went out, and the cards that everybody else still holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import Any

from referee.rules.cards import Card
from referee.rules.decks import parse_card
from referee.rules.problem import Problem

Hand = tuple[Card, ...] | int
"""The cards somebody still holds, or their points where the table typed a total."""
Table = Mapping[int, str]
"""Who sits at a table: names by seat, clockwise."""

WENT_OUT = "went-out"
DRAW_PILE_EMPTY = "draw-pile-empty"
TIME_LIMIT = "time-limit"
LAST_ONE_LEFT = "last-one-left"
ENDINGS = (WENT_OUT, DRAW_PILE_EMPTY, TIME_LIMIT, LAST_ONE_LEFT)

LONGEST_HAND = 224
"""All cards of two decks of 112; a longer list is refused before it is read."""


FURTHER = ("side", "knocked_out", "adjustments")
"""What few rounds have; it is written only where it is there."""


def _nothing() -> Mapping[int, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Adjustment:
    """A correction of one total that the table agreed on, up or down, and why."""

    seat: int
    points: int
    reason: str


@dataclass(frozen=True)
class RoundEntry:
    """One round as entered, by seat.

    `hands` holds the leftovers, `cards_left` how many cards somebody holds where that was counted,
    `last_card` the card somebody went out on, `credited_to` whom the table credits when nobody went
    out and the text does not say. `side` is the side that showed at the end, of a deck that has two;
    the hands of those `knocked_out` do not count; `adjustments` are added to the points. `unread` are
    the problems met where names were turned into seats
    (`referee.rules.round_document`); scoring names them among its own.
    """

    ended: str = WENT_OUT
    went_out: int | None = None
    hands: Mapping[int, Hand] = field(default_factory=_nothing)
    cards_left: Mapping[int, int] = field(default_factory=_nothing)
    last_card: Card | None = None
    credited_to: tuple[int, ...] | None = None
    sat_out: tuple[int, ...] = ()
    side: str | None = None
    knocked_out: tuple[int, ...] = ()
    adjustments: tuple[Adjustment, ...] = ()
    unread: tuple[Problem, ...] = ()

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> RoundEntry:
        """Read a round as `to_document` writes it; raises `UnknownCard`."""
        credited, last = document["credited_to"], document["last_card"]
        return cls(
            ended=document["ended"],
            went_out=document["went_out"],
            hands={
                int(seat): hand if isinstance(hand, int) else tuple(map(parse_card, hand))
                for seat, hand in document["hands"].items()
            },
            cards_left={int(seat): count for seat, count in document["cards_left"].items()},
            last_card=None if last is None else parse_card(last),
            credited_to=None if credited is None else tuple(credited),
            sat_out=tuple(document["sat_out"]),
            side=document.get("side"),
            knocked_out=tuple(document.get("knocked_out", ())),
            adjustments=tuple(Adjustment(**each) for each in document.get("adjustments", ())),
        )

    def to_document(self) -> dict[str, Any]:
        """Write the round as JSON values, which know only texts as keys; what few rounds have, where it is there."""
        further = (self.side, list(self.knocked_out), [asdict(each) for each in self.adjustments])
        return {
            "ended": self.ended,
            "went_out": self.went_out,
            "hands": {
                str(seat): hand if isinstance(hand, int) else [str(card) for card in hand]
                for seat, hand in self.hands.items()
            },
            "cards_left": {str(seat): count for seat, count in self.cards_left.items()},
            "last_card": None if self.last_card is None else str(self.last_card),
            "credited_to": None if self.credited_to is None else list(self.credited_to),
            "sat_out": list(self.sat_out),
        } | {key: value for key, value in zip(FURTHER, further, strict=True) if value}

    def is_unread(self, seat: int) -> bool:
        """Tell whether part of somebody's hand could not be read."""
        return any(problem.path[0] == "hands" and problem.seat == seat for problem in self.unread)
