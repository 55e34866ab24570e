"""How a request writes: worked out while everybody else goes on, then written in a short transaction."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import TypeVar

from referee.records.errors import Conflict, Moved
from referee.web.database import looking
from referee.web.extensions import db

TRIES = 4
"""Times that something is worked out without holding anybody up; after that the lock is taken first."""

T = TypeVar("T")


def written(draft: Callable[[bool], T], write: Callable[[T], object]) -> T:
    """Work something out, then write and commit it; gives what was worked out.

    `draft` only reads, and is told whether it has to lock what it reads; `write` raises `Moved` when that has changed
    since, and everything begins anew. Whatever else either raises is raised, and then nothing was written.
    """
    session = db.session()
    for attempt in range(TRIES + 1):
        lock = attempt == TRIES
        try:
            with nullcontext() if lock else looking():
                drafted = draft(lock)
            write(drafted)
            session.commit()
            return drafted
        except Moved:
            session.rollback()
        except BaseException:
            session.rollback()
            raise
    raise Conflict("Too many phones save at this moment. Try again.")
