"""Purge what can no longer be restored: its rows go, and one stays that says when it was deleted."""

import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Engine, Table, delete, exists, func, or_, select, true, tuple_, update
from sqlalchemy.orm import Session

from referee.records.club.access import lock_club
from referee.records.club.precedents import keep_without_match
from referee.records.deletion.waiting import RESTORABLE_FOR, note_gone
from referee.records.models import (
    DELETED_TOO,
    Base,
    Club,
    Deletion,
    DeletionKind,
    IdempotentAnswer,
    Key,
    Match,
    OwnRulebookRow,
    Player,
    RemovedText,
    Round,
    RoundVersion,
    Seat,
    now,
)
from referee.records.transactions import PAUSE, reading, writing

ANSWERS_AT_ONCE = 500
_ANSWERS, _MATCHES, _ROUNDS, _VERSIONS = (
    Base.metadata.tables[one.__tablename__] for one in (IdempotentAnswer, Match, Round, RoundVersion)
)
OF_MATCH: tuple[Table, ...] = tuple(
    table for table in Base.metadata.sorted_tables if table in (_MATCHES, _VERSIONS) or "match_id" in table.c
)
"""Every table with rows that belong to a match, in an order in which none refers to a later one."""


class Purged(NamedTuple):
    """How much is gone for good."""

    matches: int = 0
    players: int = 0
    clubs: int = 0
    rulebooks: int = 0
    """that clubs made themselves, and deleted"""
    answers: int = 0
    """answers to requests that were stored for phones that ask twice"""

    def __bool__(self) -> bool:
        return any(tuple(self))


class Due(NamedTuple):
    """Something that is to be purged."""

    kind: DeletionKind
    club_id: str
    id: str
    at: datetime | None


def find_due(engine: Engine, *, at_once: bool = False) -> Purged:
    """Count what a purge would take, writing nothing; with `at_once` also what could still be restored."""
    with reading(engine) as session:
        due = _due(session, _limit(at_once))
        counted = select(func.count()).select_from(IdempotentAnswer).where(_old(due, at_once=at_once))
        books = select(func.count()).select_from(OwnRulebookRow).where(OwnRulebookRow.deleted_at <= _limit(at_once))
        return _count(due, session.scalar(books) or 0, session.scalar(counted) or 0)


def purge(engine: Engine, *, at_once: bool = False) -> Purged:
    """Remove what can no longer be restored, and return how much it was.

    With `at_once` also what could still be restored. Each match, name or club is looked at again under the lock, and
    is purged or restored, never half of it. Stored answers of the same age go too, since they name players.
    """
    limit = _limit(at_once)
    with reading(engine) as session:
        due = _due(session, limit)
    gone = [item for item in due if _purge_one(engine, item, limit)]
    books = _purge_rulebooks(engine, limit)
    some = select(*_ANSWERS.primary_key).where(_old(gone, at_once=at_once)).limit(ANSWERS_AT_ONCE)
    old = delete(_ANSWERS).where(tuple_(*_ANSWERS.primary_key).in_(some))
    answers = 0
    while True:
        with writing(engine) as session:
            removed = session.connection().execute(old).rowcount
        if not removed:
            return _count(gone, books, answers)
        answers += removed


def tidy(engine: Engine) -> None:
    """Write the database anew without what was deleted.

    SQLite leaves it in free pages of its file, and in its log, until it is told so; PostgreSQL makes room of it.
    """
    with closing(engine.raw_connection()) as connection:
        driver: Any = connection.driver_connection
        if engine.dialect.name == "sqlite":
            driver.execute("VACUUM")
            driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            return
        driver.autocommit = True
        driver.execute("VACUUM")
        driver.autocommit = False


def delete_rows_of_match(session: Session, club_id: str, match_id: str) -> None:
    """Delete all rows of a match but for what the club keeps as its law, those that refer to others first."""
    keep_without_match(session, club_id, match_id)
    for table in reversed(OF_MATCH):
        own = table.c.id if table is _MATCHES else table.c.get("match_id")
        if own is None:  # versions know their round only
            rounds = select(_ROUNDS.c.id).where(_ROUNDS.c.club_id == club_id, _ROUNDS.c.match_id == match_id)
            session.execute(delete(table).where(table.c.club_id == club_id, table.c.round_id.in_(rounds)))
        else:
            session.execute(delete(table).where(table.c.club_id == club_id, own == match_id))


def _limit(at_once: bool) -> datetime:
    return now() + timedelta(minutes=1) if at_once else now() - RESTORABLE_FOR


def _begun(club_id: Any) -> ColumnElement[bool]:
    """Return the condition for clubs of which a purge has begun; where it was cut off the club is still there."""
    return exists().where(Deletion.club_id == club_id, Deletion.id == club_id)


def _due(session: Session, limit: datetime, id: str | None = None) -> Sequence[Due]:
    """List what is due, or the one of an id; clubs last, since what was deleted from one before goes with it."""
    due = (
        (DeletionKind.MATCH, Match, Match.club_id, (Match.deleted_at <= limit, ~_begun(Match.club_id))),
        (DeletionKind.PLAYER, Player, Player.club_id, (Player.deleted_at <= limit, Player.deleted_name.is_not(None))),
        (DeletionKind.CLUB, Club, Club.id, (or_(Club.deleted_at <= limit, _begun(Club.id)),)),
    )
    listed = []
    for kind, table, club_id, conditions in due:
        chosen = select(club_id, table.id, table.deleted_at).where(*conditions).order_by(table.deleted_at)
        chosen = chosen.where(table.id == id) if id is not None else chosen
        listed += [Due(kind, *row) for row in session.execute(chosen.execution_options(**DELETED_TOO)).all()]
    return listed


def _purge_one(engine: Engine, due: Due, limit: datetime) -> bool:
    """Purge something unless it was restored meanwhile, or purged by another; return whether it was."""
    with writing(engine) as session:
        lock_club(session, due.club_id)
        if due not in _due(session, limit, due.id):
            return False
        if due.kind == DeletionKind.PLAYER:
            _purge_name(session, due)
        elif due.kind == DeletionKind.MATCH:
            note_gone(session, due.club_id, due.id, due.kind, due.at or now(), Key.match_id == due.id)
            delete_rows_of_match(session, due.club_id, due.id)
        elif session.get(Deletion, (due.club_id, due.id)) is None:
            note_gone(session, due.club_id, due.id, due.kind, due.at or now())  # from here on nobody restores it
    if due.kind == DeletionKind.CLUB:
        _purge_club(engine, due.club_id)
    return True


def _purge_name(session: Session, due: Due) -> None:
    own = (Player.id == due.id) | (Player.merged_into == due.id)
    session.execute(update(Player).where(Player.club_id == due.club_id, own).values(deleted_name=None, marker=""))
    session.execute(update(Seat).where(Seat.club_id == due.club_id, Seat.player_id == due.id).values(deleted_name=None))
    waits = (RemovedText.club_id == due.club_id, RemovedText.waits_for.contains(due.id))
    session.execute(delete(RemovedText).where(*waits))


def _purge_rulebooks(engine: Engine, limit: datetime) -> int:
    """Purge rulebooks that clubs made and deleted, with the texts that stand apart from them; return how many."""
    with writing(engine) as session:
        due = session.scalars(select(OwnRulebookRow).where(OwnRulebookRow.deleted_at <= limit).with_for_update()).all()
        for row in due:
            texts = (RemovedText.club_id == row.club_id, RemovedText.place.startswith(f"own_rulebooks/{row.id}/"))
            session.execute(delete(RemovedText).where(*texts))
            session.delete(row)
    return len(due)


def _purge_club(engine: Engine, club_id: str) -> None:
    """Delete a club that can no longer be restored, match by match, so that nobody waits for the whole of it.

    Killed half way, it is due again.
    """
    with reading(engine) as session:
        own = select(Match.id).where(Match.club_id == club_id)
        matches = session.scalars(own.execution_options(**DELETED_TOO)).all()
    for match_id in matches:
        with writing(engine) as session:
            delete_rows_of_match(session, club_id, match_id)
        time.sleep(PAUSE if engine.dialect.name == "sqlite" else 0)
    no_tombstone = (Deletion.id != club_id) & (func.coalesce(Deletion.with_id, "") != club_id)
    with writing(engine) as session:
        for table in reversed(Base.metadata.sorted_tables):
            own_rows = table.c.id if table.name == Club.__tablename__ else table.c.club_id
            rest = no_tombstone if table.name == Deletion.__tablename__ else true()
            session.execute(delete(table).where(own_rows == club_id, rest))


def _old(due: Sequence[Due], *, at_once: bool) -> ColumnElement[bool]:
    """Return the condition for stored answers that go: old ones, and any of clubs from which something goes at once."""
    old = _ANSWERS.c.created_at <= _limit(False)
    return or_(old, _ANSWERS.c.club_id.in_({item.club_id for item in due})) if at_once and due else old


def _count(due: Sequence[Due], rulebooks: int, answers: int) -> Purged:
    kinds = Counter(item.kind for item in due)
    return Purged(kinds[DeletionKind.MATCH], kinds[DeletionKind.PLAYER], kinds[DeletionKind.CLUB], rulebooks, answers)
