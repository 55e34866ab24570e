"""The host’s commands ``referee invite`` and ``referee demo``."""

from __future__ import annotations

import socket
from collections.abc import Callable

import click
from flask import Flask

from referee.paths import own_command
from referee.records.demo.club import LASTS, found_demo
from referee.records.demo.evenings import season_plan
from referee.records.demo.season import SEED
from referee.records.models import KeyRole
from referee.web.commands.clubs import MINUTES, find_club, found_by, invite_one
from referee.web.commands.terminal import home_address, progress, show_link
from referee.web.server.extensions import db
from referee.web.words import say

ROLES = (KeyRole.SCOREKEEPER.value, KeyRole.SPECTATOR.value)


def add_clubs(main: click.Group, app: Callable[[], Flask]) -> None:
    """Add the two commands; `app` makes the app."""

    @main.command()
    @click.option("--club", default=None, help="Name or id of the club; not needed if there is only one.")
    @click.option(
        "--role", default=ROLES[0], show_default=True, type=click.Choice(ROLES), help="What the phone may do."
    )
    @click.option("--address", default=None, help="Address of the app, such as https://uno.example.org.")
    def invite(club: str | None, role: str, address: str | None) -> None:
        """Make a link that lets one phone into a club, for instance when every key is lost.

        It works once, for a quarter of an hour, and is shown as a QR code too.
        """
        with app().app_context():
            name, path = invite_one(found_by(club), role)
        place = address.rstrip("/") if address else f"http://{home_address() or socket.gethostname()}:8000"
        click.echo(say(f"command.{role}", name=name, minutes=MINUTES))
        show_link(f"{place}{path}")

    @main.command()
    @click.option("--seed", default=SEED, show_default=True, help="Another seed plays another season.")
    @click.option("--keep", is_flag=True, help="Let it stay; otherwise it ends after a day.")
    def demo(seed: int, keep: bool) -> None:
        """Fill a new club with a made-up season, to see what every page looks like.

        Seven players over seven months. Visitors get the same from “Try it with a demo table” on the first page: at
        most 200 at a time, and six an hour from one address. An ended demo opens no more; it is deleted with everything
        in it when the next match or demo starts. REFEREE_DEMO=off takes the button away.
        """
        with app().app_context():
            with progress(say("command.playing-demo"), len(season_plan().evenings)) as move:
                founded = found_demo(db.engine, seed=seed, lasts=None if keep else LASTS, done=move)
            matches = founded.season.matches
            rounds = sum(len(match.rounds) for match in matches)
            click.echo(say("command.demo", name=find_club(founded.club_id).name, matches=len(matches), rounds=rounds))
        if founded.ends_at is not None:
            click.echo(say("command.demo-ends", time=founded.ends_at))
        click.echo(say("command.open-club", command=own_command(), id=founded.club_id))
