"""Import much into one club, all or nothing, without blocking other clubs.

On SQLite a writer locks the whole database, so an import writes in portions, with pauses in which others write. The
club itself is closed until it is done, so nobody sees half of it, and a note lists what is being made. An interrupted
import leaves that note behind, and the next request for the club undoes everything. On PostgreSQL, where writers of
different clubs don't block each other, an import is one transaction.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, Engine, Executable, Table, delete, insert, select, update
from sqlalchemy.orm import Session

from referee.records.errors import Busy
from referee.records.ids import new_id
from referee.records.models import Base, Club, ClubImport, Key, now
from referee.records.words import say

BEGIN = "sqlite_begin"
"""Execution option that says how a transaction on SQLite begins: ``DEFERRED`` or ``IMMEDIATE``."""
PORTION = 0.03
"""Seconds for which a portion locks the database, about."""
PAUSE = 0.12
"""Least seconds between two portions: a waiting writer retries SQLite every 100 ms or sooner."""
CUT_OFF = timedelta(seconds=30)
"""How long after its last portion an import counts as interrupted; portions are at most a second apart."""
FIRST_ROWS, FEWEST_ROWS, MOST_ROWS = 500, 50, 10_000

Made = Mapping[str, Sequence[str]]
"""What an import makes: the ids of players, keys and matches, and the digests of rulebooks."""
_PLACES = {table: place for place, table in enumerate(Base.metadata.sorted_tables)}
"""Tables in an order in which none refers to a later one."""
_Written = Callable[[Connection], object]
"""Rows ready to be inserted."""
Rows = tuple[Table, Sequence[Mapping[str, Any]]]


class Bulk:
    """One import into one club, between `open` and `close`."""

    def __init__(
        self,
        engine: Engine,
        club_id: str,
        rest: Callable[[], object] = lambda: None,
        at_once: int | None = None,
    ) -> None:
        self._connection = engine.connect()
        self._in_portions = engine.dialect.name == "sqlite"
        self._club_id, self.id = club_id, new_id()
        self._rows = at_once or FIRST_ROWS
        self._rest = rest
        self.unrated: list[str] = []
        self._beat = self._released = time.monotonic()
        self._since = self._took = 0.0
        self._statements: dict[Table, tuple[str, list[tuple[str, Any]]]] = {}

    def open(self, *, found: Callable[[Session], object] | None = None, taking_over: str | None = None) -> None:
        """Close the club to everybody else, after creating it by `found`, or `taking_over` an interrupted import.

        Raises `Busy` while another import is running.
        """
        with self.portion() as connection:
            if found is not None:
                with Session(connection) as session:
                    found(session)
                    session.flush()
            row = select(Club.import_id, Club.unrated_from).where(Club.id == self._club_id)
            there, unrated = connection.execute(row.with_for_update(key_share=True)).one()
            if there != taking_over:
                raise Busy(say("import.busy"))
            # pending ratings are computed here, with those of the import
            self.unrated = [unrated] if unrated else []
            note: dict[str, Any] = {"id": self.id, "at": now()}
            if taking_over is None:
                note |= {"club_id": self._club_id, "made": {"unrated": self.unrated}, "founded": found is not None}
                connection.execute(insert(ClubImport).values(**note))
            else:
                connection.execute(update(ClubImport).where(ClubImport.club_id == self._club_id).values(**note))
            alone = {"import_id": self.id, "unrated_from": None, "unrated_turn": Club.unrated_turn + 1}
            connection.execute(update(Club).where(Club.id == self._club_id).values(alone))

    def note(self, made: Made) -> None:
        """Store the list of what will be made, before anything is written."""
        with self.portion() as connection:
            connection.execute(self._own().values(made={**made, "unrated": self.unrated}))

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Read the club without blocking anybody."""
        if self._in_portions:
            self._connection.execution_options(**{BEGIN: "DEFERRED"})
        with Session(self._connection, expire_on_commit=False) as session:
            yield session
        if self._in_portions:
            self._connection.rollback()

    @contextmanager
    def portion(self) -> Iterator[Connection]:
        """Open a write transaction."""
        if not self._in_portions:
            if not self._connection.in_transaction():
                self._connection.begin()  # a session that founds the club would else end what it began
            yield self._connection
            return
        self._connection.execution_options(**{BEGIN: "IMMEDIATE"})
        with self._connection.begin():
            yield self._connection

    def write(self, batches: Iterable[Rows]) -> None:
        """Insert rows in portions, which are prepared while nothing is locked.

        Later rows may refer to earlier ones, whatever the tables.
        """
        waiting: dict[Table, list[Mapping[str, Any]]] = {}
        count = 0
        for table, rows in batches:
            for start in range(0, len(rows), FEWEST_ROWS):
                part = rows[start : start + FEWEST_ROWS]
                waiting.setdefault(table, []).extend(part)
                count += len(part)
                if count >= self._rows:
                    self._write(waiting, count)
                    waiting, count = {}, 0
            self.beat()
        if waiting:
            self._write(waiting, count)

    def _written(self, table: Table, rows: Sequence[Mapping[str, Any]]) -> _Written:
        """Convert complete rows for the driver beforehand; SQLAlchemy converts others while it inserts them."""
        if not self._in_portions or any(column.name not in rows[0] for column in table.columns):
            return lambda connection: connection.execute(insert(table), rows)
        if table not in self._statements:
            dialect = self._connection.dialect
            said = insert(table).compile(dialect=dialect, column_keys=[column.name for column in table.columns])
            types = {column.name: column.type.dialect_impl(dialect) for column in table.columns}
            order = [(name, types[name].bind_processor(dialect)) for name in said.positiontup or ()]
            self._statements[table] = str(said), order
        statement, order = self._statements[table]
        values = [tuple(put(row[name]) if put else row[name] for name, put in order) for row in rows]
        return lambda connection: connection.exec_driver_sql(statement, values)

    def _write(self, waiting: Mapping[Table, Sequence[Mapping[str, Any]]], count: int) -> None:
        in_order = sorted(waiting, key=_PLACES.__getitem__)
        ready = [self._written(table, waiting[table]) for table in in_order]
        with self._held() as connection:
            for insert_rows in ready:
                insert_rows(connection)
            took = time.perf_counter() - self._since
        self._rows = round(max(FEWEST_ROWS, min(MOST_ROWS, self._rows * 2, count * PORTION / max(took, 0.001))))

    def each(self, statements: Iterable[Executable | tuple[Executable, Sequence[Mapping[str, Any]]]]) -> None:
        """Execute statements in portions."""
        todo = iter(statements)
        statement = next(todo, None)
        while statement is not None:
            with self._held() as connection:
                while statement is not None and time.perf_counter() - self._since < PORTION:
                    given = statement if isinstance(statement, tuple) else (statement,)
                    connection.execute(*given)
                    statement = next(todo, None)

    def beat(self) -> None:
        """Yield to other requests, and note from time to time that this import is still running."""
        self._rest()
        if time.monotonic() - self._beat > 1:
            with self._held():
                pass

    def close(self, *, remove: bool = False) -> None:
        """Open the club again; or `remove` it, if it was created for an import that failed."""
        with self._held() as connection:
            connection.execute(update(Club).where(Club.id == self._club_id).values(import_id=None))
            connection.execute(delete(ClubImport).where(ClubImport.club_id == self._club_id))
            if remove:
                connection.execute(delete(Key).where(Key.club_id == self._club_id))
                connection.execute(delete(Club).where(Club.id == self._club_id))
        if not self._in_portions:
            self._connection.commit()
        self._connection.close()

    def abandon(self) -> None:
        """Close the connection; the note of what was written stays."""
        self._connection.close()

    @contextmanager
    def _held(self) -> Iterator[Connection]:
        """Lock the database for a portion, after a pause; raises `Busy` if this import was undone in between."""
        if self._in_portions:
            time.sleep(max(0.0, self._released + max(PAUSE, self._took) - time.monotonic()))
        began = time.monotonic()
        with self.portion() as connection:
            self._since = time.perf_counter()
            if connection.execute(self._own().values(at=now())).rowcount != 1:
                raise Busy(say("import.busy"))
            self._beat = time.monotonic()
            yield connection
        self._released = time.monotonic()
        self._took = self._released - began

    def _own(self) -> Any:
        return update(ClubImport).where(ClubImport.club_id == self._club_id, ClubImport.id == self.id)
