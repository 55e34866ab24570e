"""The commands ``referee export``, ``import`` and ``check``."""

import os
from functools import partial
from pathlib import Path

import click
from sqlalchemy import func, select
from werkzeug.exceptions import HTTPException

from referee.paths import own_command
from referee.records.club import access
from referee.records.errors import Busy
from referee.records.ids import new_id
from referee.records.models import Club, Match
from referee.records.names import printable
from referee.records.soundness import find_faults
from referee.records.transfer.exporting import export_club
from referee.records.transfer.importing import import_club
from referee.records.transfer.writing import reopen
from referee.rules.text.problem import Impossible
from referee.web.commands.clubs import find_club, only_club
from referee.web.commands.terminal import check_target, make_app, new_file, progress
from referee.web.server.database import db
from referee.web.transfer.forms import read_club
from referee.web.words import say

NEW = "new"


@click.command("export")
@click.argument("file", type=click.Path(dir_okay=False, writable=True, path_type=Path))
@click.option("--club", default=None, help="Name or id of the club; not needed if there is only one.")
def export(file: Path, club: str | None) -> None:
    """Export a club to a JSON file.

    Players, matches with every version of every round, rulings, and the rules they were played by. The file
    contains no keys.
    """
    with make_app().app_context():
        check_target(file)
        chosen = _club(club)
        name = chosen.name
        if db.engine.dialect.name == "postgresql":
            db.session.rollback()
            db.session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
        count = db.session.scalar(select(func.count()).select_from(Match).where(Match.club_id == chosen.id)) or 0
        with new_file(file) as new:
            _export(chosen, count, new)
            os.replace(new, file)
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
            create = partial(access.create_club, name=name, id=id, code=document.club.language) if club == NEW else None
            label = say("command.importing", name=printable(name))
            with progress(label, len(document.matches)) as move:
                report = import_club(db.engine, id, document, create=create, done=move)
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


def _club(wanted: str | None) -> Club:
    """Return the club of this name or id, or the only one; raises click.ClickException."""
    chosen = find_club(wanted) if wanted else only_club()
    if chosen is None:
        raise click.ClickException(say("command.no-club"))
    return chosen


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


def _told(error: Exception) -> str:
    if isinstance(error, Impossible):
        return printable("\n".join(f"{problem.field}: {problem.message}" for problem in error.problems))
    return printable(str(getattr(error, "description", error)))
