"""How a request writes: worked out while everybody else goes on, then written in a short transaction."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import TypeVar

from flask import Flask, Response

from referee.records.errors import Conflict, Moved
from referee.records.statistics.ratings import UNRATED, draft_ratings, write_ratings
from referee.web.server.database import looked
from referee.web.server.extensions import db
from referee.web.words import say

TRIES = 4
"""Times that something is worked out without holding anybody up; after that the lock is taken first."""

T = TypeVar("T")


def written(
    draft: Callable[[bool], T], write: Callable[[T], object], *, empty: Callable[[T], bool] = lambda _drafted: False
) -> T:
    """Work something out, then write and commit it; gives what was worked out.

    `draft` only reads, and is told whether it has to lock what it reads; `write` raises `Moved` when that has changed
    since, and everything begins anew. Whatever else either raises is raised, and then nothing was written. What is
    `empty` is not written, and takes no lock.
    """
    session = db.session()
    for attempt in range(TRIES + 1):
        lock = attempt == TRIES
        try:
            with nullcontext(_nothing) if lock else looked() as take_lock:
                drafted = draft(lock)
            if not empty(drafted):
                take_lock()
                write(drafted)
            session.commit()
            return drafted
        except Moved:
            session.rollback()
        except BaseException:
            session.rollback()
            raise
    raise Conflict(say("database.busy"))


def _nothing() -> None:
    """Do nothing: the lock is held already."""


def once(before: Callable[[], T | None], work: Callable[[], T]) -> T:
    """Give what came of the same request before, else what `work` gives; also where the first is crossed by its retry.

    `before` looks for the first, once more when another write came in by another way and `work` raised `Conflict`.
    """
    found = before()
    if found is not None:
        return found
    try:
        return work()
    except Conflict:
        found = before()
        if found is None:
            raise
        return found


def init_app(app: Flask) -> None:
    """Let ratings that a request has made void be worked out before it is answered, while others write."""
    app.after_request(_rate)


def _rate(response: Response) -> Response:
    club_id = db.session().info.pop(UNRATED, None) if db.session.registry.has() else None
    if club_id is None or response.status_code >= 400:
        return response
    session = db.session()
    session.commit()
    while written(lambda _lock: draft_ratings(session, club_id), lambda batch: write_ratings(session, batch)):
        pass
    return response
