"""The command ``referee move``: everything from the database of the settings into another, of either engine."""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import click
from sqlalchemy import (
    JSON,
    URL,
    Connection,
    Engine,
    RowMapping,
    String,
    Table,
    bindparam,
    create_engine,
    func,
    insert,
    make_url,
    select,
    text,
    update,
)  # fmt: skip
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.orm import Session

from referee.paths import default_instance, make_database_private, make_private_folder, sync_folder
from referee.records.models import Base
from referee.records.soundness import find_faults
from referee.records.transactions import BEGIN, HEAD
from referee.web.commands.backups import address_in_settings, alone
from referee.web.commands.terminal import Move, new_file, progress, reason_of
from referee.web.server.database import create_tables, hold, tune_sqlite
from referee.web.words import say

BATCH = 1000
"""Rows read and written at once."""
TABLES = Base.metadata.sorted_tables
"""Each after those it refers to."""
LINE = re.compile(r"""^([ \t]*database_url[ \t]*=[ \t]*)("[^"\n]*"|'[^'\n]*')""", re.MULTILINE | re.IGNORECASE)


@click.command()
@click.argument("address")
def move(address: str) -> None:
    """Move everything to another database, from SQLite to PostgreSQL or back. Stop the app first.

    ADDRESS is as in the setting database_url, and its database is empty. All goes along: clubs, keys, links, what is
    deleted and can be restored. It is copied in one transaction, read again and compared, and checked; then the
    settings name the new database. The old one stays as it is.
    """
    try:
        old = address_in_settings()
        new = _read(address)
        with ExitStack() as stack:
            source = stack.enter_context(_opened(old))
            if new == old or not source.dialect.has_table(source, "clubs"):
                raise click.ClickException(say("command.nothing-to-move", address=_shown(old)))
            target = stack.enter_context(_opened(new, make=True))
            _refuse(source, target)
            moved = _copy(source, target)
            faults = list(find_faults(Session(target), lambda *_: None))
            if faults:
                raise click.ClickException("\n".join([*faults, say("command.faults", n=len(faults))]))
            for connection in (source, target):
                if connection.dialect.name == "postgresql":  # who came meanwhile waits to write what would be lost
                    _refuse_others(connection)
            target.commit()
    except ArgumentError as error:
        raise click.ClickException(say("command.no-address", address=address)) from error
    except DBAPIError as error:
        reason = reason_of(error).partition("\n")[0]
        raise click.ClickException(say("command.no-access", reason=reason)) from error
    click.echo(say("command.moved", n=moved, old=_shown(old), new=_shown(new)))
    _settle(new)


def _read(address: str) -> URL:
    """Read an address; a path counts from here, but in the settings it would count from the instance folder.

    Raises ArgumentError for one of another kind of database.
    """
    url = make_url(re.sub("^postgres(ql)?://", "postgresql+psycopg://", address))
    if url.get_backend_name() not in ("sqlite", "postgresql") or not url.database:
        raise ArgumentError
    return url.set(database=str(Path(url.database).absolute())) if url.get_backend_name() == "sqlite" else url


@contextmanager
def _opened(url: URL, *, make: bool = False) -> Iterator[Connection]:
    """Yield a connection in a transaction, with nobody else in the database; with `make` its tables are made.

    Raises click.ClickException while anybody else has it open.
    """
    with ExitStack() as stack:
        if url.get_backend_name() == "sqlite":
            file = Path(url.database or "")
            make_private_folder(file.parent)
            with alone(file):
                pass  # nobody has it open, a program of an earlier version neither
            stack.enter_context(closing(hold(file, alone=True)))
            make_database_private(file)
        engine: Engine = create_engine(url)
        stack.callback(engine.dispose)
        if engine.dialect.name == "sqlite":
            tune_sqlite(engine)
        if make:
            create_tables(engine, may_be_old=True)
        connection = stack.enter_context(engine.connect().execution_options(**{BEGIN: "IMMEDIATE"}))
        if engine.dialect.name == "postgresql":
            connection.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
            _refuse_others(connection)
        yield connection


def _refuse_others(connection: Connection) -> None:
    """Raise click.ClickException while anybody else is connected to a database of PostgreSQL."""
    connection.execute(text("SELECT pg_stat_clear_snapshot()"))
    others = """SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
        AND backend_type = 'client backend'"""  # not a worker of PostgreSQL itself
    if connection.scalar(text(others)):
        raise click.ClickException(say("command.others-connected", address=_shown(connection.engine.url)))


def _refuse(source: Connection, target: Connection) -> None:
    """Raise click.ClickException for tables of another version, rows in the target, or texts that it can't hold."""
    for connection in (source, target):
        version = connection.scalar(text("SELECT version_num FROM alembic_version"))
        if version != HEAD:
            place = _shown(connection.engine.url)
            raise click.ClickException(say("command.other-version", address=place, found=version, needed=HEAD))
        if connection.dialect.name == "postgresql":  # a server that starts meanwhile writes nothing that would be lost
            connection.execute(text(f"LOCK TABLE {', '.join(table.name for table in TABLES)} IN EXCLUSIVE MODE"))
    if any(target.scalar(select(table).limit(1)) is not None for table in TABLES):
        raise click.ClickException(say("command.not-empty", address=_shown(target.engine.url)))
    if target.dialect.name != "postgresql":
        return
    refused = [
        say(
            "command.unmovable",
            table=table.name,
            column=name,
            row=" ".join(str(row[key.name]) for key in table.primary_key),
        )
        for table in TABLES
        for rows in _batches(source, table)
        for row in rows
        for name, most in _lengths(table).items()
        if isinstance(row[name], str) and ("\0" in row[name] or len(row[name]) > most)
    ]
    if refused:
        raise click.ClickException("\n".join(refused[:50]))


def _lengths(table: Table) -> Mapping[str, float]:
    """Return the most characters of each column of text."""
    return {column.name: column.type.length or float("inf") for column in table.c if isinstance(column.type, String)}


def _batches(connection: Connection, table: Table) -> Iterator[Sequence[RowMapping]]:
    rows = connection.execute(select(table), execution_options={"yield_per": BATCH}).mappings()
    yield from rows.partitions()


def _copy(source: Connection, target: Connection) -> int:
    """Copy every table, compare count and digest of each with what the target then reads, and return how many rows.

    Raises click.ClickException where they differ.
    """
    total = sum(source.scalar(select(func.count()).select_from(table)) or 0 for table in TABLES)
    with progress(say("command.moving"), 2 * total) as done:
        for table in TABLES:
            own = {
                name: None
                for key in table.foreign_key_constraints
                if key.referred_table is table
                for name in key.column_keys
                if name not in table.primary_key.columns
            }
            # no value is NULL in a column of JSON, and not the text “null”
            values = {
                column.name: bindparam(
                    column.name, type_=JSON(none_as_null=True) if isinstance(column.type, JSON) else column.type
                )
                for column in table.c
            }
            later: list[RowMapping] = []
            for rows in _batches(source, table):
                target.execute(insert(table).values(values), [{**row, **own} for row in rows])
                later += [row for row in rows if any(row[name] is not None for name in own)]
                done(len(rows))
            for row in later:  # it may refer to one that came after it
                same = [column == row[column.name] for column in table.primary_key]
                target.execute(update(table).where(*same).values({name: row[name] for name in own}))
            if _digest(source, table, lambda *_: None) != _digest(target, table, done):
                raise click.ClickException(say("command.differs", table=table.name))
    return total


def _digest(connection: Connection, table: Table, done: Move) -> tuple[int, int]:
    """Return the number of rows and the sum of their digests: each engine sorts texts by a way of its own."""
    count, digest = 0, 0
    for rows in _batches(connection, table):
        for row in rows:
            written = json.dumps(dict(row), sort_keys=True, default=str, ensure_ascii=False).encode(
                "utf-8", "surrogatepass"
            )
            digest = (digest + int.from_bytes(hashlib.sha256(written).digest())) % 2**256
        count += len(rows)
        done(len(rows))
    return count, digest


def _shown(url: URL) -> str:
    return url.render_as_string(hide_password=True)


def _settle(url: URL) -> None:
    """Name the new database in the settings: in their file, or where the environment decides, say what to set there."""
    address = url.render_as_string(hide_password=False)
    decides = [name for name in ("REFEREE_DATABASE_URL", "DATABASE_URL") if os.environ.get(name)]
    if decides:
        click.echo(say("command.set-address", name=decides[0], address=_shown(url)))
        return
    file = Path(os.environ.get("REFEREE_INSTANCE") or default_instance()) / "config.toml"
    value, old = json.dumps(address, ensure_ascii=False), file.read_text("utf-8") if file.exists() else ""
    written, found = LINE.subn(lambda line: line[1] + value, old)
    with new_file(file) as new:
        new.write_text(written if found else f"database_url = {value}\n{old}", "utf-8")
        if file.exists():  # who reads it now, reads it then
            shutil.copymode(file, new)
            if os.name == "posix":
                os.chown(new, file.stat().st_uid, file.stat().st_gid)
            shutil.copy2(file, file.with_name(f"{file.name}.before"))
        os.replace(new, file)
    sync_folder(file.parent)
    click.echo(say("command.settled", file=file))
