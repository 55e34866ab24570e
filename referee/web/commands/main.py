"""The host’s commands ``referee serve`` and ``referee db``, and where the others are."""

from __future__ import annotations

import socket
from contextlib import closing
from pathlib import Path
from typing import Any

import click
from flask import Flask
from flask.cli import ScriptInfo

from referee import __version__, create_app
from referee.paths import MIGRATIONS
from referee.web.commands.terminal import home_address, show_link
from referee.web.words import say


class Commands(click.Group):
    """The commands; all but the one that starts the app are imported when one of them, or the list, is asked for."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Find a command by its name."""
        if cmd_name not in self.commands:
            self._import_others()
        return super().get_command(ctx, cmd_name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the names of all commands."""
        self._import_others()
        return super().list_commands(ctx)

    def _import_others(self) -> None:
        from referee.web.commands.beginning import add_clubs
        from referee.web.commands.clubs import found_by
        from referee.web.commands.purge import add_purge
        from referee.web.commands.transfer import add_commands

        add_clubs(self, _app)
        add_purge(self, _app)
        add_commands(self, _app, found_by)


def _app_to_migrate() -> Flask:
    from flask_migrate import Migrate

    from referee.web.server.database import MIGRATING
    from referee.web.server.extensions import db

    app = _app({MIGRATING: True})

    def give_engine(config: Any) -> Any:
        config.attributes["engine"] = db.engine  # so that the migrations need not know Flask
        return config

    Migrate(app, db, directory=str(MIGRATIONS)).configure(give_engine)
    return app


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="referee")
def main() -> None:
    """Keep score and settle disputes for people who play Uno with physical cards."""


@main.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="Port; 0 picks one.")
@click.option("--lan", is_flag=True, help="Let phones on your network connect, and show a QR code that invites one.")
@click.option("--https", is_flag=True, hidden=True)
@click.option("--club", default=None, help="With --lan, the name or id of the club to invite to.")
def serve(host: str, port: int, lan: bool, https: bool, club: str | None) -> None:
    """Run the app on this computer.

    With --lan, phones on the same network find it at the address that is shown. The phone that scans the QR code
    becomes a scorekeeper; the code works once, for a quarter of an hour, and invites into the club that played last.

    The server is enough for a home: it closes connections that send nothing for 30 seconds, or a request more slowly
    than 1,000 bytes a second. On the open internet put a proxy in front.
    """
    from referee.web.server.built_in import make_server

    if https:
        raise click.UsageError(say("command.https"))
    app = _app()
    host = "0.0.0.0" if lan else host
    listener = _listen(host, port)
    port = int(listener.getsockname()[1])
    with closing(make_server(app, listener)) as server:
        _say_where(app, f"http://{_in_address('127.0.0.1' if lan else host)}:{port}")
        if lan:
            _invite_the_home(app, port, club)
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


def _say_where(app: Flask, address: str) -> None:
    from referee.web.server.extensions import db

    with app.app_context():
        database, instance = db.engine.url.render_as_string(hide_password=True), Path(app.config["INSTANCE"])
    click.echo(say("command.running", version=__version__, address=address, instance=instance, database=database))


def _invite_the_home(app: Flask, port: int, wanted: str | None) -> None:
    address = home_address()
    if address is None:
        click.echo(say("command.no-network"))
        return
    from referee.web.commands.clubs import MINUTES, club_of_the_home, find_club, invite_one

    with app.app_context():
        name, path = invite_one(find_club(wanted) if wanted else club_of_the_home())
    click.echo(say("command.network", address=f"http://{address}:{port}"))
    click.echo(say("command.scan", name=name, minutes=MINUTES))
    show_link(f"http://{address}:{port}{path}")


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
    except Exception as error:
        if (complaint := _complaint(error)) is not None:
            raise complaint from error
        raise
    click.get_current_context().call_on_close(lambda: _close(app))
    return app


def _complaint(error: Exception) -> click.ClickException | None:
    """Word for the host what keeps the app from starting; None for a mistake of ours."""
    from sqlalchemy.exc import DBAPIError

    from referee.web.server.database import OutdatedDatabase
    from referee.web.server.settings import BrokenSettings

    if isinstance(error, BrokenSettings | OutdatedDatabase):
        return click.ClickException(str(error))
    if isinstance(error, DBAPIError):
        return click.ClickException(say("command.no-access", reason=error.orig))
    return None


def _close(app: Flask) -> None:
    from referee.web.server.extensions import db

    with app.app_context():
        db.session.remove()
        db.engine.dispose()
