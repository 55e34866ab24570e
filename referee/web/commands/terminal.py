"""What commands show in the terminal: links with their QR codes, and progress bars."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click
import segno

Move = Callable[..., None]
"""Advance a progress bar, by default by one."""
ANYWHERE = ("192.0.2.1", 9)
"""A documentation address (RFC 5737). Connecting a UDP socket sends nothing; it only makes the system pick a route."""


def show_link(link: str) -> None:
    """Print a link and its QR code."""
    segno.make(link, error="l").terminal(compact=True, border=2)
    click.echo(f"\n  {link}\n")


@contextmanager
def progress(label: str, total: int) -> Iterator[Move]:
    """Show a progress bar until the block ends; nothing where standard error is no terminal."""
    # here, since only some commands have a bar, and it takes a twentieth of a second
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)  # what a command prints can then go into a file
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bars:
        bar = bars.add_task(label, total=max(1, total))

        def move(more: int = 1) -> None:
            bars.advance(bar, more)

        yield move


def home_address() -> str | None:
    """Return this machine's IPv4 address on the home network, or None when it is on none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(ANYWHERE)
        except OSError:
            return _address_of_hostname()
        address: str = probe.getsockname()[0]
    return address


def _address_of_hostname() -> str | None:
    try:
        addresses = socket.gethostbyname_ex(socket.gethostname())[2]
    except OSError:
        return None
    return next((address for address in addresses if not address.startswith("127.")), None)
