"""Purge what can no longer be restored: its rows go, and one stays that says when it was deleted."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Engine, delete, exists, func, or_, select, true, tuple_
from sqlalchemy.orm import Session

from referee.records.access import lock_club
from referee.records.deletion.parts import OF_MATCH, of_match
from referee.records.deletion.waiting import RESTORABLE_FOR, drop_parts
from referee.records.models import Base, Club, Deletion, DeletionKind, IdempotentAnswer, Match, now
from referee.records.transactions import PAUSE, reading, writing

ANSWERS_AT_ONCE = 500
_ANSWERS = Base.metadata.tables[IdempotentAnswer.__tablename__]


@dataclass(frozen=True)
class Purged:
    """How much is gone for good."""

    matches: int = 0
    players: int = 0
    clubs: int = 0
    answers: int = 0
    """answers to requests that were stored for phones that ask twice"""

    def __bool__(self) -> bool:
        return any(getattr(self, field.name) for field in fields(self))


def find_due(engine: Engine, *, at_once: bool = False) -> Purged:
    """Count what a purge would take, writing nothing; with `at_once` also what could still be restored."""
    with reading(engine) as session:
        due = _due(session, _limit(at_once))
        counted = select(func.count()).select_from(IdempotentAnswer).where(_old(due, at_once=at_once))
        return _count(due, session.scalar(counted) or 0)


def purge(engine: Engine, *, at_once: bool = False) -> Purged:
    """Remove what can no longer be restored, and return how much it was.

    With `at_once` also what could still be restored. Each match, name or club is looked at again under the lock, and
    is purged or restored, never half of it. Stored answers of the same age go too, since they name players.
    """
    limit = _limit(at_once)
    with reading(engine) as session:
        due = _due(session, limit)
    gone = [one for one in due if _purge_one(engine, one, limit)]
    some = select(*_ANSWERS.primary_key).where(_old(gone, at_once=at_once)).limit(ANSWERS_AT_ONCE)
    old = delete(_ANSWERS).where(tuple_(*_ANSWERS.primary_key).in_(some))
    answers = 0
    while True:
        with writing(engine) as session:
            removed = session.connection().execute(old).rowcount
        if not removed:
            return _count(gone, answers)
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


_Due = Sequence[Deletion]


def _limit(at_once: bool) -> datetime:
    return now() + timedelta(minutes=1) if at_once else now() - RESTORABLE_FOR


def _due(session: Session, limit: datetime) -> _Due:
    """List what is due, clubs last: what was deleted from one before goes with it."""
    waits = Deletion.purged.is_(False) & (Deletion.at <= limit)
    half_purged = Deletion.purged & (Deletion.kind == DeletionKind.CLUB) & exists().where(Club.id == Deletion.club_id)
    chosen = select(Deletion).where(Deletion.kind != DeletionKind.KEY, or_(waits, half_purged)).order_by(Deletion.at)
    return sorted(session.scalars(chosen), key=lambda one: one.kind == DeletionKind.CLUB)


def _purge_one(engine: Engine, due: Deletion, limit: datetime) -> bool:
    """Purge something unless it was restored meanwhile, or purged by another; return whether it was."""
    with writing(engine) as session:
        lock_club(session, due.club_id)
        deletion = session.get(Deletion, (due.club_id, due.id))
        half_purged = deletion is not None and deletion.purged and due.kind == DeletionKind.CLUB
        if deletion is None or not (half_purged or (not deletion.purged and deletion.at <= limit)):
            return False
        deletion.purged, deletion.by = True, None  # from here on nobody restores it
        session.execute(drop_parts(deletion))
    if due.kind == DeletionKind.CLUB:
        _purge_club(engine, due.club_id)
    return True


def _purge_club(engine: Engine, club_id: str) -> None:
    """Delete a club that can no longer be restored, match by match, so that nobody waits for the whole of it.

    Killed half way, it is due again.
    """
    with reading(engine) as session:
        matches = session.scalars(select(Match.id).where(Match.club_id == club_id)).all()
    for match_id in matches:
        with writing(engine) as session:
            for table in reversed(OF_MATCH):
                session.execute(delete(table).where(of_match(table, club_id, match_id)))
        time.sleep(PAUSE if engine.dialect.name == "sqlite" else 0)
    no_tombstone = (Deletion.id != club_id) & (func.coalesce(Deletion.with_id, "") != club_id)
    with writing(engine) as session:
        for table in reversed(Base.metadata.sorted_tables):
            own = table.c.id if table.name == Club.__tablename__ else table.c.club_id
            rest = no_tombstone if table.name == Deletion.__tablename__ else true()
            session.execute(delete(table).where(own == club_id, rest))


def _old(due: _Due, *, at_once: bool) -> ColumnElement[bool]:
    """Return the condition for stored answers that go: old ones, and any of clubs from which something goes at once."""
    old = _ANSWERS.c.created_at <= _limit(False)
    return or_(old, _ANSWERS.c.club_id.in_({one.club_id for one in due})) if at_once and due else old


def _count(due: _Due, answers: int) -> Purged:
    kinds = Counter(one.kind for one in due)
    return Purged(kinds[DeletionKind.MATCH], kinds[DeletionKind.PLAYER], kinds[DeletionKind.CLUB], answers)
