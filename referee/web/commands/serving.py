"""The commands ``referee serve`` and ``referee demo``, which run the app on this computer."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import click
from flask import Flask

from referee import __version__
from referee.records.demo.club import LASTS, found_demo
from referee.records.demo.evenings import season_plan
from referee.records.demo.season import SEED
from referee.records.models import Club
from referee.web.commands.clubs import club_of_the_home, find_club, show_invitation
from referee.web.commands.terminal import answers, home_address, make_app, phones_address, progress
from referee.web.server.built_in import make_server
from referee.web.server.database import db
from referee.web.words import say

EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""The addresses that listen on every network, each with the one that this computer itself opens."""


@click.command()
@click.option("--host", default=None, help="Address to listen on, instead of the setting HOST.")
@click.option(
    "--port", default=None, type=click.IntRange(0, 65535), help="Port, instead of the setting PORT; 0 picks one."
)
@click.option("--lan", is_flag=True, help="Let phones on your network connect, and show a QR code that invites one.")
@click.option("--https", is_flag=True, hidden=True)
@click.option("--club", default=None, help="With --lan, the name or id of the club to invite to.")
def serve(host: str | None, port: int | None, lan: bool, https: bool, club: str | None) -> None:
    """Run the app on this computer.

    With --lan, phones on the same network find it at the address that is shown. The phone that scans the QR code
    becomes a scorekeeper; the code works once, for a quarter of an hour, and invites into the club that played last.

    The server is enough for a home: it closes connections that send nothing for 30 seconds, or a request more slowly
    than 1,000 bytes a second. On the open internet put a proxy in front.
    """
    if https:
        raise click.UsageError(say("command.https"))
    app = make_app()
    port = app.config["PORT"] if port is None else port
    if lan:
        _serve(app, "0.0.0.0", port, lambda: find_club(club) if club else club_of_the_home())
    else:
        _serve(app, host or app.config["HOST"], port)


@click.command()
@click.option("--seed", default=SEED, show_default=True, help="Another seed plays another season.")
@click.option("--keep", is_flag=True, help="Let it stay; otherwise it ends after a day.")
def demo(seed: int, keep: bool) -> None:
    """Fill a new club with a made-up season, and show it.

    Seven players over seven months, to see what every page looks like. Scan the QR code with a phone on the same
    network, or open the link on this computer. If Referee isn’t running yet, this command runs it, as serve --lan does.

    Visitors get the same from “Try a demo” on the first page: at most 200 at a time, and six an hour
    from one address. An ended demo opens no more; it is deleted with everything in it when the next match or demo
    starts. REFEREE_DEMO=off takes the button away.
    """
    app = make_app()
    with app.app_context():
        with progress(say("command.playing-demo"), len(season_plan().evenings)) as move:
            founded = found_demo(db.engine, seed=seed, lasts=None if keep else LASTS, done=move)
        matches = founded.season.matches
        rounds = sum(len(match.rounds) for match in matches)
        click.echo(say("command.demo", name=find_club(founded.club_id).name, matches=len(matches), rounds=rounds))
        if founded.ends_at is not None:
            click.echo(say("command.demo-ends", time=founded.ends_at))
        if answers("127.0.0.1", app.config["PORT"]):
            show_invitation(find_club(founded.club_id), phones_address(app))
            return
    _serve(app, "0.0.0.0", app.config["PORT"], lambda: find_club(founded.club_id))


def _serve(app: Flask, host: str, port: int, club: Callable[[], Club] | None = None) -> None:
    """Print where the app is, and a link into the club that `club` finds, and serve until Ctrl+C."""
    listener = _listen(host, port)
    port = int(listener.getsockname()[1])
    here = f"http://{_in_address(EVERYWHERE.get(host, host))}:{port}"
    home = home_address() if host in EVERYWHERE else None
    at_home = f"http://{home}:{port}" if home else None
    with closing(make_server(app, listener)) as server:
        with app.app_context():
            database, instance = db.engine.url.render_as_string(hide_password=True), Path(app.config["INSTANCE"])
            click.echo(say("command.running", version=__version__, address=here, instance=instance, database=database))
            if at_home:
                click.echo(say("command.network", address=at_home))
            elif club:
                click.echo(say("command.no-network"))
            if club:
                show_invitation(club(), at_home or here)
        click.echo(say("command.stop"))
        server.run()


def _listen(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        reason = error.strerror or error
        raise click.ClickException(say("command.port", port=port, host=host, reason=reason, next=port + 1)) from error


def _in_address(host: str) -> str:
    return f"[{host}]" if ":" in host else host
