"""A finished match as other programs log it: its players, who began, and how it ended for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from referee.records.match.agreements import agreement_at, terms_of
from referee.records.match.dealing import first_player
from referee.records.match.seating import Seated, Seating
from referee.records.models import Match, MatchResult, MatchStatus, Player, Seat, columns_of
from referee.rules.scoring.terms import Terms


@dataclass(frozen=True)
class PlayedBy:
    """One player of a finished match, who stayed to the end."""

    id: str
    name: str
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
    players: Sequence[PlayedBy]


def load_play(session: Session, match: Match) -> Play | None:
    """Load a finished match; None for any other."""
    if match.status != MatchStatus.FINISHED or not match.finished_at:
        return None
    rows = session.execute(_seats(match)).all()
    terms, seating = terms_of(session, match, agreement_at(match)), Seating(tuple(map(_seated, rows)))
    return Play(match, terms, list(_players(seating, rows, first_player(match, seating, terms.rulebook))))


def _players(seating: Seating, rows: Sequence[Any], first: Seated | None) -> Iterator[PlayedBy]:
    for seat, row in zip(seating.seats, rows, strict=True):
        if seat.here and row.total is not None:
            yield PlayedBy(seat.player_id, seat.name, seat is first, row.total, row.rank, bool(row.won))


def _seated(row: Any) -> Seated:
    stays = tuple((first, last) for first, last in row.stays)
    return Seated(row.seat, row.player_id, row.name, row.name_then, row.opening_total, stays)


def _seats(match: Match) -> Select[Any]:
    seat, player, result = columns_of(Seat), columns_of(Player), columns_of(MatchResult)
    same = (result.club_id == seat.club_id) & (result.match_id == seat.match_id) & (result.seat == seat.seat)
    return (
        select(
            *(seat.seat, seat.player_id, seat.name_then, seat.opening_total, seat.stays),
            *(player.name, result.total, result.rank, result.won),
        )
        .join(Player.__table__, (player.club_id == seat.club_id) & (player.id == seat.player_id))
        .outerjoin(MatchResult.__table__, same)
        .where(seat.club_id == match.club_id, seat.match_id == match.id)
        .order_by(seat.seat)
    )
