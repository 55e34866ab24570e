"""Transactions of their own beside a request's: of an import, a purge, a demo, a command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
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
