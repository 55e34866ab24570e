"""The commands ``invite``, ``purge``, ``export``, ``import`` and ``check`` of a club, and how a command finds one."""

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
from sqlalchemy import func, select
from sqlalchemy.exc import DBAPIError
from werkzeug.exceptions import HTTPException

from referee.paths import own_command
from referee.records.club import access
from referee.records.deletion import purging
from referee.records.errors import Busy
from referee.records.ids import new_id
from referee.records.models import Club, KeyRole, Match
from referee.records.names import printable
from referee.records.season.days import find_zone
from referee.records.soundness import find_faults
from referee.records.transfer.exporting import export_club
from referee.records.transfer.importing import import_club
from referee.records.transfer.writing import reopen
from referee.rules.text.problem import Impossible
from referee.web.club.views import path_of
from referee.web.commands.terminal import (
    check_target,
    make_app,
    new_file,
    phones_address,
    progress,
    reason_of,
    show_link,
)
from referee.web.server.database import db
from referee.web.transfer.forms import read_club
from referee.web.words import say

MINUTES = int(access.INVITATION_LIFETIME.total_seconds() // 60)
"""For which an invitation is good."""


ROLES = (KeyRole.SCOREKEEPER.value, KeyRole.SPECTATOR.value)


@click.command()
@click.option("--club", default=None, help="Name or id of the club; not needed if there is only one.")
@click.option("--role", default=ROLES[0], show_default=True, type=click.Choice(ROLES), help="What the phone may do.")
@click.option("--address", default=None, help="Address of the app, such as https://uno.example.org.")
def invite(club: str | None, role: str, address: str | None) -> None:
    """Make a link that lets one phone into a club: the first phone, or one when every key is lost.

    It works once, for a quarter of an hour, and is shown as a QR code too. Where there is no club yet, it founds one.

    Without --address the link leads to this machine on its network, at the port of the setting PORT. Behind a proxy it
    leads to the first of TRUSTED_HOSTS, over HTTPS.
    """
    app = make_app()
    with app.app_context():
        chosen = find_club(club) if club else only_club() or _first_club()
        show_invitation(chosen, address.rstrip("/") if address else phones_address(app), role)


@click.command()
@click.option("--dry-run", is_flag=True, help="Say what would go; change nothing.")
@click.option("--at-once", is_flag=True, help="Also purge what could still be restored.")
def purge(dry_run: bool, at_once: bool) -> None:
    """Remove for good what was deleted more than 30 days ago.

    Matches, names of players and whole clubs, with the stored answers of that time. Then the database is rewritten, so
    that nothing of it stays in free pages; that holds up writers for about a second per 100 MB. The app may keep
    running. It purges by itself, too, at most an hour late, but a database of more than 20 MB is rewritten by this
    command alone: run it every night. Backups made before still have what they had.
    """
    with make_app().app_context():
        if dry_run:
            due = purging.find_due(db.engine, at_once=at_once)
            click.echo(say("command.purge-waits", what=_counted(due)) if due else say("command.nothing-to-purge"))
            return
        try:
            gone = purging.purge(db.engine, at_once=at_once)
            click.echo(say("command.purged", what=_counted(gone)) if gone else say("command.nothing-to-purge"))
            click.echo(say("command.rewriting"))
            purging.tidy(db.engine)
        except (DBAPIError, db.engine.dialect.loaded_dbapi.Error) as error:
            raise click.ClickException(say("command.not-purged", reason=reason_of(error))) from error


def _counted(purged: purging.Purged) -> str:
    return say("command.purge-what", **purged._asdict())


def show_invitation(club: Club, address: str, role: str = KeyRole.SCOREKEEPER) -> None:
    """Print a link that lets one phone into a club at this address of the app, and its QR code."""
    token = access.invite(db.session(), club, role)
    name = club.name
    db.session.commit()
    click.echo(say(f"command.{role}", name=name, minutes=MINUTES))
    show_link(f"{address}{path_of(token)}")


def club_of_the_home() -> Club:
    """Return the club that played last, else the newest, a demo if there is no other, else a new one."""
    session = db.session()
    stays = Club.ends_at.is_(None).desc()
    played = select(Club).join(Match, Match.club_id == Club.id).order_by(stays)
    played_last = played.order_by(Match.id.desc()).limit(1)
    newest = select(Club).order_by(stays, Club.id.desc()).limit(1)
    return session.scalar(played_last) or session.scalar(newest) or _first_club()


def _first_club() -> Club:
    return access.create_club(db.session(), say("command.first-club")).club


def only_club() -> Club | None:
    """Return the only club, demos aside, or None; raises click.ClickException if there are several."""
    statement = select(Club).order_by(Club.ends_at.is_(None).desc(), Club.id.desc()).limit(10)
    clubs = db.session.scalars(statement).all()
    if [club.ends_at is None for club in clubs[:2]] == [True, False]:
        clubs = clubs[:1]
    if len(clubs) > 1:
        raise click.ClickException(say("command.clubs", clubs=_listed(clubs)))
    return clubs[0] if clubs else None


def find_club(wanted: str) -> Club:
    """Return the club of this name or id; raises click.ClickException if there is none, or several of the name."""
    named = select(Club).where((Club.id == wanted) | (Club.name == wanted))
    clubs = db.session.scalars(named.limit(10)).all()
    if not clubs:
        raise click.ClickException(say("command.unknown-club", name=wanted))
    if len(clubs) > 1:
        raise click.ClickException(say("command.same-name", name=wanted, clubs=_listed(clubs)))
    return clubs[0]


def _listed(clubs: Sequence[Any]) -> str:
    return "\n".join(say("command.club", id=club.id, name=club.name, since=club.created_at) for club in clubs)


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
            with new.open("w", encoding="utf-8") as out, progress(say("command.exporting"), count) as move:
                for piece in export_club(db.session(), chosen):
                    out.write(piece)
                    if piece == "}":  # a match is complete
                        move()
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
            found = partial(access.create_club, code=document.club.language, time_zone=document.club.time_zone)
            create = partial(found, name=name, id=id) if club == NEW else None
            label = say("command.importing", name=printable(name))
            with progress(label, len(document.matches)) as move:
                report = import_club(db.engine, id, document, create=create, done=move)
        except (Impossible, Busy, HTTPException) as error:
            raise click.ClickException(say("command.not-imported", file=file, problem=_told(error))) from error
    new = {"matches": report.matches, "rounds": report.rounds, "players": report.players}
    click.echo(say("command.imported", **new))
    zone = document.club.time_zone
    if club == NEW and zone and find_zone(zone) is None:
        click.echo(say("command.unknown-zone", zone=printable(zone)))
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


def _told(error: Exception) -> str:
    if isinstance(error, Impossible):
        return printable("\n".join(f"{problem.field}: {problem.message}" for problem in error.problems))
    return printable(str(getattr(error, "description", error)))
