"""Purge what can no longer be restored: its rows go, piece by piece, and one that says nothing stays."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Executable, and_, delete, func, or_, select, tuple_, update

from referee.records.deletion.parts import OF_MATCH, of_match
from referee.records.deletion.waiting import RESTORABLE_FOR
from referee.records.models import (
    Base,
    Club,
    Deletion,
    DeletionKind,
    DeletionPart,
    IdempotentAnswer,
    Match,
    columns_of,
    now,
)
from referee.records.transactions import BEGIN, PAUSE

ANSWERS_AT_ONCE = 500
_DELETIONS, _PARTS, _ANSWERS = (
    Base.metadata.tables[one.__tablename__] for one in (Deletion, DeletionPart, IdempotentAnswer)
)


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
    with engine.connect().execution_options(**{BEGIN: "DEFERRED"}) as connection:
        due = _due(connection, _limit(at_once))
        counted = select(func.count()).select_from(_ANSWERS).where(_old(due, at_once=at_once))
        return _count(due, connection.scalar(counted) or 0)


def purge(engine: Engine, *, at_once: bool = False) -> Purged:
    """Remove what can no longer be restored, in short transactions; give how much it was.

    With `at_once` also what could still be restored. Stored answers of the same age go too, since they name players.
    """
    with engine.connect().execution_options(**{BEGIN: "DEFERRED"}) as connection:
        due = _due(connection, _limit(at_once))
    pauses = engine.dialect.name == "sqlite"
    for kind, club_id, id in due:
        for step in _steps(engine, kind, club_id, id):
            _run(engine, step)
            time.sleep(PAUSE if pauses and kind == DeletionKind.CLUB else 0)
    some = select(*_ANSWERS.primary_key).where(_old(due, at_once=at_once)).limit(ANSWERS_AT_ONCE)
    old = delete(_ANSWERS).where(tuple_(*_ANSWERS.primary_key).in_(some))
    answers = 0
    while gone := _run(engine, [old]):
        answers += gone
    return _count(due, answers)


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


_Due = Sequence[tuple[str, str, str]]
"""Kind, club and id."""


def _limit(at_once: bool) -> datetime:
    return now() + timedelta(minutes=1) if at_once else now() - RESTORABLE_FOR


def _due(connection: Connection, limit: datetime) -> _Due:
    """List what is due, clubs last: what was deleted from one before goes with it."""
    chosen = select(_DELETIONS.c.kind, _DELETIONS.c.club_id, _DELETIONS.c.id)
    chosen = chosen.where(_DELETIONS.c.kind != DeletionKind.KEY, _DELETIONS.c.purged.is_(False))
    found = connection.execute(chosen.where(_DELETIONS.c.at <= limit).order_by(_DELETIONS.c.at)).all()
    return sorted((tuple(row) for row in found), key=lambda one: one[0] == DeletionKind.CLUB)


def _steps(engine: Engine, kind: str, club_id: str, id: str) -> Iterator[list[Executable]]:
    """Give the statements that purge something, those of one transaction together."""
    here = and_(_DELETIONS.c.club_id == club_id, _DELETIONS.c.id == id)
    gone = update(_DELETIONS).where(here).values(purged=True, by=None)
    if kind != DeletionKind.CLUB:
        yield [delete(_PARTS).where(_PARTS.c.club_id == club_id, _PARTS.c.deletion_id == id), gone]
        return
    with engine.connect().execution_options(**{BEGIN: "DEFERRED"}) as connection:
        matches = connection.scalars(select(columns_of(Match).id).where(columns_of(Match).club_id == club_id)).all()
    for match_id in matches:
        yield [delete(table).where(of_match(table, club_id, match_id)) for table in reversed(OF_MATCH)]
    last: list[Executable] = []
    for table in reversed(Base.metadata.sorted_tables):
        if table is _DELETIONS:
            rest = and_(table.c.id != id, or_(table.c.with_id.is_(None), table.c.with_id != id))
            last.append(delete(table).where(table.c.club_id == club_id, rest))
        else:
            own = table.c.id if table.name == Club.__tablename__ else table.c.club_id
            last.append(delete(table).where(own == club_id))
    yield [*last, gone]


def _run(engine: Engine, statements: Sequence[Executable]) -> int:
    """Execute statements in one transaction; give how many rows the last one changed."""
    changed = 0
    with engine.connect().execution_options(**{BEGIN: "IMMEDIATE"}) as connection, connection.begin():
        for statement in statements:
            changed = connection.execute(statement).rowcount
    return changed


def _old(due: _Due, *, at_once: bool) -> ColumnElement[bool]:
    """Give the condition for stored answers that go: old ones, and any of clubs from which something goes at once."""
    old = _ANSWERS.c.created_at <= _limit(False)
    return or_(old, _ANSWERS.c.club_id.in_({club_id for _, club_id, _ in due})) if at_once and due else old


def _count(due: _Due, answers: int) -> Purged:
    kinds = Counter(kind for kind, _, _ in due)
    return Purged(kinds[DeletionKind.MATCH], kinds[DeletionKind.PLAYER], kinds[DeletionKind.CLUB], answers)
