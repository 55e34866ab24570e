"""A link as the terminal shows it."""

from __future__ import annotations

import click
import segno


def show(link: str) -> None:
    """Show a link, with its QR code."""
    segno.make(link, error="l").terminal(compact=True, border=2)
    click.echo(f"\n  {link}\n")
