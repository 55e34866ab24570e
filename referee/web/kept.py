"""Keep what was worked out of the record, each for one state of it; any process may keep its own."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

from flask import current_app

MOST_KEPT = 200
"""Things of one kind; when there are more, all are let go and worked out again."""

T = TypeVar("T")


def kept(kind: str, state: Hashable, make: Callable[[], T]) -> T:
    """Give what was made before for this state, or make it.

    `state` has to name everything that the thing depends on, read from the record in this very request.
    """
    things: dict[Hashable, T] = current_app.extensions.setdefault(kind, {})
    thing = things.get(state)
    if thing is None:
        if len(things) >= MOST_KEPT:
            things.clear()
        thing = things[state] = make()
    return thing
