"""Hold many things against one rule in one test, which names all that break it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest

T = TypeVar("T")


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
