"""The commands ``referee export``, ``import``, ``backup``, ``restore`` and ``check``."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import click
from flask import Flask
from sqlalchemy import URL, func, make_url, select
from werkzeug.exceptions import HTTPException

from referee.paths import own_command
from referee.records import access
from referee.records.errors import Busy
from referee.records.ids import new_id
from referee.records.models import Club, Match, new_nonce
from referee.records.names import printable
from referee.records.soundness import find_faults
from referee.records.transfer.exporting import export_club
from referee.records.transfer.importing import import_club
from referee.records.transfer.writing import reopen
from referee.rules.problem import Impossible
from referee.web.commands.clubs import find_club, only_club
from referee.web.commands.terminal import make_app, progress
from referee.web.server.database import db
from referee.web.server.private_files import BESIDE, make_private, make_private_folder, sync_folder
from referee.web.server.settings import BrokenSettings, load_settings
from referee.web.transfer.forms import read_club
from referee.web.words import say

NEW = "new"
PAGES_AT_ONCE = 256
"""Pages of the database copied between two updates of the progress bar: a megabyte."""


@click.command("export")
@click.argument("file", type=click.Path(dir_okay=False, writable=True, path_type=Path))
@click.option("--club", default=None, help="Name or id of the club; not needed if there is only one.")
def export(file: Path, club: str | None) -> None:
    """Export a club to a JSON file.

    Players, matches with every version of every round, rulings, and the rules they were played by. The file
    contains no keys.
    """
    with make_app().app_context():
        found = _club(club)
        name = found.name
        if db.engine.dialect.name == "postgresql":
            db.session.rollback()
            db.session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
        count = db.session.scalar(select(func.count()).select_from(Match).where(Match.club_id == found.id)) or 0
        _write_whole(file, lambda out: _export(found, count, out))
    click.echo(say("command.exported", name=name, file=file, size=file.stat().st_size))


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--club", default=None, help="Name or id of the club to import into; “new” creates one.")
def import_file(file: Path, club: str | None) -> None:
    """Import a club’s file into an empty club, or into the club it came from.

    All or nothing. What is already there stays as it is, so importing a file twice duplicates nothing. Every round
    is scored again first; if the points in the file differ from its rules, each such round is named and nothing is
    imported.

    The app may keep running. The club itself is closed until the import is done; its phones save what they record
    and send it then. An interrupted import is rolled back when the club is next opened, half a minute later at the
    earliest.
    """
    with make_app().app_context():
        try:
            document = read_club(file.read_bytes(), None)
            id, name = (new_id(), document.club.name) if club == NEW else _known(_club(club))
            found = partial(access.create_club, name=name, id=id, code=document.club.language) if club == NEW else None
            label = say("command.importing", name=printable(name))
            with progress(label, len(document.matches)) as move:
                report = import_club(db.engine, id, document, found=found, done=move)
        except (Impossible, Busy, HTTPException) as error:
            raise click.ClickException(say("command.not-imported", file=file, problem=_told(error))) from error
    new = {"matches": report.matches, "rounds": report.rounds, "players": report.players}
    click.echo(say("command.imported", **new))
    if report.matches_known:
        click.echo(say("command.known", n=report.matches_known))
    if report.matches_deleted:
        click.echo(say("command.stay-deleted", n=report.matches_deleted))
    if report.matches_refused:
        click.echo(say("import.refused", n=report.matches_refused))
        for problem in report.problems:
            click.echo(printable(problem.message))
    if club == NEW:
        click.echo(say("command.open-club", command=own_command(), id=id))


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, writable=True, path_type=Path))
def backup(file: Path) -> None:
    """Back up the SQLite database; the app may keep running.

    Never copy the file yourself while the app runs: the newest changes may be in a second file beside it.
    """
    source = _database(make_app())
    if not source.is_file():
        raise click.ClickException(say("command.no-database", file=source))
    new = file.with_name(f".{file.name}.new")
    new.unlink(missing_ok=True)
    make_private(new)
    with closing(sqlite3.connect(source)) as here, closing(sqlite3.connect(new)) as there:
        _copy(here, there, say("command.backing-up"))
        _refuse_broken(there, new)
    os.replace(new, file)
    sync_folder(file.parent)
    click.echo(say("command.backed-up", command=own_command(), file=file, size=file.stat().st_size))


@click.command()
def check() -> None:
    """Check totals, results, keys and links in the database, and list what is wrong.

    SQLite’s own check of the file, every total against the points of its rounds, every result against its totals,
    every round against its versions, keys against clubs and matches. It changes nothing, and exits with status 1
    if it found anything. The app may keep running.
    """
    with make_app().app_context():
        faults = 0
        matches = db.session.scalar(select(func.count()).select_from(Match)) or 0
        with progress(say("command.checking"), matches) as move:
            for faults, fault in enumerate(find_faults(db.session(), move), 1):  # noqa: B007 - told below
                click.echo(fault)
    if faults:
        raise click.ClickException(say("command.faults", n=faults))
    click.echo(say("command.sound"))


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--yes", is_flag=True, help="Don’t ask first.")
def restore(file: Path, yes: bool) -> None:
    """Replace the database by a backup. Stop the app first.

    The backup is checked, and the old database is saved beside the new one as referee.db.before. Afterwards every
    phone reloads every match, and sends what was waiting on it. What was saved after the backup is lost.
    """
    target = _file_of(_address_in_settings())  # the app isn't made: the present database may be broken or outdated
    _refuse_foreign(file)
    if target.exists() and not yes:
        click.confirm(say("command.replace", file=target), abort=True)
    make_private_folder(target.parent)
    new = target.with_name(f".{target.name}.new")
    new.unlink(missing_ok=True)
    make_private(new)
    with closing(sqlite3.connect(file)) as here, closing(sqlite3.connect(new)) as there:
        _copy(here, there, say("command.restoring"))
        _refuse_broken(there, new)
        _renew_states(there)
    before = _save_beside(target)
    for rest in ("-wal", "-shm"):
        Path(f"{target}{rest}").unlink(missing_ok=True)
    os.replace(new, target)
    sync_folder(target.parent)
    click.echo(say("command.restored" if before else "command.restored-first", file=before))


def _club(wanted: str | None) -> Club:
    """Return the club of this name or id, or the only one; raises click.ClickException."""
    found = find_club(wanted) if wanted else only_club()
    if found is None:
        raise click.ClickException(say("command.no-club"))
    return found


def _known(club: Club) -> tuple[str, str]:
    """Return id and name of a club, and release the database; raises `Busy` during another import."""
    id, name, import_id = club.id, club.name, club.import_id
    db.session.remove()
    if import_id is not None:
        reopen(db.engine, id, import_id)
    return id, name


def _export(club: Club, count: int, out: Path) -> None:
    with out.open("w", encoding="utf-8") as file, progress(say("command.exporting"), count) as move:
        for piece in export_club(db.session(), club):
            file.write(piece)
            if piece == "}":  # a match is complete
                move()


def _write_whole(file: Path, write: Callable[[Path], None]) -> None:
    """Write a temporary file, and move it into place when it is complete."""
    new = file.with_name(f".{file.name}.new")
    try:
        make_private(new)
        write(new)
        os.replace(new, file)
    except OSError as error:
        raise click.ClickException(say("command.unwritable", file=file, reason=error.strerror or error)) from error
    finally:
        new.unlink(missing_ok=True)


def _save_beside(target: Path) -> Path | None:
    """Copy the database that is replaced, with its write-ahead log; a broken one is copied file by file."""
    if not target.exists():
        return None
    before = target.with_name(f"{target.name}.before")
    for rest in BESIDE:
        Path(f"{before}{rest}").unlink(missing_ok=True)
    make_private(before)
    try:
        with closing(sqlite3.connect(target)) as old, closing(sqlite3.connect(before)) as copy:
            old.backup(copy)
    except sqlite3.DatabaseError:
        for rest in BESIDE:
            if Path(f"{target}{rest}").exists():
                make_private(Path(f"{before}{rest}"))
                shutil.copyfile(f"{target}{rest}", f"{before}{rest}")
    return before


def _address_in_settings() -> URL:
    app = Flask("referee")
    try:
        load_settings(app, None)
    except BrokenSettings as error:
        raise click.ClickException(str(error)) from error
    return make_url(app.config["SQLALCHEMY_DATABASE_URI"])


def _database(app: Flask) -> Path:
    with app.app_context():
        url = db.engine.url
        db.session.remove()
        db.engine.dispose()
    return _file_of(url)


def _file_of(url: URL) -> Path:
    if url.get_backend_name() != "sqlite" or not url.database:
        raise click.ClickException(say("command.not-sqlite"))
    return Path(url.database)


def _copy(source: sqlite3.Connection, target: sqlite3.Connection, label: str) -> None:
    """Copy a database by SQLite's backup, which gives a consistent snapshot while others write."""
    pages = source.execute("PRAGMA page_count").fetchone()[0]
    with progress(label, pages) as move:
        left = pages

        def tell(_status: int, remaining: int, _total: int) -> None:
            nonlocal left
            move(left - remaining)
            left = remaining

        source.execute("BEGIN")  # read one snapshot: without it every write by another restarts the copy
        source.execute("SELECT count(*) FROM sqlite_master").fetchone()
        source.backup(target, pages=PAGES_AT_ONCE, progress=tell)
        source.execute("ROLLBACK")


def _renew_states(database: sqlite3.Connection) -> None:
    """Set a new state on every match, which no phone has seen, so that each phone reloads it.

    A backup put back by other means is safe too, since no later state is like one that was lost; but programs of the
    first tables, which may have written beside ours, draw no nonce.
    """
    columns = {name for _, name, *_ in database.execute("PRAGMA table_info(matches)")}
    if "nonce" in columns:  # else it is a backup of the first tables, which `referee db upgrade` brings on
        database.create_function("new_nonce", 0, new_nonce)
        with database:
            database.execute("UPDATE matches SET nonce = new_nonce()")


def _refuse_broken(database: sqlite3.Connection, file: Path) -> None:
    found = database.execute("PRAGMA quick_check").fetchone()[0]
    if found != "ok":
        file.unlink(missing_ok=True)
        raise click.ClickException(say("command.damaged", reason=found))


def _refuse_foreign(file: Path) -> None:
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as database:
            database.execute("SELECT version_num FROM alembic_version").fetchone()
            database.execute("SELECT id FROM clubs LIMIT 1").fetchone()
    except sqlite3.DatabaseError as error:
        raise click.ClickException(say("command.no-backup", file=file, reason=error)) from error


def _told(error: Exception) -> str:
    if isinstance(error, Impossible):
        return printable("\n".join(f"{problem.field}: {problem.message}" for problem in error.problems))
    return printable(str(getattr(error, "description", error)))
