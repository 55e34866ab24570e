"""One round as entered: read from what clients send by names, and kept by seat."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import Any

from referee.rules.books.rulebook import TABLE_SIZES, Rulebook
from referee.rules.books.settings import PARTNERS
from referee.rules.cards.cards import HIGHEST_TOTAL, Card, Deck, NotATotal, UnknownCard, parse_total
from referee.rules.cards.decks import parse_card
from referee.rules.text.problem import (
    At,
    Impossible,
    Path,
    Problem,
    fold,
    is_control,
    is_too_long,
    is_visible,
    marks_problem,
)
from referee.rules.text.words import joined

Hand = tuple[Card, ...] | int
"""The cards someone still holds, or their points where the table typed a total."""
Table = Mapping[int, str]
"""Who sits at a table: names by seat, clockwise."""

WENT_OUT = "went-out"
DRAW_PILE_EMPTY = "draw-pile-empty"
TIME_LIMIT = "time-limit"
LAST_ONE_LEFT = "last-one-left"
ENDINGS = (WENT_OUT, DRAW_PILE_EMPTY, TIME_LIMIT, LAST_ONE_LEFT)

LONGEST_HAND = 224
"""All cards of two decks of 112; a longer list is refused before it is read."""
MOST_NAMES = 2 * TABLE_SIZES[-1]
"""Twice the largest table; more names in one place are refused before they are read."""
LONGEST_NAME = 160
"""Code points of a name; whose name is longer sits at no table."""
MOST_ADJUSTMENTS = 20
LONGEST_REASON = 200

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

    `hands` holds the leftovers, `cards_left` how many cards someone holds where that was counted,
    `last_card` the card someone went out on, `credited_to` whom the table credits when nobody went
    out and the text does not say. `side` is the side that showed at the end, of a deck that has two;
    the hands of those `knocked_out` do not count; `adjustments` are added to the points. `unread` are
    the problems that `read_round` met; scoring reports them among its own.
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
        """Return the round that `to_document` wrote; raise `UnknownCard`."""
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
        """Return the round as JSON values, whose keys are texts; what few rounds have is there only if they have it."""
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
        """Return whether part of someone's hand could not be read."""
        return any(problem.path[0] == "hands" and problem.seat == seat for problem in self.unread)


def company(document: Mapping[str, Any]) -> Table:
    """Return a table of everyone whom a round names, who went out first; what can't be read seats nobody."""
    out, absent = document.get("went_out"), document.get("sat_out")
    names: list[object] = [out] if out else []
    teams = document.get("teams") or ()
    others = (document.get(key) for key in ("hands", "cards_left", "knocked_out", "credited_to"))
    for told in (*others, absent, *teams):
        if isinstance(told, Mapping | list | tuple) and len(told) <= MOST_NAMES:
            names += told
    named = [name for name in names if isinstance(name, str) and len(name) <= LONGEST_NAME]
    return dict(enumerate(dict.fromkeys(named)))


def read_round(document: Mapping[str, Any], table: Table, deck: Deck | None = None) -> RoundEntry:
    """Return a round as clients send it, letter case of names aside, its cards held against the box of `deck`.

    A hand is a list of cards as text, a number of points, or a sum such as ``"20+20+50"``. Keys
    that do not belong to a round are left to the caller. Never raises: what cannot be read is
    kept as `unread` problems, so that `score_round` can name all problems at once.
    """
    reader = _Reader(table, deck)
    return RoundEntry(
        ended=reader.text(document.get("ended"), "ended") or WENT_OUT,
        went_out=reader.player(document.get("went_out"), "went_out"),
        hands={at.seat: reader.hand(hand, ("hands", at)) for at, hand in reader.by_player(document, "hands")},
        cards_left={
            at.seat: reader.whole(count, ("cards_left", at)) for at, count in reader.by_player(document, "cards_left")
        },
        last_card=reader.card(document.get("last_card"), ("last_card",)),
        credited_to=reader.players(document.get("credited_to"), "credited_to"),
        sat_out=reader.players(document.get("sat_out"), "sat_out") or (),
        side=reader.text(document.get("side"), "side"),
        knocked_out=reader.players(document.get("knocked_out"), "knocked_out") or (),
        adjustments=tuple(reader.adjustments(document.get("adjustments"))),
        unread=tuple(reader.problems),
    )


class _Reader:
    """Reads JSON values at a table, collecting every problem with its path."""

    def __init__(self, table: Table, deck: Deck | None) -> None:
        self.table = table
        self.deck = deck
        self.problems: list[Problem] = []
        self._seats = {name: seat for seat, name in table.items()}

    def problem(self, path: Path, key: str, **places: object) -> None:
        self.problems.append(Problem.said(path, key, **places))

    def seat(self, name: str, path: Path) -> int | None:
        """Return the seat of a name, letter case aside."""
        if not self.is_name(name, path):
            return None
        seat = self._seats.get(name)
        if seat is None:
            seat = next((seat for seat, known in self.table.items() if fold(known) == fold(name)), None)
        if seat is None:
            self.problems.append(stranger(path, name, self.table))
        return seat

    def is_name(self, name: str, path: Path) -> bool:
        if len(name) > LONGEST_NAME:
            self.problem(path, "name-long", name=name[:40], length=len(name))
        return len(name) <= LONGEST_NAME

    def text(self, value: object, key: str) -> str | None:
        if value is None or isinstance(value, str):
            return value or None if self.is_name(value or "", (key,)) else None
        self.problem((key,), "name-not-text")
        return None

    def player(self, value: object, key: str) -> int | None:
        name = self.text(value, key)
        return None if name is None else self.seat(name, (key,))

    def by_player(self, document: Mapping[str, Any], key: str) -> list[tuple[At, object]]:
        value = document.get(key)
        if value is None:
            return []
        if not isinstance(value, Mapping):
            self.problem((key,), "not-by-name")
            return []
        if len(value) > MOST_NAMES:
            self.problem((key,), "many-names", n=len(value))
            return []
        by_seat: dict[int, tuple[At, object]] = {}
        for name, item in value.items():
            seat = self.seat(name, (key, name[:LONGEST_NAME]))
            if seat in by_seat:
                self.problem((key, name), "listed-twice", name=self.table[seat])
            elif seat is not None:
                by_seat[seat] = At(seat, self.table[seat]), item
        return list(by_seat.values())

    def players(self, value: object, key: str) -> tuple[int, ...] | None:
        if value is None:
            return None
        if (
            not isinstance(value, Sequence)
            or isinstance(value, str)
            or not all(isinstance(item, str) for item in value)
        ):
            self.problem((key,), "no-names")
            return None
        if len(value) > MOST_NAMES:
            self.problem((key,), "many-names", n=len(value))
            return None
        seats: list[int] = []
        for place, name in enumerate(value):
            seat = self.seat(name, (key, place))
            if seat in seats:
                self.problem((key, place), "listed-twice", name=self.table[seat])
            elif seat is not None:
                seats.append(seat)
        return tuple(seats)

    def whole(self, value: object, path: Path) -> int:
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        self.problem(path, "no-count")
        return 0

    def card(self, value: object, path: Path) -> Card | None:
        if value is None or value == "":
            return None
        if not isinstance(value, str):
            self.problem(path, "no-card")
            return None
        try:
            return parse_card(value, self.deck)
        except UnknownCard as unknown:
            self.problems.append(Problem(path, str(unknown)))
            return None

    def adjustments(self, value: object) -> Iterator[Adjustment]:
        if value is None:
            return
        if not isinstance(value, Sequence) or isinstance(value, str) or len(value) > MOST_ADJUSTMENTS:
            self.problem(("adjustments",), "no-adjustments", most=MOST_ADJUSTMENTS)
            return
        for place, item in enumerate(value):
            path = ("adjustments", place)
            if not isinstance(item, Mapping):
                self.problem(path, "no-adjustments", most=MOST_ADJUSTMENTS)
                continue
            name = item.get("player")
            seat = self.seat(name, (*path, "player")) if isinstance(name, str) else None
            if not isinstance(name, str):
                self.problem((*path, "player"), "name-not-text")
            try:
                read = check_adjustment(seat or 0, item.get("points"), item.get("reason"), path)
            except Impossible as error:
                self.problems += error.problems
                continue
            if seat is not None:
                yield read

    def hand(self, value: object, path: Path) -> Hand:
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        if isinstance(value, str):
            try:
                return parse_total(value)
            except NotATotal as wrong:
                self.problems.append(Problem(path, str(wrong)))
                return 0
        if isinstance(value, float):
            self.problem(path, "points-not-whole")
            return 0
        if not isinstance(value, Sequence):
            self.problem(path, "no-hand")
            return ()
        if len(value) > LONGEST_HAND:
            self.problem(path, "long-hand", n=len(value), most=LONGEST_HAND)
            return ()
        cards = [self.card(item or 0, (*path, place)) for place, item in enumerate(value)]
        return tuple(card for card in cards if card is not None)


def read_teams(
    teams: Sequence[Sequence[str]] | None, rulebook: Rulebook, table: Table
) -> tuple[tuple[int, ...], ...] | None:
    """Return the seats of teams of names; raise `Impossible` for strangers, or where the rules need teams."""
    problems, sides = [], []
    seats = {fold(name): seat for seat, name in table.items()}
    if teams is None and rulebook.value(PARTNERS, False):
        problems.append(Problem.said("teams", "teams-needed"))
    for place, team in enumerate(teams or ()):
        sides.append(tuple(seats.get(fold(name), -1) for name in team))
        for at, name in enumerate(team):
            if sides[-1][at] < 0:
                problems.append(stranger(("teams", place, at), name, table))
    if problems:
        raise Impossible(problems)
    return None if teams is None else tuple(sides)


def check_adjustment(seat: int, points: object, reason: object, path: Path) -> Adjustment:
    """Return a correction of someone's total; raise `Impossible` with every problem."""
    problems = []
    text = ""
    if isinstance(reason, str) and not is_too_long(reason, LONGEST_REASON) and not marks_problem(reason):
        text = unicodedata.normalize("NFC", reason).strip()
    if type(points) is not int or not 0 < abs(points) <= HIGHEST_TOTAL:
        problems.append(Problem.said((*path, "points"), "adjustment-points", most=HIGHEST_TOTAL))
    if len(text) > LONGEST_REASON or not is_visible(text) or any(map(is_control, text)):
        problems.append(Problem.said((*path, "reason"), "adjustment-reason", most=LONGEST_REASON))
    if problems or type(points) is not int:
        raise Impossible(problems)
    return Adjustment(seat, points, text)


def stranger(path: Path, name: str, table: Table) -> Problem:
    """Return the problem that someone does not sit at this table, naming who does."""
    if not table:
        return Problem.said(path, "stranger-alone", name=name[:40])
    return Problem.said(path, "stranger", name=name[:40], players=joined(table.values()))
