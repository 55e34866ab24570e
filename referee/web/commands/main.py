"""The host’s commands ``referee serve``, ``referee invite``, ``referee demo`` and ``referee db``."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any

import click
from flask import Flask
from flask.cli import ScriptInfo
from sqlalchemy import select
from sqlalchemy.exc import DBAPIError

from referee import __version__, create_app
from referee.paths import MIGRATIONS
from referee.records import access
from referee.records.deletion.of_club import is_deleted
from referee.records.demo.club import LASTS, found_demo
from referee.records.demo.evenings import season_plan
from referee.records.demo.season import SEED
from referee.records.models import Club, KeyRole, Match
from referee.web.club.invitations import path_of
from referee.web.commands.progress import progress
from referee.web.commands.purge import add_purge
from referee.web.commands.transfer import add_commands
from referee.web.server.database import MIGRATING, OutdatedDatabase
from referee.web.server.extensions import db
from referee.web.server.network import home_address
from referee.web.server.settings import BrokenSettings
from referee.web.words import say

ROLES = (KeyRole.SCOREKEEPER.value, KeyRole.SPECTATOR.value)


def _app_to_migrate() -> Flask:
    from flask_migrate import Migrate

    app = _app({MIGRATING: True})

    def give_engine(config: Any) -> Any:
        config.attributes["engine"] = db.engine  # so that the migrations need not know Flask
        return config

    Migrate(app, db, directory=str(MIGRATIONS)).configure(give_engine)
    return app


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="referee")
def main() -> None:
    """Keep score and settle disputes for people who play Uno with physical cards."""


@main.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="Port; 0 picks one.")
@click.option("--lan", is_flag=True, help="Let phones on your network connect, and show a QR code that invites one.")
@click.option("--https", is_flag=True, help="Speak HTTPS too, vouched for by an authority of your own.")
@click.option("--https-port", default=8443, show_default=True, type=click.IntRange(0, 65535), help="Port for HTTPS.")
@click.option("--club", default=None, help="With --lan, the name or id of the club to invite to.")
def serve(host: str, port: int, lan: bool, https: bool, https_port: int, club: str | None) -> None:
    """Run the app on this computer.

    With --lan, phones on the same network find it at the address that is shown. The phone that scans the QR code
    becomes a scorekeeper; the code works once, for a quarter of an hour, and invites into the club that played last.

    With --https, it speaks HTTPS too, at a port of its own, vouched for by an authority that is made for this home. The
    page /https shows how a phone comes to trust it. It needs the package cryptography.

    The server is enough for a home: it closes connections that send nothing for 30 seconds, or a request more slowly
    than 1,000 bytes a second. On the open internet put a proxy in front.
    """
    from referee.web.server.built_in import make_server

    app = _app()
    host = "0.0.0.0" if lan else host
    with ExitStack() as stack:
        channels: dict[int, Any] = {}
        listener = _listen(host, port)
        port = int(listener.getsockname()[1])
        server = make_server(app, listener, channels)
        stack.callback(server.close)
        secure = _listen(host, https_port) if https else None
        if secure is not None:
            try:
                stack.enter_context(_speak_https(app, secure, channels, lan))
            except OSError as error:
                raise click.ClickException(say("command.https-unwritable", reason=error)) from error
        _say_where(app, f"http://{_in_address('127.0.0.1' if lan else host)}:{port}")
        if secure is not None:
            shown = _in_address("127.0.0.1" if lan else host)
            click.echo(say("command.https", address=f"https://{shown}:{secure.getsockname()[1]}"))
        if lan:
            _invite_the_home(app, port, club, https)
        click.echo(say("command.stop"))
        server.run()


def _speak_https(
    app: Flask, listener: socket.socket, channels: dict[int, Any], lan: bool
) -> AbstractContextManager[Any]:
    """Answer HTTPS at a listener; its connections are among `channels`, which the server of plain HTTP runs too."""
    try:
        from referee.web.home_https.serving import https_server, vouched
    except ModuleNotFoundError as error:
        raise click.ClickException(say("command.https-lacks", package=error.name)) from error
    address = home_address()
    if lan and address is not None and address not in vouched([address]):
        click.echo(say("command.https-not-home", address=address))
    return https_server(app, listener, [address] if address else [], channels)


def _listen(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        reason = error.strerror or error
        raise click.ClickException(say("command.port", port=port, host=host, reason=reason, next=port + 1)) from error


def _in_address(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _say_where(app: Flask, address: str) -> None:
    with app.app_context():
        database, instance = db.engine.url.render_as_string(hide_password=True), Path(app.config["INSTANCE"])
    click.echo(say("command.running", version=__version__, address=address, instance=instance, database=database))


def _invite_the_home(app: Flask, port: int, wanted: str | None, https: bool) -> None:
    address = home_address()
    if address is None:
        click.echo(say("command.no-network"))
        return
    with app.app_context():
        club = _find_club(wanted) if wanted else _club_of_the_home()
        token = access.invite(db.session(), club, KeyRole.SCOREKEEPER)
        name = club.name
        db.session.commit()
    click.echo(say("command.network", address=f"http://{address}:{port}"))
    click.echo(say("command.scan-https" if https else "command.scan", name=name, minutes=_minutes()))
    _show(f"http://{address}:{port}{'/https' if https else ''}{path_of(token)}")


def _minutes() -> int:
    return int(access.INVITATION_LIFETIME.total_seconds() // 60)


def _show(link: str) -> None:
    import segno

    segno.make(link, error="l").terminal(compact=True, border=2)
    click.echo(f"\n  {link}\n")


@main.command()
@click.option("--club", default=None, help="Name or id of the club; not needed if there is only one.")
@click.option("--role", default=ROLES[0], show_default=True, type=click.Choice(ROLES), help="What the phone may do.")
@click.option("--address", default=None, help="Address of the app, such as https://uno.example.org.")
def invite(club: str | None, role: str, address: str | None) -> None:
    """Make a link that lets one phone into a club, for instance when every key is lost.

    It works once, for a quarter of an hour, and is shown as a QR code too.
    """
    with _app().app_context():
        found = _find_club(club) if club else _only_club()
        token = access.invite(db.session(), found, role)
        name = found.name
        db.session.commit()
    place = address.rstrip("/") if address else f"http://{home_address() or socket.gethostname()}:8000"
    click.echo(say(f"command.{role}", name=name, minutes=_minutes()))
    _show(f"{place}{path_of(token)}")


@main.command()
@click.option("--seed", default=SEED, show_default=True, help="Another seed plays another season.")
@click.option("--keep", is_flag=True, help="Let it stay; otherwise it ends after a day.")
def demo(seed: int, keep: bool) -> None:
    """Fill a new club with a made-up season, to see what every page looks like.

    Seven players over seven months. Visitors get the same from “Try it with a demo table” on the first page: at most
    200 at a time, and six an hour from one address. An ended demo opens no more; it is deleted with everything in it
    when the next match or demo starts. REFEREE_DEMO=off takes the button away.
    """
    with _app().app_context():
        with progress(say("command.playing-demo"), len(season_plan().evenings)) as move:
            founded = found_demo(db.engine, seed=seed, lasts=None if keep else LASTS, done=move)
        matches = founded.season.matches
        rounds = sum(len(match.rounds) for match in matches)
        click.echo(say("command.demo", name=_find_club(founded.club_id).name, matches=len(matches), rounds=rounds))
    if founded.ends_at is not None:
        click.echo(say("command.demo-ends", time=founded.ends_at))
    click.echo(say("command.open-club", id=founded.club_id))


@main.command("db", add_help_option=False, context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def database(arguments: tuple[str, ...]) -> None:
    """Upgrade the database, or check its version.

    A new database gets its tables at the first start; an existing one is never changed unless you say so. When an
    update of Referee needs it, the server says so at the start: make a backup and run “referee db upgrade”. “referee
    db current” shows the version, “referee db check” whether tables and program agree.
    """
    from flask_migrate.cli import db as group  # takes a tenth of a second, so only here

    group.main(list(arguments), prog_name="referee db", obj=ScriptInfo(create_app=_app_to_migrate))


def _app(config: dict[str, Any] | None = None) -> Flask:
    """Make the app for a command, which closes its connections at the end."""
    try:
        app = create_app(config)
    except (BrokenSettings, OutdatedDatabase) as error:
        raise click.ClickException(str(error)) from error
    except DBAPIError as error:
        raise click.ClickException(say("command.no-access", reason=error.orig)) from error
    click.get_current_context().call_on_close(lambda: _close(app))
    return app


def _close(app: Flask) -> None:
    with app.app_context():
        db.session.remove()
        db.engine.dispose()


def _club_of_the_home() -> Club:
    """Choose the club that played last, else the newest; create one if there is none."""
    session = db.session()
    played = select(Club).join(Match, Match.club_id == Club.id).where(~is_deleted())
    played_last = played.order_by(Match.id.desc()).limit(1)
    newest = select(Club).where(~is_deleted()).order_by(Club.id.desc()).limit(1)
    return session.scalar(played_last) or session.scalar(newest) or access.create_club(session, "Our table").club


def _only_club() -> Club:
    clubs = db.session.scalars(select(Club).where(~is_deleted()).order_by(Club.id.desc()).limit(10)).all()
    if not clubs:
        raise click.ClickException(say("command.no-club"))
    if len(clubs) > 1:
        raise click.ClickException(say("command.clubs", clubs=_listed(clubs)))
    return clubs[0]


def _find_club(wanted: str) -> Club:
    named = select(Club).where((Club.id == wanted) | (Club.name == wanted), ~is_deleted())
    clubs = db.session.scalars(named.limit(10)).all()
    if not clubs:
        raise click.ClickException(say("command.unknown-club", name=wanted))
    if len(clubs) > 1:
        raise click.ClickException(say("command.same-name", name=wanted, clubs=_listed(clubs)))
    return clubs[0]


def _listed(clubs: Sequence[Any]) -> str:
    return "\n".join(say("command.club", id=club.id, name=club.name, since=club.created_at) for club in clubs)


add_purge(main, _app)
add_commands(main, _app, lambda wanted: _find_club(wanted) if wanted else _only_club())
