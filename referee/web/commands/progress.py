"""A bar in the terminal for work that takes a while."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Move = Callable[..., None]
"""Tell the bar how much more is done, by default one thing."""


@contextmanager
def progress(label: str, total: int) -> Iterator[Move]:
    """Show how far a piece of work has come until the block ends; nothing where nobody looks at a terminal.

    It stands on standard error, so that what a command says can go into a file.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bars:
        bar = bars.add_task(label, total=max(1, total))

        def move(more: int = 1) -> None:
            bars.advance(bar, more)

        yield move
