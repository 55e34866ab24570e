"""Do with many things what one test is about: hold them against a rule, or let them act at the same time."""

import threading
from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest

T = TypeVar("T")
PATIENCE = 120
"""Seconds that any of them may take."""


def check_each(things: Iterable[T], check: Callable[[T], object], name: Callable[[T], str] = str) -> None:
    """Call ``check`` with each thing; where any fail, fail with the name and the reason of every one of them.

    Fails, too, where there is nothing to check.
    """
    failed: list[str] = []
    count = 0
    for thing in things:
        count += 1
        try:
            check(thing)
        except (Exception, pytest.fail.Exception) as error:
            failed.append(f"{name(thing)}: {str(error) or type(error).__name__}")
    assert count, "there is nothing to check"
    if failed:
        pytest.fail("\n\n".join([f"{len(failed)} of {count}", *failed]), pytrace=False)


def at_once(acts: Iterable[Callable[[], object]]) -> None:
    """Act in a thread each, and wait until all are done; fails where one hangs."""
    threads = [threading.Thread(target=act, daemon=True) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()
