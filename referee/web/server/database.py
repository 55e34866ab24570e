"""The database as requests read and write it: made ready at the start, locked only while something is written.

SQLite has one lock for the whole database. A request only reads until `save` takes that lock, with the first statement
of a transaction of its own: one that read first and wrote later would be refused, not delayed, if another wrote in
between. `save` keeps the lock short: what can be worked out is worked out before, and compared under it.
"""

import os
import select
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

from flask import Flask, Response, current_app, g, has_request_context
from flask_sqlalchemy import SQLAlchemy
from pydantic_core import from_json
from sqlalchemy import Connection, Engine, event, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, InvalidatePoolError
from sqlalchemy.orm import Session
from sqlalchemy.pool import ConnectionPoolEntry

from referee.paths import make_database_private, make_private, make_private_folder, own_command
from referee.records.errors import Conflict, Moved, Repeated
from referee.records.models import Base
from referee.records.statistics.ratings import UNRATED, draft_ratings, write_ratings
from referee.records.transactions import BEGIN, HEAD, OPTIMIZE, is_newer, recall, remember, works_on
from referee.web.words import say

db = SQLAlchemy(model_class=Base, session_options={"expire_on_commit": False})
"""What a request has just written it need not read again to answer; the next request reads anew."""

LOCK = 0x5EFE4EE
"""Number of the PostgreSQL advisory lock under which one server of several makes the tables."""

MIGRATING = "MIGRATING"
"""Key of ``create_app``'s configuration under which an outdated database is opened all the same: to be migrated."""

BUSY_TIMEOUT = 5
"""Seconds for which SQLite waits for a lock that another has."""

RESTING_SINCE = "referee.resting_since"
"""Where a connection in the pool notes when it was put there."""


class UnusableDatabase(Exception):
    """Raised where the tables are of another version, or a restore has the file; the message says what to do."""


def prepare_database(app: Flask) -> None:
    """Bind the database to the app; create its tables when it has none.

    Raises UnusableDatabase when tables are there but of a version that this program cannot work on, or when the file
    is being restored.
    """
    url = make_url(app.config["SQLALCHEMY_DATABASE_URI"])
    if url.get_backend_name() == "sqlite" and url.database and url.database != ":memory:":
        make_private_folder(Path(url.database).parent)
    options = app.config.setdefault("SQLALCHEMY_ENGINE_OPTIONS", {})
    options.setdefault("hide_parameters", True)  # a failed statement is logged, and people's names with it
    options.setdefault("json_deserializer", from_json)  # half the time of Python's own, and a long match has thousands
    if url.get_backend_name() == "postgresql":
        # psycopg prepares statements that come often, by names of its own. A pool between us and the database, as
        # PgBouncer, gives the next transaction another connection, where these names are unknown or someone else's.
        options["connect_args"] = {"connect_timeout": 5, "prepare_threshold": None} | options.get("connect_args", {})
    db.init_app(app)
    app.teardown_appcontext(_let_go)
    with app.app_context():
        if db.engine.dialect.name == "sqlite":
            file = db.engine.url.database
            if file and file != ":memory:" and not file.startswith("file:"):
                try:  # until the engine is disposed of, which a server never does
                    held = hold(Path(file))
                except sqlite3.Error as error:
                    reason = "database.restoring" if is_busy(error) else "database.no-lock"
                    raise UnusableDatabase(say(reason, file=file, reason=error)) from error
                event.listen(db.engine, "engine_disposed", lambda _engine: held.close())
                make_database_private(Path(file))
            tune_sqlite(db.engine)
        else:
            leave_dead_connections(db.engine)
        create_tables(db.engine, may_be_old=bool(app.config.get(MIGRATING)))


def hold(file: Path, *, alone: bool = False) -> sqlite3.Connection:
    """Lock a database of SQLite until the connection returned is closed or this process dies.

    Programs that use it hold it together, a restore alone. The lock is SQLite's own, on an empty file beside the
    database: so it works on every system, and also while no connection is open or the database is damaged.

    Raises sqlite3.OperationalError: `is_busy` if others hold it.
    """
    file = file.resolve()  # whoever comes by a link meets the same lock
    lock = file.with_name(f"{file.name}.lock")
    with suppress(OSError):  # SQLite says what is wrong, if anything
        make_private(lock)
        if os.name == "posix":  # root may have come first
            owner = file.stat()
            os.chown(lock, owner.st_uid, owner.st_gid)
    patience = 0 if alone else BUSY_TIMEOUT
    connection = sqlite3.connect(lock, timeout=patience, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("BEGIN EXCLUSIVE" if alone else "BEGIN")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()  # a shared lock is taken by reading
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def is_busy(error: sqlite3.Error) -> bool:
    """Return whether SQLite refused something because another connection has the lock."""
    return error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY


def create_tables(engine: Engine, *, may_be_old: bool) -> None:
    with engine.execution_options(**{BEGIN: "IMMEDIATE"}).begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
        if not inspect(connection).has_table("alembic_version"):
            Base.metadata.create_all(connection)
            # noted as Alembic does, without importing it (a tenth of a second)
            connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"))
            connection.execute(text("INSERT INTO alembic_version (version_num) VALUES (:head)"), {"head": HEAD})
            return
        revision = connection.scalar(text("SELECT version_num FROM alembic_version"))
    if not works_on(revision) and not may_be_old:
        engine.dispose()
        way_out = "database.newer" if is_newer(revision) else "database.older"
        raise UnusableDatabase(say(way_out, found=revision, needed=HEAD, command=own_command()))


def _let_go(_error: BaseException | None) -> None:
    """End the session of a request, before Flask-SQLAlchemy would, whose failure became the answer.

    The answer stands: what was to be saved was committed, and a database that went away rolls back by itself.
    """
    try:
        db.session.remove()
    except DBAPIError as error:  # SQLAlchemy has dropped the connection by then
        current_app.logger.error("database unreachable: %s", error.orig)
        db.session.registry.clear()


def tune_sqlite(engine: Engine) -> None:
    """Turn on foreign keys and write-ahead logging, and let transactions begin when we say so."""

    @event.listens_for(engine, "connect")
    def connect(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # else the driver begins at the first write, and reads are not repeatable
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT * 1000}")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.execute("PRAGMA journal_mode=WAL")
        cursor.execute("PRAGMA synchronous=FULL")  # an acknowledged round survives a power cut
        cursor.close()

    @event.listens_for(engine, "close")
    def close(connection: Any, _record: Any) -> None:
        with suppress(connection.DatabaseError):  # someone writes just now, or the file is no database any more
            connection.execute("PRAGMA busy_timeout=0")
            for statement in OPTIMIZE:
                connection.execute(statement)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        how = connection.get_execution_options().get(BEGIN) or ("IMMEDIATE" if is_writing() else "DEFERRED")
        connection.exec_driver_sql(f"BEGIN {how}")


def leave_dead_connections(engine: Engine) -> None:
    """Drop pooled connections that a restart of PostgreSQL closed, so that nobody notices it.

    A server that stops closes its connections, which makes them readable: to see that costs no way to and fro, as
    SQLAlchemy's ``pool_pre_ping`` does at every request. One that rested for a while is asked all the same, since a
    firewall may have forgotten it without a word.
    """

    @event.listens_for(engine, "checkin")
    def rest(_connection: Any, record: ConnectionPoolEntry) -> None:
        record.info[RESTING_SINCE] = monotonic()

    @event.listens_for(engine, "checkout")
    def check(connection: Any, record: ConnectionPoolEntry, _lent: object) -> None:
        since = record.info.get(RESTING_SINCE)
        if since is None:  # it has just been opened
            return
        try:
            if monotonic() - since > 30 or _has_something_to_say(connection):  # seconds
                engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as error:
            raise InvalidatePoolError from error


def _has_something_to_say(connection: Any) -> bool:
    if not hasattr(select, "poll"):  # Windows
        return bool(select.select([connection], (), (), 0)[0])
    poll = select.poll()
    poll.register(connection, select.POLLIN)
    return bool(poll.poll(0))


TRIES = 4
"""Times that a draft is made without the lock; after that the lock is taken first."""

T = TypeVar("T")


def is_writing() -> bool:
    """Return whether this request is in the transaction in which `save` writes."""
    return has_request_context() and g.get("writing", False)


@dataclass
class Once:
    """A request that may arrive twice and must count once."""

    club_id: str
    """empty for a stranger, whose club is founded by what is saved, and set there"""
    key: str
    digest: str
    """of all that is asked for: the same key with another digest is another request"""
    made: Callable[[Any], str] = lambda _saved: ""
    """returns the id of what was made, from the value that `save` returns; whoever asks again gets it by `Repeated`"""


def save(draft: Callable[[], T], write: Callable[[T], object] | None = None, once: Once | None = None) -> T:
    """Write and commit, in a transaction that holds the lock for nothing else; the one way in which a request writes.

    `draft` only reads, before the lock; `write` compares and writes what was drafted, which is then returned. `write`
    raises `Moved` if what was read has changed since, and both are tried again. A `Conflict` of the draft is tried
    again once: the request that came first may have been this one, sent twice. Where nothing is worth drafting, pass
    one function: it reads, writes and returns under the lock.

    With `once` the second of two equal requests raises `Repeated`, with the id of what the first made. Any other error
    is raised, and then nothing was written.
    """
    session = db.session()
    conflicts = 0
    for attempt in range(TRIES + 1):
        try:
            if write is None or attempt == TRIES:
                _lock(session, afresh=True)
            if once is not None and (made := recall(session, once.club_id, once.key, once.digest)) is not None:
                raise Repeated(made)
            drafted = draft()
            if write is not None:
                _lock(session)
                write(drafted)
            if once is not None:
                remember(session, once.club_id, once.key, once.digest, once.made(drafted))
            session.commit()
            return drafted
        except Moved:
            session.rollback()
        except Conflict:
            session.rollback()
            conflicts += 1
            if conflicts == 2 or write is None:
                raise
        except BaseException:
            session.rollback()
            raise
        finally:
            g.writing = False
    raise Conflict(say("database.busy"))


def _lock(session: Session, *, afresh: bool = False) -> None:
    """End the transaction that only read, and let the next one write; with `afresh` all is read anew in it."""
    if is_writing():
        return
    assert not any((session.new, session.dirty, session.deleted)), "would be committed without the lock"
    session.commit()  # a rollback would expire everything that was read
    if afresh:
        session.expire_all()
    g.writing = True


def init_app(app: Flask) -> None:
    """Rate the matches that a request has changed before it is answered, while others write."""
    app.after_request(_rate)


def _rate(response: Response) -> Response:
    club_id = db.session().info.pop(UNRATED, None) if db.session.registry.has() else None
    if club_id is None or response.status_code >= 400:
        return response
    session = db.session()
    session.commit()
    while save(lambda: draft_ratings(session, club_id), lambda batch: write_ratings(session, batch)):
        pass
    return response
