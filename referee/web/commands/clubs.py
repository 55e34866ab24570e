"""The commands ``referee invite`` and ``referee purge``, and how a command finds its club."""

from collections.abc import Sequence
from typing import Any

import click
from sqlalchemy import select
from sqlalchemy.exc import DBAPIError

from referee.records.club import access
from referee.records.deletion import purging
from referee.records.models import Club, KeyRole, Match
from referee.web.club.views import path_of
from referee.web.commands.terminal import make_app, phones_address, show_link
from referee.web.server.database import db
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
            raise click.ClickException(say("command.not-purged", reason=getattr(error, "orig", error))) from error


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
