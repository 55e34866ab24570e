"""Transactions of their own beside a request's, of an import, a purge, a demo, a command; the version of the tables.

A version is the id of a migration: its number and, where programs of earlier versions go on working after it, the
number of the earliest that do. ``0007_from_0005`` is the seventh; programs that know the fifth or sixth work on it too.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, Executable, Row
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

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
