"""What a table enters for one round, and its form in JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from referee.rules.cards import Card, UnknownCard
from referee.rules.decks import parse_card
from referee.rules.problem import Problem
from referee.rules.totals import NotATotal, parse_total

Hand = tuple[Card, ...] | int
"""The cards somebody still holds, or their points where the table typed a total."""

WENT_OUT = "went-out"
DRAW_PILE_EMPTY = "draw-pile-empty"
TIME_LIMIT = "time-limit"
ENDINGS = (WENT_OUT, DRAW_PILE_EMPTY, TIME_LIMIT)

LONGEST_HAND = 224
"""All cards of two decks of 112; a longer list is refused before it is read."""
MOST_NAMES = 20
"""Twice the largest table; more names in one place are refused before they are read."""
LONGEST_NAME = 160
"""Code points of a name; whose name is longer sits at no table."""


def _frozen(items: Mapping[str, Any]) -> Mapping[str, Any]:
    return MappingProxyType(dict(items))


@dataclass(frozen=True)
class RoundEntry:
    """One round as entered.

    `hands` holds the leftovers by name, `cards_left` how many cards somebody holds where that was
    counted, `last_card` the card somebody went out on, `credited_to` whom the table credits when
    nobody went out and the text does not say. `unread` are the problems met while reading it from
    JSON; scoring names them among its own.
    """

    ended: str = WENT_OUT
    went_out: str | None = None
    hands: Mapping[str, Hand] = field(default_factory=lambda: _frozen({}))
    cards_left: Mapping[str, int] = field(default_factory=lambda: _frozen({}))
    last_card: Card | None = None
    credited_to: tuple[str, ...] | None = None
    sat_out: tuple[str, ...] = ()
    unread: tuple[Problem, ...] = ()

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> RoundEntry:
        """Read a round as clients send it and as `to_document` writes it.

        A hand is a list of cards as text, a number of points, or a sum such as ``"20+20+50"``. Keys
        that do not belong to a round are left to the caller. Never raises: what cannot be read is
        kept as `unread` problems, so that `score_round` can name all problems at once.
        """
        reader = _Reader()
        return cls(
            ended=reader.text(document.get("ended") or WENT_OUT, "ended") or WENT_OUT,
            went_out=reader.text(document.get("went_out"), "went_out"),
            hands=_frozen({name: reader.hand(hand, f"hands.{name}") for name, hand in reader.table(document, "hands")}),
            cards_left=_frozen(
                {
                    name: reader.whole(count, f"cards_left.{name}")
                    for name, count in reader.table(document, "cards_left")
                }
            ),
            last_card=reader.card(document.get("last_card"), "last_card"),
            credited_to=reader.names(document.get("credited_to"), "credited_to"),
            sat_out=reader.names(document.get("sat_out"), "sat_out") or (),
            unread=tuple(reader.problems),
        )

    def to_document(self) -> dict[str, Any]:
        """Write the round as JSON values."""
        return {
            "ended": self.ended,
            "went_out": self.went_out,
            "hands": {
                name: hand if isinstance(hand, int) else [str(card) for card in hand]
                for name, hand in self.hands.items()
            },
            "cards_left": dict(self.cards_left),
            "last_card": str(self.last_card) if self.last_card else None,
            "credited_to": None if self.credited_to is None else list(self.credited_to),
            "sat_out": list(self.sat_out),
        }

    def is_unread(self, name: str) -> bool:
        """Tell whether part of somebody's hand could not be read."""
        where = f"hands.{name}"
        return any(problem.field == where or problem.field.startswith(f"{where}[") for problem in self.unread)


class _Reader:
    """Reads JSON values, collecting every problem with its field."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def problem(self, field: str, message: str) -> None:
        self.problems.append(Problem(field, message))

    def text(self, value: object, field: str) -> str | None:
        if value is None or isinstance(value, str):
            return value or None if self.is_name(value or "", field) else None
        self.problem(field, "Give one name as text.")
        return None

    def is_name(self, name: str, field: str) -> bool:
        if len(name) > LONGEST_NAME:
            self.problem(field, f"“{name[:40]}…” has {len(name):,} characters; no name is so long.")
        return len(name) <= LONGEST_NAME

    def table(self, document: Mapping[str, Any], key: str) -> list[tuple[str, object]]:
        value = document.get(key)
        if value is None:
            return []
        if not isinstance(value, Mapping):
            self.problem(key, 'Give an object with a name for each key, as in {"Bo": …}.')
            return []
        if len(value) > MOST_NAMES:
            self.problem(key, f"Has {len(value)} names; no table seats so many.")
            return []
        return [(name, item) for name, item in value.items() if self.is_name(name, f"{key}.{name[:40]}")]

    def names(self, value: object, field: str) -> tuple[str, ...] | None:
        if value is None:
            return None
        if (
            not isinstance(value, Sequence)
            or isinstance(value, str)
            or not all(isinstance(item, str) for item in value)
        ):
            self.problem(field, "Give a list of names.")
            return None
        if len(value) > MOST_NAMES:
            self.problem(field, f"Has {len(value)} names; no table seats so many.")
            return None
        return tuple(name for place, name in enumerate(value) if self.is_name(name, f"{field}[{place}]"))

    def whole(self, value: object, field: str) -> int:
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        self.problem(field, "Give a whole number of cards.")
        return 0

    def card(self, value: object, field: str) -> Card | None:
        if value is None or value == "":
            return None
        if not isinstance(value, str):
            self.problem(field, "Name a card as text, as in “red-7” or “skip”.")
            return None
        try:
            return parse_card(value)
        except UnknownCard as unknown:
            self.problem(field, str(unknown))
            return None

    def hand(self, value: object, field: str) -> Hand:
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        if isinstance(value, str):
            try:
                return parse_total(value)
            except NotATotal as wrong:
                self.problem(field, str(wrong))
                return 0
        if isinstance(value, float):
            self.problem(field, "Points are whole numbers, as in 35.")
            return 0
        if not isinstance(value, Sequence):
            self.problem(field, 'Give a list of cards, as in ["red-7", "wild"], or a number of points.')
            return ()
        if len(value) > LONGEST_HAND:
            self.problem(field, f"Has {len(value)} cards; no box holds more than {LONGEST_HAND}.")
            return ()
        cards = [self.card(item if item != "" else 0, f"{field}[{place}]") for place, item in enumerate(value)]
        if any(item is None for item in value):
            place = list(value).index(None)
            self.problem(f"{field}[{place}]", "Name a card as text, as in “red-7” or “skip”.")
        return tuple(card for card in cards if card is not None)
