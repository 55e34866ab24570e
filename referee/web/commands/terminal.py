"""What the commands share: the app they work on, its address, links with their QR codes, files and progress bars."""

import socket
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import click
import segno
from flask import Flask
from sqlalchemy.exc import DBAPIError

from referee import create_app
from referee.paths import BESIDE, make_private, own_command
from referee.web.server.database import UnusableDatabase, db
from referee.web.server.settings import BrokenSettings
from referee.web.words import say

Move = Callable[..., None]
"""Advance a progress bar, by default by one."""


def make_app(config: dict[str, Any] | None = None) -> Flask:
    """Create the app for a command, which closes its connections at the end.

    Raises click.ClickException for what only the host can mend: settings, or a database that doesn't open.
    """
    try:
        app = create_app(config)
    except (BrokenSettings, UnusableDatabase) as error:
        raise click.ClickException(str(error)) from error
    except DBAPIError as error:
        raise click.ClickException(say("command.no-access", reason=reason_of(error))) from error
    click.get_current_context().call_on_close(lambda: _close(app))
    return app


def reason_of(error: Exception) -> str:
    """Return why a database refused something: on a full disk SQLite speaks of reading and writing alone."""
    reason = getattr(error, "orig", error)
    failed = getattr(reason, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_IOERR
    return say("command.disk", reason=reason) if failed else str(reason)


def _close(app: Flask) -> None:
    with app.app_context():
        db.session.remove()
        db.engine.dispose()


def show_link(link: str) -> None:
    """Print a link and its QR code."""
    segno.make(link, error="l").terminal(compact=True, border=2)
    click.echo(f"\n  {link}\n")


@contextmanager
def progress(label: str, total: int) -> Iterator[Move]:
    """Show a progress bar until the block ends; nothing where standard error is no terminal."""
    # here, since it takes a twentieth of a second, and only some commands have a bar
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)  # what a command prints can then go into a file
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bars:
        bar = bars.add_task(label, total=max(1, total))

        def move(more: int = 1) -> None:
            bars.advance(bar, more)

        yield move


@contextmanager
def new_file(file: Path) -> Iterator[Path]:
    """Yield an empty private file beside another, to be moved into its place when it is complete; else it is removed.

    Raises click.ClickException where the disk, or SQLite, doesn't let it be written.
    """
    new = file.with_name(f".{file.name}.new")
    try:
        remove_database(new)
        make_private(new)
        yield new
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or reason_of(error)
        raise click.ClickException(say("command.unwritable", file=file, reason=reason)) from error
    finally:
        with suppress(OSError):  # on a read-only disk nothing is there to be removed
            remove_database(new)


def check_target(file: Path) -> None:
    """Raise click.ClickException where a new file would replace a part of the database, or a device.

    Needs the app's context.
    """
    url = db.engine.url
    parts = [Path(f"{url.database}{ending}") for ending in (*BESIDE, ".lock")] if url.database else []
    if file.resolve() in map(Path.resolve, parts) or (file.exists() and not file.is_file()):
        raise click.ClickException(say("command.in-place", file=file))


def remove_database(file: Path) -> None:
    """Remove a file, and those that SQLite puts beside one."""
    for ending in (*BESIDE, "-journal"):
        with suppress(NotADirectoryError):
            Path(f"{file}{ending}").unlink(missing_ok=True)


def phones_address(app: Flask) -> str:
    """Return the address at which phones open the app; print a warning if nothing answers there.

    Behind a proxy it is the first of the trusted hosts, over HTTPS; otherwise this machine on the home network.
    """
    if app.config["PROXIES"] and app.config["TRUSTED_HOSTS"]:
        return f"https://{app.config['TRUSTED_HOSTS'][0].lstrip('.')}"
    host, port = home_address() or socket.gethostname(), app.config["PORT"]
    if not answers(host, port):
        click.echo(say("command.no-answer", address=f"http://{host}:{port}", command=own_command()), err=True)
    return f"http://{host}:{port}"


def answers(host: str, port: int) -> bool:
    """Return whether anything listens there."""
    try:
        with socket.create_connection((host, port), timeout=1):
            return True
    except OSError:
        return False


def home_address() -> str | None:
    """Return this machine's IPv4 address on the home network, or None when it is on none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        probe.connect(("192.0.2.1", 9))  # for documentation (RFC 5737); it sends nothing, the system only picks a route
        return str(probe.getsockname()[0])
    with suppress(OSError):
        addresses = socket.gethostbyname_ex(socket.gethostname())[2]
        return next((address for address in addresses if not address.startswith("127.")), None)
    return None
