"""What the sheet of a match shows, loaded in a few queries whatever the length of the match."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Select, bindparam, select
from sqlalchemy.orm import Session

from referee.records.agreements import Agreement, agreements_of, terms_of
from referee.records.dealing import next_opener
from referee.records.entries import entry_by_names
from referee.records.models import Key, Match, MatchResult, MatchStatus, Player, Round, RoundVersion, Ruling, Seat
from referee.records.rounds import Draft
from referee.records.seating import Seated, Seating, load_seating, table_of, totals_of
from referee.records.tallies import Tally, tally_of
from referee.rules.standings import Standing, standings
from referee.rules.terms import Terms

_RULINGS = (
    select(Ruling)
    .where(Ruling.club_id == bindparam("club_id"), Ruling.match_id == bindparam("match_id"))
    .order_by(Ruling.id)
)


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


@dataclass(frozen=True)
class Sheet:
    """A match as its sheet shows it."""

    match: Match
    agreements: tuple[Agreement, ...]
    terms: Terms
    seating: Seating
    opener: Seated | None
    """who deals, or drafts, the next round; None when nobody said who began"""
    standings: tuple[Standing, ...]
    winners: tuple[str, ...]
    rounds: tuple[RoundView, ...]
    """in order of their place; only the last ones where `last` was asked for"""
    round_count: int
    """live rounds, all of them"""
    rulings: Sequence[Ruling]

    @property
    def players(self) -> tuple[str, ...]:
        """Name those who sit at the match, clockwise."""
        return tuple(seat.name for seat in self.seating.here)

    @property
    def dealer(self) -> str | None:
        """Name who deals the next round; None when nobody said who began, or where hands are drafted."""
        return self.opener.name if self.opener and not self.terms.drafted else None

    @property
    def drafter(self) -> str | None:
        """Name who drafts first in the next round, where hands are drafted."""
        return self.opener.name if self.opener and self.terms.drafted else None

    @property
    def agreement(self) -> Agreement:
        """Give the agreement that the next round is played under."""
        return self.agreements[-1]


@dataclass(frozen=True)
class MatchSummary:
    """A match in a list: who sat there, and how it ended for each if it is finished."""

    match: Match
    players: tuple[str, ...]
    totals: Mapping[str, int]
    winners: tuple[str, ...]


def load_sheet(
    session: Session,
    match: Match,
    *,
    last: int | None = None,
    struck: bool = False,
    seating: Seating | None = None,
    rulings: bool = True,
) -> Sheet:
    """Load a match with its standings and rounds: all, or the `last` so many; struck ones on request.

    Pass `seating` if it is loaded already; without `rulings` a query is saved.
    """
    seating = seating or load_seating(session, match)
    agreements = agreements_of(match)
    terms = terms_of(session, match, agreements[-1])
    tally = tally_of(session, match)
    rounds = load_rounds(session, match, seating, tally, last=last, struck=struck) if last != 0 else ()
    return Sheet(
        match=match,
        agreements=agreements,
        terms=terms,
        seating=seating,
        opener=next_opener(match, seating, tally.live),
        standings=_standings(terms, seating, tally),
        winners=_winners(session, match, seating),
        rounds=rounds,
        round_count=tally.live,
        rulings=load_rulings(session, match) if rulings else (),
    )


def sheet_after(sheet: Sheet, draft: Draft, *, last: int | None = None) -> Sheet:
    """Give the sheet as it is once a draft is written, without loading it again.

    `sheet` is as it was read for the draft, the `last` so many rounds if they were asked for.
    """
    return replace(
        sheet,
        match=draft.match,
        opener=next_opener(draft.match, sheet.seating, draft.tally.live),
        standings=_standings(sheet.terms, sheet.seating, draft.tally),
        winners=tuple(map(sheet.seating.name_of, sorted(draft.settlement.winners))),
        rounds=(*sheet.rounds, view_of_draft(draft))[-last if last else None :],
        round_count=draft.tally.live,
    )


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


def _standings(terms: Terms, seating: Seating, tally: Tally) -> tuple[Standing, ...]:
    return standings(terms, totals_of(tally, seating.here), table_of(seating.here))


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

    The numbers of live rounds are right also where only some are loaded.
    """
    given: dict[str, str | int] = {"club_id": match.club_id, "match_id": match.id}
    given |= {"last": last} if last is not None else {}
    number = tally.live
    views = []
    for row in session.execute(_rounds(struck, last is not None), given):
        views.append(round_view(row, None if row.struck else number, seating.name_of))
        number -= not row.struck
    return tuple(reversed(views))


@cache
def _rounds(struck: bool, some: bool) -> Select[Any]:
    """Build the statement of `load_rounds`, once for each combination."""
    chosen = (
        select(
            *(Round.id, Round.place, Round.struck, Round.version),
            *(RoundVersion.entry, RoundVersion.score, RoundVersion.entered_at, Key.name.label("key_name")),
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
    )
    if not struck:
        chosen = chosen.where(Round.struck.is_(False))
    return chosen.limit(bindparam("last")) if some else chosen


def load_rulings(session: Session, match: Match) -> Sequence[Ruling]:
    """Load the rulings given at a match, oldest first."""
    return session.scalars(_RULINGS, {"club_id": match.club_id, "match_id": match.id}).all()


def load_summaries(session: Session, matches: Sequence[Match]) -> list[MatchSummary]:
    """Load who played in some matches of one club, and how each ended, in one query."""
    if not matches:
        return []
    rows = session.execute(
        select(Seat.match_id, Player.name, MatchResult.total, MatchResult.won)
        .join(Player, (Player.club_id == Seat.club_id) & (Player.id == Seat.player_id))
        .outerjoin(
            MatchResult,
            (MatchResult.club_id == Seat.club_id)
            & (MatchResult.match_id == Seat.match_id)
            & (MatchResult.seat == Seat.seat),
        )
        .where(Seat.club_id == matches[0].club_id, Seat.match_id.in_([match.id for match in matches]))
        .order_by(Seat.match_id, Seat.seat)
    ).all()
    seated: dict[str, list[Any]] = {}
    for row in rows:
        seated.setdefault(row.match_id, []).append(row)
    summaries = []
    for match in matches:
        own = seated.get(match.id, [])
        summaries.append(
            MatchSummary(
                match=match,
                players=tuple(row.name for row in own),
                totals={row.name: row.total for row in own if row.total is not None},
                winners=tuple(row.name for row in own if row.won),
            )
        )
    return summaries


def _winners(session: Session, match: Match, seating: Seating) -> tuple[str, ...]:
    if match.status != MatchStatus.FINISHED:
        return ()
    seats = session.scalars(
        select(MatchResult.seat)
        .where(MatchResult.club_id == match.club_id, MatchResult.match_id == match.id, MatchResult.won)
        .order_by(MatchResult.seat)
    )
    return tuple(seating.name_of(seat) for seat in seats)


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
    )
