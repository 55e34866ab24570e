"""Make the database ready: tune SQLite, create the tables of an empty database, warn of an old one."""

from __future__ import annotations

import select
from pathlib import Path
from time import monotonic
from typing import Any

from flask import Flask, current_app
from sqlalchemy import Connection, Engine, event, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, InvalidatePoolError
from sqlalchemy.pool import ConnectionPoolEntry

from referee.paths import own_command
from referee.records.models import Base
from referee.records.schema import HEAD, is_newer, works_on
from referee.records.transactions import BEGIN
from referee.web.server.extensions import db
from referee.web.server.private_files import make_database_private, make_private_folder
from referee.web.words import say
from referee.web.writing import takes_lock

LOCK = 0x5EFE4EE
"""Number of the PostgreSQL advisory lock under which one server of several makes the tables."""

MIGRATING = "MIGRATING"
"""Key of ``create_app``'s configuration under which an outdated database is opened all the same: to be migrated."""

RESTING_SINCE = "referee.resting_since"
"""Where a connection in the pool notes when it was put there."""
LONGEST_REST = 30
"""Seconds after which a connection is asked whether it still lives, whatever its socket says."""


class OutdatedDatabase(Exception):
    """Say that the tables are of a version that the code cannot work on, and what mends it."""


def prepare_database(app: Flask) -> None:
    """Bind the database to the app; create its tables when it has none.

    Raises OutdatedDatabase when tables are there but of a version that this program cannot work on.
    """
    url = make_url(app.config["SQLALCHEMY_DATABASE_URI"])
    if url.get_backend_name() == "sqlite" and url.database and url.database != ":memory:":
        make_private_folder(Path(url.database).parent)
    options = app.config.setdefault("SQLALCHEMY_ENGINE_OPTIONS", {})
    options.setdefault("hide_parameters", True)  # a failed statement is logged, and people's names with it
    if url.get_backend_name() == "postgresql":
        options.setdefault("connect_args", {"connect_timeout": 5})
    db.init_app(app)
    app.teardown_appcontext(_let_go)
    with app.app_context():
        if db.engine.dialect.name == "sqlite":
            file = db.engine.url.database
            if file and file != ":memory:" and not file.startswith("file:"):
                make_database_private(Path(file))
            tune_sqlite(db.engine)
        else:
            leave_dead_connections(db.engine)
        _create_tables(db.engine, may_be_old=bool(app.config.get(MIGRATING)))


def _create_tables(engine: Engine, *, may_be_old: bool) -> None:
    with engine.execution_options(**{BEGIN: "IMMEDIATE"}).begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
        if not inspect(connection).has_table("alembic_version"):
            _create_and_stamp(connection)
            return
        found = connection.scalar(text("SELECT version_num FROM alembic_version"))
    if not works_on(found) and not may_be_old:
        engine.dispose()
        way_out = "database.newer" if is_newer(found) else "database.older"
        raise OutdatedDatabase(say(way_out, found=found, needed=HEAD, command=own_command()))


def _let_go(_error: BaseException | None) -> None:
    """End the session of a request, before Flask-SQLAlchemy would, whose failure became the answer.

    The answer stands: what was to be saved was committed, and a database that went away rolls back by itself.
    """
    try:
        db.session.remove()
    except DBAPIError as error:  # SQLAlchemy has dropped the connection by then
        current_app.logger.error("database unreachable: %s", error.orig)
        db.session.registry.clear()


def _create_and_stamp(connection: Connection) -> None:
    """Create all tables and note the version as Alembic does, without importing it (a tenth of a second)."""
    Base.metadata.create_all(connection)
    connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"))
    connection.execute(text("INSERT INTO alembic_version (version_num) VALUES (:head)"), {"head": HEAD})


def tune_sqlite(engine: Engine) -> None:
    """Turn on foreign keys and write-ahead logging, and let transactions begin when we say so."""

    @event.listens_for(engine, "connect")
    def connect(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # else the driver begins at the first write, and reads are not repeatable
        cursor = connection.cursor()
        cursor.execute("PRAGMA busy_timeout=5000")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.execute("PRAGMA journal_mode=WAL")
        cursor.execute("PRAGMA synchronous=FULL")  # an acknowledged round survives a power cut
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        how = connection.get_execution_options().get(BEGIN) or ("IMMEDIATE" if takes_lock() else "DEFERRED")
        connection.exec_driver_sql(f"BEGIN {how}")


def leave_dead_connections(engine: Engine) -> None:
    """Let nobody meet a connection to PostgreSQL that died in the pool, so that its restart goes unnoticed.

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
            if monotonic() - since > LONGEST_REST or _has_something_to_say(connection):
                engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as error:
            raise InvalidatePoolError from error


def _has_something_to_say(connection: Any) -> bool:
    if not hasattr(select, "poll"):  # Windows
        return bool(select.select([connection], (), (), 0)[0])
    poll = select.poll()
    poll.register(connection, select.POLLIN)
    return bool(poll.poll(0))
