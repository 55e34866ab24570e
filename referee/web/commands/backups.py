"""The commands ``referee backup`` and ``referee restore``, for the file of SQLite as a whole."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

import click
from flask import Flask
from sqlalchemy import URL, make_url

from referee.paths import BESIDE, make_private, make_private_folder, own_command, sync_folder
from referee.records.models import new_nonce, now
from referee.web.commands.terminal import check_target, make_app, new_file, progress, remove_database
from referee.web.server.database import db, hold, is_busy
from referee.web.server.settings import BrokenSettings, load_settings
from referee.web.words import say

with suppress(ImportError):  # Windows, which replaces no open file anyway
    import fcntl

LOCKED_WHILE_OPEN = (510, 0x40000002)
"""Number and place of the bytes that SQLite locks in a file while a connection with write-ahead logging is open."""


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def backup(file: Path) -> None:
    """Back up the SQLite database; the app may keep running.

    Never copy the file yourself while the app runs: the newest changes may be in a second file beside it. PostgreSQL is
    backed up by its own pg_dump.
    """
    with make_app().app_context():
        source = _file_of(db.engine.url)
        if not source.is_file():
            raise click.ClickException(say("command.no-database", file=source))
        check_target(file)
    with new_file(file) as new:
        _copy(source, new, say("command.backing-up"))
        os.replace(new, file)
    sync_folder(file.parent)
    click.echo(say("command.backed-up", command=own_command(), file=file, size=file.stat().st_size))


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--yes", is_flag=True, help="Don’t ask first.")
def restore(file: Path, yes: bool) -> None:
    """Replace the SQLite database by a backup. Stop the app first.

    It is refused while anything has the database open. The backup is checked, and the old database is saved beside the
    new one, as referee.db.before- and the time (UTC). Afterwards every phone reloads every match, and sends what was
    waiting on it. What was saved after the backup is lost.

    PostgreSQL is restored by its own pg_restore.
    """
    target = _file_of(address_in_settings())  # the app isn't made: the present database may be broken or outdated
    if target.exists() and file.samefile(target):
        raise click.ClickException(say("command.in-place", file=file))
    _refuse_foreign(file)
    make_private_folder(target.parent)
    before = target.with_name(f"{target.name}.before-{now():%Y-%m-%dT%H%M%S.%f}")
    with alone(target) as old, new_file(target) as new:
        exists = target.exists()
        if exists and not yes:
            click.confirm(say("command.replace", file=target, before=before), abort=True)
        _copy(file, new, say("command.restoring"))
        _renew_states(new)
        if exists:
            _save_beside(target, before, old)
        _put_in(new, target, old)
    sync_folder(target.parent)
    click.echo(say("command.restored" if exists else "command.restored-first", file=before))


@contextmanager
def alone(file: Path) -> Iterator[sqlite3.Connection | None]:
    """Keep everybody else out of a database until the block ends; yield it, or None where SQLite can't read it.

    Raises click.ClickException while anyone has it open. Programs of this version hold it; an earlier one is found out
    because SQLite leaves write-ahead logging only where no other connection is open. One that opens it only now finds
    it locked, and then the new rows in the same file.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(closing(hold(file, alone=True)))
            database = _open_alone(file) if file.exists() else None
        except BlockingIOError as error:
            raise click.ClickException(say("command.in-use", file=file)) from error
        except sqlite3.Error as error:
            reason = "command.in-use" if is_busy(error) else "command.unwritable"
            raise click.ClickException(say(reason, file=file, reason=error)) from error
        if database is not None:
            stack.enter_context(closing(database))
        yield database


def _open_alone(file: Path) -> sqlite3.Connection | None:
    if os.name == "posix":  # SQLite looks for no lock on a file that it can't read
        with file.open("r+b") as opened:
            fcntl.lockf(opened, fcntl.LOCK_EX | fcntl.LOCK_NB, *LOCKED_WHILE_OPEN)
    database = sqlite3.connect(file, timeout=0, isolation_level=None)
    try:
        database.execute("PRAGMA journal_mode=DELETE").fetchone()
        database.execute("PRAGMA locking_mode=EXCLUSIVE").fetchone()
        database.executescript("BEGIN EXCLUSIVE; COMMIT")  # in this mode the lock stays
        if database.execute("PRAGMA quick_check").fetchone()[0] == "ok":
            return database
    except sqlite3.Error as error:
        if error.sqlite_errorcode & 0xFF not in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
            database.close()
            raise
    database.close()
    return None


def _save_beside(target: Path, before: Path, old: sqlite3.Connection | None) -> None:
    """Copy the database that is replaced; a broken one as it lies, with the files beside it."""
    try:
        make_private(before)
        if old is not None:
            with closing(sqlite3.connect(before)) as copy:
                old.backup(copy)
            return
        for ending in BESIDE:
            if Path(f"{target}{ending}").exists():
                make_private(Path(f"{before}{ending}"))
                shutil.copyfile(f"{target}{ending}", f"{before}{ending}")
    except (OSError, sqlite3.Error):
        remove_database(before)
        raise


def _put_in(new: Path, target: Path, old: sqlite3.Connection | None) -> None:
    """Write a database into the file of another, in one transaction: a program that starts meanwhile waits for it.

    A file that SQLite can't read is replaced.
    """
    if old is not None:
        with closing(sqlite3.connect(new)) as there:
            there.backup(old)
        return
    for ending in BESIDE[1:]:
        Path(f"{target}{ending}").unlink(missing_ok=True)
    os.replace(new, target)


def address_in_settings() -> URL:
    app = Flask("referee")
    try:
        load_settings(app, None)
    except BrokenSettings as error:
        raise click.ClickException(str(error)) from error
    return make_url(app.config["SQLALCHEMY_DATABASE_URI"])


def _file_of(url: URL) -> Path:
    if url.get_backend_name() != "sqlite" or not url.database:
        raise click.ClickException(say("command.not-sqlite"))
    return Path(url.database)


def _copy(source: Path, target: Path, label: str) -> None:
    """Copy a database by SQLite's backup, which gives a consistent snapshot while others write, and check the copy.

    Raises click.ClickException where it is damaged.
    """
    with closing(sqlite3.connect(source)) as here, closing(sqlite3.connect(target)) as there:
        pages = here.execute("PRAGMA page_count").fetchone()[0]
        with progress(label, pages) as move:
            left = pages

            def tell(_status: int, remaining: int, _total: int) -> None:
                nonlocal left
                move(left - remaining)
                left = remaining

            here.execute("BEGIN")  # read one snapshot: without it every write by another restarts the copy
            here.execute("SELECT count(*) FROM sqlite_master").fetchone()
            here.backup(there, pages=256, progress=tell)  # a megabyte between two updates of the bar
            here.execute("ROLLBACK")
        try:
            there.execute("PRAGMA journal_mode=DELETE")  # one file, until a program opens it
            verdict = there.execute("PRAGMA quick_check").fetchone()[0]
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CORRUPT:
                raise
            verdict = str(error)
        if verdict != "ok":
            raise click.ClickException(say("command.damaged", reason=verdict))


def _renew_states(file: Path) -> None:
    """Set a new state on every match, which no phone has seen, so that each phone reloads it.

    A backup put back by other means is safe too, since no later state is like one that was lost; but programs of the
    first tables, which may have written beside ours, draw no nonce.
    """
    with closing(sqlite3.connect(file)) as database:
        columns = {name for _, name, *_ in database.execute("PRAGMA table_info(matches)")}
        if "nonce" in columns:  # else it is a backup of the first tables, which `referee db upgrade` brings on
            database.create_function("new_nonce", 0, new_nonce)
            with database:
                database.execute("UPDATE matches SET nonce = new_nonce()")


def _refuse_foreign(file: Path) -> None:
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as database:
            database.execute("SELECT version_num FROM alembic_version").fetchone()
            database.execute("SELECT id FROM clubs LIMIT 1").fetchone()
    except sqlite3.DatabaseError as error:
        raise click.ClickException(say("command.no-backup", file=file, reason=error)) from error
