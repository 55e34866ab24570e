"""Delete a match: its rows wait elsewhere, so that no list, sum, link or export can come upon them, until restored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Table, delete, func, insert, select
from sqlalchemy.orm import Session

from referee.records.access import lock_club
from referee.records.deletion import waiting
from referee.records.deletion.parts import LARGE, OF_MATCH, of_match, packed, put_back, unpack
from referee.records.errors import Moved, NotFound
from referee.records.lockout import lock_out_since
from referee.records.matches import get_match
from referee.records.models import (
    Base,
    Deletion,
    DeletionKind,
    DeletionPart,
    Key,
    Match,
    MatchResult,
    MatchStatus,
    Player,
    Round,
    Ruling,
    Seat,
)
from referee.records.statistics.ratings import rate_soon
from referee.records.statistics.sums import add_meetings
from referee.records.tallies import advance
from referee.records.words import say
from referee.rules.problem import Impossible, Problem

_PARTS = Base.metadata.tables[DeletionPart.__tablename__]
Part = tuple[int, bytes]


@dataclass(frozen=True)
class Loss:
    """What goes with a match."""

    player_ids: tuple[str, ...]
    players: tuple[str, ...]
    rounds: int
    rulings: int


@dataclass(frozen=True)
class DraftedDeletion:
    """A match about to be deleted, in the state in which it was read."""

    match_id: str
    state: int
    loss: Loss
    parts: Sequence[Part]
    """the rows of the tables that grow with rounds"""


@dataclass(frozen=True)
class DraftedReturn:
    """A match about to be restored."""

    match_id: str
    rows: Sequence[tuple[Table, Sequence[dict[str, Any]]]]


def loss_of(session: Session, match: Match) -> Loss:
    """Count what goes when a match is deleted."""
    own = (Seat.club_id == match.club_id, Seat.match_id == match.id)
    seats = select(Player.id, Player.name).join(Seat, (Seat.club_id == Player.club_id) & (Seat.player_id == Player.id))
    counts = [
        session.scalar(select(func.count()).where(table.club_id == match.club_id, table.match_id == match.id, *live))
        for table, live in ((Round, (Round.struck.is_(False),)), (Ruling, ()))
    ]
    found = session.execute(seats.where(*own).order_by(Seat.seat)).all()
    people = tuple(row.id for row in found), tuple(row.name for row in found)
    return Loss(*people, rounds=counts[0] or 0, rulings=counts[1] or 0)


def draft_deletion(session: Session, match: Match) -> DraftedDeletion:
    """Read what is to be deleted without writing anything."""
    connection = session.connection()
    parts = [
        part for table in OF_MATCH if table in LARGE for part in packed(connection, table, match.club_id, match.id)
    ]
    return DraftedDeletion(match.id, match.state, loss_of(session, match), parts)


def write_deletion(session: Session, club_id: str, drafted: DraftedDeletion, by: Key | None) -> Deletion:
    """Delete a match; raises `Moved` when it has changed since it was read, `NotFound` and `Deleted`."""
    match = get_match(session, club_id, drafted.match_id, lock=True)
    if match.state != drafted.state:
        raise Moved
    finished, loss = match.status == MatchStatus.FINISHED, drafted.loss
    summary = {
        "player_ids": list(loss.player_ids),
        "rounds": loss.rounds,
        "rulings": loss.rulings,
        "rulebook": match.rulebook,
        "started_at": match.started_at.isoformat(),
    }
    deletion = waiting.note_deletion(session, club_id, match.id, DeletionKind.MATCH, by, summary)
    waiting.note_keys(session, deletion, Key.match_id == match.id)
    connection = session.connection()
    small = (part for table in OF_MATCH if table not in LARGE for part in packed(connection, table, club_id, match.id))
    of_deletion = {"club_id": club_id, "deletion_id": match.id}
    rows = [of_deletion | {"number": number, "content": content} for number, content in (*drafted.parts, *small)]
    connection.execute(insert(_PARTS), rows)
    for table in reversed(OF_MATCH):
        connection.execute(delete(table).where(of_match(table, club_id, match.id)))
    session.expire_all()
    session.expunge(match)
    if finished:
        rate_soon(session, club_id, drafted.match_id)
    return deletion


def draft_return(session: Session, club_id: str, match_id: str) -> DraftedReturn:
    """Read a deleted match that is to be restored; raises `NotFound`, and `Deleted` where it is gone for good."""
    _waiting(session, club_id, match_id)
    own = (DeletionPart.club_id == club_id, DeletionPart.deletion_id == match_id, DeletionPart.number > 0)
    contents = session.scalars(select(DeletionPart.content).where(*own).order_by(DeletionPart.number))
    return DraftedReturn(match_id, [unpack(content) for content in contents])


def write_return(session: Session, club_id: str, drafted: DraftedReturn) -> Match:
    """Restore a deleted match; raises as `draft_return`, and `Impossible` where two of its players are one by now."""
    lock_club(session, club_id)
    deletion = _waiting(session, club_id, drafted.match_id, lock=True)
    now_called = _players_now(session, club_id, drafted)
    deleted_at = deletion.at
    waiting.forget(session, deletion)
    connection = session.connection()
    for table, rows in drafted.rows:
        if "player_id" in table.c:
            for row in rows:
                row["player_id"] = now_called[row["player_id"]]
        put_back(connection, table, add_meetings(rows) if table.name == MatchResult.__tablename__ else rows)
    lock_out_since(session, club_id, drafted.match_id, deleted_at)
    match = get_match(session, club_id, drafted.match_id)
    advance(session, match)  # who has seen it before it was deleted sees that it is another state
    if match.status == MatchStatus.FINISHED:
        rate_soon(session, club_id, match.id)
    return match


def _waiting(session: Session, club_id: str, match_id: str, *, lock: bool = False) -> Deletion:
    own = (Deletion.club_id == club_id, Deletion.id == match_id, Deletion.kind == DeletionKind.MATCH)
    chosen = select(Deletion).where(*own)
    found = session.scalar(chosen.with_for_update() if lock else chosen)
    if found is None:
        raise NotFound("match")
    if not waiting.is_restorable(found):
        raise waiting.error_of(found)
    return found


def _players_now(session: Session, club_id: str, drafted: DraftedReturn) -> Mapping[str, str]:
    """Return the present ids of a match's players, by id: some may have been merged into others."""
    seated = [row["player_id"] for table, rows in drafted.rows if table.name == Seat.__tablename__ for row in rows]
    chosen = select(Player.id, Player.merged_into, Player.name).where(Player.club_id == club_id, Player.id.in_(seated))
    found = {row.id: row for row in session.execute(chosen)}
    people = {id: found[id].merged_into or id for id in seated}
    if len(set(people.values())) < len(people):
        one, other = sorted(found[id].name for id in seated if list(people.values()).count(people[id]) > 1)[:2]
        raise Impossible([Problem("match", say("deleted.merged-since", name=one, other=other))])
    return people
