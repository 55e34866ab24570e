"""The host’s command ``referee purge``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

import click
from flask import Flask

from referee.records.deletion import purging
from referee.web.server.extensions import db
from referee.web.words import say


def add_purge(main: click.Group, app: Callable[[], Flask]) -> None:
    """Add the command; `app` makes the app."""

    @main.command()
    @click.option("--dry-run", is_flag=True, help="Say what would go; change nothing.")
    @click.option("--at-once", is_flag=True, help="Also purge what could still be restored.")
    def purge(dry_run: bool, at_once: bool) -> None:
        """Remove for good what was deleted more than 30 days ago.

        Matches, names of players and whole clubs, with the stored answers of that time. Then the database is written
        anew, so that nothing of it stays in free pages; that holds up writers for about a second per 100 MB. The app
        may keep running. It purges by itself, too, at most an hour late, but a database of more than 20 MB is written
        anew by this command alone: run it every night. Backups made before still have what they had.
        """
        with app().app_context():
            if dry_run:
                found = purging.find_due(db.engine, at_once=at_once)
                click.echo(say("command.purge-waits", what=_told(found)) if found else say("command.nothing-to-purge"))
                return
            gone = purging.purge(db.engine, at_once=at_once)
            click.echo(say("command.purged", what=_told(gone)) if gone else say("command.nothing-to-purge"))
            click.echo(say("command.rewriting"))
            purging.tidy(db.engine)


def _told(purged: purging.Purged) -> str:
    return say("command.purge-what", **asdict(purged))
