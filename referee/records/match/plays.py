"""Finished matches as other programs log them: a play with its players, who began, and how it ended for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlalchemy import Select, bindparam, select
from sqlalchemy.orm import Session

from referee.records.match.agreements import agreement_at, terms_of
from referee.records.match.dealing import first_player
from referee.records.match.seating import Seated, Seating
from referee.records.match.tallies import tally_of
from referee.records.models import Match, MatchResult, MatchStatus, Player, Seat, columns_of
from referee.rules.scoring.terms import Terms


@dataclass(frozen=True)
class PlayedBy:
    """One player of a finished match, who stayed to the end."""

    id: str
    name: str
    seat: int
    began: bool
    """played first in the first round, where the record holds that"""
    total: int
    rank: int | None
    won: bool


@dataclass(frozen=True)
class Play:
    """One finished match."""

    match: Match
    terms: Terms
    rounds: int
    players: Sequence[PlayedBy]


def load_plays(session: Session, matches: Sequence[Match]) -> list[Play]:
    """Load the finished ones among some matches of one club, in their order, in one query and one for each rulebook."""
    finished = [match for match in matches if match.status == MatchStatus.FINISHED and match.finished_at]
    if not finished:
        return []
    given = {"club_id": finished[0].club_id, "ids": [match.id for match in finished]}
    rows = session.execute(_SEATED, given)
    by_match = {match_id: list(group) for match_id, group in groupby(rows, key=lambda row: row.match_id)}
    return [_play(session, match, by_match.get(match.id, [])) for match in finished]


def _play(session: Session, match: Match, rows: Sequence[Any]) -> Play:
    terms = terms_of(session, match, agreement_at(match))
    seating = Seating(tuple(map(_seated, rows)))
    first = first_player(match, seating, terms.rulebook)
    return Play(match, terms, tally_of(session, match).live, list(_players(seating, rows, first)))


def _players(seating: Seating, rows: Sequence[Any], first: Seated | None) -> Iterator[PlayedBy]:
    for seat, row in zip(seating.seats, rows, strict=True):
        if seat.here and row.total is not None:
            yield PlayedBy(seat.player_id, seat.name, seat.seat, seat is first, row.total, row.rank, bool(row.won))


def _seated(row: Any) -> Seated:
    stays = tuple((first, last) for first, last in row.stays)
    return Seated(row.seat, row.player_id, row.name, row.name_then, row.opening_total, stays)


def _seats() -> Select[Any]:
    seat, player, result = columns_of(Seat), columns_of(Player), columns_of(MatchResult)
    same = (result.club_id == seat.club_id) & (result.match_id == seat.match_id) & (result.seat == seat.seat)
    return (
        select(
            *(seat.match_id, seat.seat, seat.player_id, seat.name_then, seat.opening_total, seat.stays),
            *(player.name, result.total, result.rank, result.won),
        )
        .join(Player.__table__, (player.club_id == seat.club_id) & (player.id == seat.player_id))
        .outerjoin(MatchResult.__table__, same)
        .where(seat.club_id == bindparam("club_id"), seat.match_id.in_(bindparam("ids", expanding=True)))
        .order_by(seat.match_id, seat.seat)
    )


_SEATED = _seats()
