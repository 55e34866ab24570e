"""Transactions of their own beside a request's, of an import, a purge, a demo, a command; requests that count once.

At the end: the version of the tables.
A version is the id of a migration: its number and, where programs of earlier versions go on working after it, the
number of the earliest that do. ``0007_from_0005`` is the seventh; programs that know the fifth or sixth work on it too.
"""

import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, Executable, Row, bindparam, delete, exists, insert, or_, select
from sqlalchemy.exc import IntegrityError, OperationalError
from sqlalchemy.orm import Session

from referee.records.errors import Conflict
from referee.records.models import DELETED_TOO, Base, Club, ClubImport, IdempotentAnswer, now
from referee.records.words import say

BEGIN = "sqlite_begin"
"""Execution option that says how a transaction on SQLite begins: ``DEFERRED`` or ``IMMEDIATE``."""
PAUSE = 0.12
"""Seconds between two transactions of one long work: a writer that waits retries SQLite every 100 ms or sooner."""


@contextmanager
def reading(engine: Engine) -> Iterator[Session]:
    """Open a session that only reads, and holds up nobody."""
    with engine.connect().execution_options(**{BEGIN: "DEFERRED"}) as connection, Session(connection) as session:
        yield session


@contextmanager
def writing(engine: Engine) -> Iterator[Session]:
    """Open a session that holds the lock of SQLite from its first statement, and commits at the end."""
    with (
        engine.connect().execution_options(**{BEGIN: "IMMEDIATE"}) as connection,
        connection.begin(),
        Session(connection) as session,
    ):
        yield session
        session.flush()


def stream(session: Session, chosen: Executable, at_once: int) -> Iterator[Row[Any]]:
    """Yield the rows of one query, so many at a time; whoever stops early closes the cursor that PostgreSQL holds."""
    with session.execute(chosen, execution_options={"yield_per": at_once}) as rows:
        yield from rows


OPTIMIZE = ("PRAGMA analysis_limit=1000", "PRAGMA optimize")
"""What tells the query planner of SQLite how tables have grown: some milliseconds, and none where they have not."""


def optimize(engine: Engine) -> None:
    """Let the query planner of SQLite look at tables that an import filled; PostgreSQL's does so by itself."""
    if engine.dialect.name != "sqlite":
        return
    with suppress(OperationalError), engine.connect().execution_options(**{BEGIN: "IMMEDIATE"}) as connection:
        for statement in OPTIMIZE:
            connection.exec_driver_sql(statement)
        connection.commit()


_VERSION = re.compile(r"(?P<number>\d{4})(?:_from_(?P<earliest>\d{4}))?")


def _newest() -> str:
    """Return the id of the newest migration, with which the name of its file begins."""
    files = (Path(__file__).parent / "migrations" / "versions").glob("*.py")
    return max(revision.group() for file in files if (revision := _VERSION.match(file.name)))


HEAD = _newest()
"""The version this program knows."""


def number_of(version: str) -> int:
    """Return the number of a version; raises ValueError for a text that is none."""
    return _read(version)[0]


def works_on(tables: str, known: str = HEAD) -> bool:
    """Return whether a program that knows one version can work on tables of another."""
    if tables == known:
        return True
    try:
        number, earliest = _read(tables)
        return earliest <= number_of(known) < number
    except ValueError:
        return False


def is_newer(tables: str, known: str = HEAD) -> bool:
    """Return whether tables are of a later version than a program knows; False for a version we can't read."""
    try:
        return number_of(tables) > number_of(known)
    except ValueError:
        return False


def _read(version: str) -> tuple[int, int]:
    parts = _VERSION.fullmatch(version)
    if not parts:
        raise ValueError(f"not a version: {version!r}; write 0007 or 0007_from_0005")
    number = int(parts["number"])
    return number, int(parts["earliest"] or number)


KEPT = timedelta(days=30)
"""How long answers are stored: a phone may come back from a journey with rounds to send."""
FORGOTTEN_AT_ONCE = 500
STATUS = 201
"""What the column needs, though nothing reads it anymore."""

# into the table: by the mapped class SQLAlchemy would look through the row first, at every save
_INSERT = insert(Base.metadata.tables[IdempotentAnswer.__tablename__])
_STORED = select(IdempotentAnswer).where(
    IdempotentAnswer.club_id == bindparam("club_id"), IdempotentAnswer.key == bindparam("key")
)


def recall(session: Session, club_id: str, key: str, digest: str) -> str | None:
    """Return the id of what the same request made when it came before, perhaps empty; None if it is new.

    Whoever calls this holds the lock of the match, or writes only if nobody has written to the match since, so that
    the same request arriving twice at the same moment comes to the first. Raises `Conflict` when the key came before
    with another body, which has another digest.
    """
    kept = session.scalar(_STORED, {"club_id": club_id, "key": key})
    if kept is None:
        return None
    if kept.request_digest != digest:
        raise Conflict(say("match.other-request"))
    return zlib.decompress(kept.body).decode()


def remember(session: Session, club_id: str, key: str, digest: str, made: str) -> None:
    """Store what a request made, in the transaction that does what was asked.

    Raises `Conflict` when the same key is being used for another match at this very moment.
    """
    row = {"club_id": club_id, "key": key, "request_digest": digest, "status": STATUS, "created_at": now()}
    try:
        session.connection().execute(_INSERT, row | {"body": zlib.compress(made.encode(), 1)})
    except IntegrityError:
        raise Conflict(say("match.other-match")) from None


def forget_old_answers(session: Session, club: Club) -> None:
    """Delete some of the club's expired answers, few enough that nobody waits for it."""
    old = select(IdempotentAnswer.key).where(
        IdempotentAnswer.club_id == club.id, IdempotentAnswer.created_at < now() - KEPT
    )
    session.execute(
        delete(IdempotentAnswer)
        .where(IdempotentAnswer.club_id == club.id, IdempotentAnswer.key.in_(old.limit(FORGOTTEN_AT_ONCE)))
        .execution_options(synchronize_session=False)
    )


SWEPT_AT_ONCE = 2
"""Ended demos removed by one request, so that nobody waits for it."""
INTERRUPTED = timedelta(minutes=10)
"""How long after its last portion an import, or the founding of a demo, counts as interrupted."""


def sweep_demos(session: Session) -> int:
    """Remove some of the demos that ended or were never founded whole; return how many."""
    own = exists().where(ClubImport.club_id == Club.id)
    due = (
        select(Club.id)
        .where(Club.ends_at.is_not(None), or_(Club.ends_at <= now(), own.where(ClubImport.founded)))
        .where(~own.where(ClubImport.at > now() - INTERRUPTED))
        .order_by(Club.ends_at)
    )
    swept = session.scalars(due.limit(SWEPT_AT_ONCE).execution_options(**DELETED_TOO)).all()
    for club_id in swept:
        end_demo(session, club_id)
    return len(swept)


def end_demo(session: Session, club_id: str) -> None:
    """Remove a demo; a club that stays is left alone."""
    club = session.get(Club, club_id, execution_options=DELETED_TOO)
    if club is None or club.ends_at is None:
        return
    session.expunge(club)
    for table in reversed(Base.metadata.sorted_tables):
        own = table.c.id if table.name == Club.__tablename__ else table.c.club_id
        session.execute(delete(table).where(own == club_id))
