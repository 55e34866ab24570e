"""Rounds by names: those of a match as they count now, and every version of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Integer, bindparam, select
from sqlalchemy.orm import Session

from referee.records.limits import MOST_ROUNDS
from referee.records.match.rounds import Draft
from referee.records.match.seating import Seating, load_seating
from referee.records.match.tallies import Tally
from referee.records.models import Key, Match, Round, RoundVersion
from referee.rules.scoring.round_entry import LAST_ONE_LEFT


def round_winner(ended: str, went_out: str | None, credited_to: Sequence[str]) -> str | None:
    """Return the name of who won a round: who went out, or was the last one left; None when nobody did."""
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
        """Return the name of who won the round."""
        return round_winner(self.ended, self.went_out, self.credited_to)


@dataclass(frozen=True)
class VersionView:
    """One version of a round: what was entered, when, and by the holder of which key."""

    version: int
    struck: bool
    stored: Mapping[str, Any]
    """what was entered, by seat"""
    entry: Mapping[str, Any]
    """the same by names as they are today"""
    worth: Mapping[str, int]
    points: Mapping[str, int]
    credited_to: Sequence[str]
    entered_at: datetime
    entered_by: str | None

    @property
    def winner(self) -> str | None:
        """Return the name of who won the round."""
        return round_winner(self.entry["ended"], self.entry["went_out"], self.credited_to)


RECENT = 20
"""Rounds that a sheet shows at first, the last ones."""


# built once, since every sheet asks one of them: to build it takes longer than to run it
_ALL = (
    select(
        *(Round.id, Round.place, Round.struck, Round.version),
        *(RoundVersion.entry, RoundVersion.score, RoundVersion.entered_at, Key.name),
    )
    .join(
        RoundVersion,
        (RoundVersion.club_id == Round.club_id)
        & (RoundVersion.round_id == Round.id)
        & (RoundVersion.version == Round.version),
    )
    .outerjoin(Key, (Key.club_id == Round.club_id) & (Key.id == RoundVersion.entered_by))
    .where(Round.club_id == bindparam("club_id"), Round.match_id == bindparam("match_id"))
    .order_by(Round.place.desc())
    .limit(bindparam("most", type_=Integer))
)
_LIVE = _ALL.where(Round.struck.is_(False))


def load_rounds(
    session: Session,
    match: Match,
    seating: Seating,
    tally: Tally,
    *,
    last: int | None = None,
    struck: bool = False,
) -> tuple[RoundView, ...]:
    """Load rounds in order of their place, or the `last` so many, in one query; as many rows are read as are returned.

    The numbers of live rounds are right also where only some are loaded.
    """
    statement = _ALL if struck else _LIVE
    given = {"club_id": match.club_id, "match_id": match.id, "most": MOST_ROUNDS if last is None else last}
    number = tally.live
    views = []
    for id, place, is_struck, version, entry, score, entered_at, entered_by in session.execute(statement, given):
        views.append(
            _round_view(
                seating.names,
                None if is_struck else number,
                id=id,
                place=place,
                struck=is_struck,
                version=version,
                entry=entry,
                score=score,
                entered_at=entered_at,
                entered_by=entered_by,
            )
        )
        number -= not is_struck
    return tuple(reversed(views))


def view_of_draft(draft: Draft) -> RoundView:
    """Return the view of a round just recorded."""
    return _round_view(
        draft.seating.names,
        draft.tally.live,
        id=draft.round_id,
        place=draft.place,
        struck=False,
        version=draft.version,
        entry=draft.entry,
        score=draft.score,
        entered_at=draft.entered_at,
        entered_by=draft.entered_by.name,
    )


def _round_view(
    names: Sequence[str], number: int | None, *, entry: Mapping[str, Any], score: Mapping[str, Any], **more: Any
) -> RoundView:
    """Return a round by the `names` of its seats; `more` are the fields that are shown as they are stored."""
    return RoundView(
        number=number,
        worth={names[int(seat)]: worth for seat, worth in score["hands"].items()},
        points={names[int(seat)]: points for seat, points in score["points"].items()},
        **(entry_by_names(entry, names) | {"credited_to": [names[seat] for seat in score["credited_to"]]} | more),
    )


def entry_by_names(entry: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Convert a stored entry from seats to the `names` of the seats.

    What few rounds have (`referee.rules.scoring.round_entry.FURTHER`) is there only where the entry has it.
    """
    out, credited = entry["went_out"], entry["credited_to"]
    named = {
        "ended": entry["ended"],
        "went_out": None if out is None else names[out],
        "hands": {names[int(seat)]: hand for seat, hand in entry["hands"].items()},
        "cards_left": {names[int(seat)]: count for seat, count in entry["cards_left"].items()},
        "last_card": entry["last_card"],
        "credited_to": None if credited is None else [names[seat] for seat in credited],
        "sat_out": [names[seat] for seat in entry["sat_out"]],
    }
    if entry.get("side"):
        named["side"] = entry["side"]
    if entry.get("knocked_out"):
        named["knocked_out"] = [names[seat] for seat in entry["knocked_out"]]
    if entry.get("adjustments"):
        named["adjustments"] = [
            {"player": names[each["seat"]], "points": each["points"], "reason": each["reason"]}
            for each in entry["adjustments"]
        ]
    return named


def round_history(session: Session, match: Match, played: Round, seating: Seating | None = None) -> list[VersionView]:
    """Return every version of a round, oldest first, by names as they are today.

    `seating` is loaded unless it is passed.
    """
    names = (seating or load_seating(session, match)).names
    rows = session.execute(
        select(RoundVersion, Key.name)
        .outerjoin(Key, (Key.club_id == RoundVersion.club_id) & (Key.id == RoundVersion.entered_by))
        .where(RoundVersion.club_id == played.club_id, RoundVersion.round_id == played.id)
        .order_by(RoundVersion.version)
    )
    return [view_of_version(version, key_name, names) for version, key_name in rows]


def view_of_version(version: RoundVersion, entered_by: str | None, names: Sequence[str]) -> VersionView:
    """Return a version by the `names` of the seats, with that of the key that entered it."""
    score = version.score
    return VersionView(
        version=version.version,
        struck=version.struck,
        stored=version.entry,
        entry=entry_by_names(version.entry, names),
        worth={names[int(seat)]: worth for seat, worth in score["hands"].items()},
        points={names[int(seat)]: points for seat, points in score["points"].items()},
        credited_to=[names[seat] for seat in score["credited_to"]],
        entered_at=version.entered_at,
        entered_by=entered_by,
    )
