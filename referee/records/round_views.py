"""The rounds of a match as they count now, by names, loaded in one query whatever the length of the match."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from referee.records.cache import Cache
from referee.records.entries import entry_by_names
from referee.records.models import Key, Match, Round, RoundVersion
from referee.records.rounds import Draft, write_draft
from referee.records.seating import Seating
from referee.records.tallies import Tally
from referee.rules.round_entry import FURTHER, LAST_ONE_LEFT


def round_winner(ended: str, went_out: str | None, credited_to: Sequence[str]) -> str | None:
    """Name who won a round: who went out, or was the last one left; None when nobody did."""
    return credited_to[0] if ended == LAST_ONE_LEFT and len(credited_to) == 1 else went_out


@dataclass(frozen=True)
class RoundView:
    """One round as it counts now, by names; `number` counts live rounds from 1 and is None for a struck one."""

    id: str
    number: int | None
    place: int
    struck: bool
    version: int
    ended: str
    went_out: str | None
    last_card: str | None
    hands: Mapping[str, Any]
    """what was entered: a list of cards, or a number of points"""
    worth: Mapping[str, int]
    points: Mapping[str, int]
    cards_left: Mapping[str, int]
    credited_to: Sequence[str]
    sat_out: Sequence[str]
    entered_at: datetime
    entered_by: str | None
    side: str | None = None
    knocked_out: Sequence[str] = ()
    adjustments: Sequence[Mapping[str, Any]] = ()
    """each with ``player``, ``points`` (may be negative) and ``reason``"""

    @property
    def winner(self) -> str | None:
        """Name who won the round."""
        return round_winner(self.ended, self.went_out, self.credited_to)


@dataclass(frozen=True)
class StoredRound:
    """One round with one of its versions, as they are stored."""

    id: str
    place: int
    struck: bool
    version: int
    entry: Mapping[str, Any]
    score: Mapping[str, Any]
    entered_at: datetime
    key_name: str | None


def view_of_draft(draft: Draft) -> RoundView:
    """Give the view of a round just recorded."""
    stored = StoredRound(
        id=draft.round_id,
        place=draft.place,
        struck=False,
        version=draft.version,
        entry=draft.entry,
        score=draft.score,
        entered_at=draft.entered_at,
        key_name=draft.entered_by.name,
    )
    return round_view(stored, draft.tally.live, draft.seating.name_of)


def load_rounds(
    session: Session,
    match: Match,
    seating: Seating,
    tally: Tally,
    *,
    last: int | None = None,
    struck: bool = False,
) -> tuple[RoundView, ...]:
    """Load rounds in order of their place, or the `last` so many of them; as many rows are read as are given.

    The numbers of live rounds are right also where only some are loaded. The `RECENT` ones, struck ones among them,
    are loaded once for each state of the match.
    """
    if struck and last == RECENT:
        return VIEWS.get(_state(match), lambda: _load(session, match, seating, tally, last, struck=True))
    return _load(session, match, seating, tally, last, struck=struck)


RECENT = 20
"""Rounds that a sheet shows at first, the last ones."""
VIEWS: Cache[tuple[RoundView, ...]] = Cache(
    "rounds", 1_000_000, share=4, size=lambda _state, views: sum(map(_size, views))
)
"""The recent rounds of matches, for each state: whoever saves the next round would load them all again."""


def write_next(session: Session, draft: Draft) -> None:
    """Write the next round of a match as `write_draft` does, and carry on its recent rounds."""
    match = draft.match
    recent = VIEWS.find(_state(match))
    write_draft(session, draft)
    if recent is not None:
        VIEWS.put(_state(match), (*recent, view_of_draft(draft))[-RECENT:])


def _state(match: Match) -> tuple[str, str, int]:
    return match.club_id, match.id, match.state


def _size(view: RoundView) -> int:
    """Estimate the bytes of a view, never too few: to add up those of twenty takes longer than to load them."""
    cards = sum(len(hand) if isinstance(hand, list) else 1 for hand in view.hands.values())
    return 2_500 + 200 * (cards + len(view.hands)) + 1_000 * len(view.adjustments)


def _load(
    session: Session, match: Match, seating: Seating, tally: Tally, last: int | None, *, struck: bool
) -> tuple[RoundView, ...]:
    of_round = (RoundVersion.club_id == Round.club_id) & (RoundVersion.round_id == Round.id)
    chosen = (
        select(
            *(Round.id, Round.place, Round.struck, Round.version),
            *(RoundVersion.entry, RoundVersion.score, RoundVersion.entered_at, Key.name.label("key_name")),
        )
        .join(RoundVersion, of_round & (RoundVersion.version == Round.version))
        .outerjoin(Key, (Key.club_id == Round.club_id) & (Key.id == RoundVersion.entered_by))
        .where(Round.club_id == match.club_id, Round.match_id == match.id)
        .order_by(Round.place.desc())
        .limit(last)
    )
    if not struck:
        chosen = chosen.where(Round.struck.is_(False))
    number = tally.live
    views = []
    for row in session.execute(chosen):
        views.append(round_view(row, None if row.struck else number, seating.name_of))
        number -= not row.struck
    return tuple(reversed(views))


def round_view(row: StoredRound | Any, number: int | None, name_of: Callable[[int], str]) -> RoundView:
    """Give a round by names; `row` has what `StoredRound` has, and `name_of` names a seat."""
    entry, score = entry_by_names(row.entry, name_of), row.score
    return RoundView(
        id=row.id,
        number=number,
        place=row.place,
        struck=row.struck,
        version=row.version,
        ended=entry["ended"],
        went_out=entry["went_out"],
        last_card=entry["last_card"],
        hands=entry["hands"],
        worth={name_of(int(seat)): worth for seat, worth in score["hands"].items()},
        points={name_of(int(seat)): points for seat, points in score["points"].items()},
        cards_left=entry["cards_left"],
        credited_to=[name_of(seat) for seat in score["credited_to"]],
        sat_out=entry["sat_out"],
        entered_at=row.entered_at,
        entered_by=row.key_name,
        **{key: entry[key] for key in FURTHER if key in entry},
    )
