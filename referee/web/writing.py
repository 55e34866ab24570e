"""How a request writes: everything is worked out while others go on, and only the writing holds the lock.

SQLite has one lock for the whole database. A request that may write takes it with its first statement, since a
transaction that reads first and writes later would be refused, not delayed, if another wrote in between. `reading` and
`save` keep the lock short: first a transaction that only reads, then one that compares and writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TypeVar

from flask import Flask, Response, g, has_request_context, request

from referee.records.errors import Conflict, Moved
from referee.records.statistics.ratings import UNRATED, draft_ratings, write_ratings
from referee.web.server.extensions import db
from referee.web.words import say

TRIES = 4
"""Times that a draft is made without the lock; after that the lock is taken first."""
SAFE = ("GET", "HEAD", "OPTIONS")
"""Methods of requests that only read."""

T = TypeVar("T")


def takes_lock() -> bool:
    """Return whether a transaction that begins now may write."""
    return has_request_context() and request.method not in SAFE and not g.get("reading", False)


@contextmanager
def reading() -> Iterator[None]:
    """Only read meanwhile, in a transaction of its own; changes nothing where one is open already.

    Others may write after it, so whoever writes then has to compare what was read here.
    """
    session = db.session()
    if session.in_transaction() or not takes_lock():
        yield
        return
    g.reading = True
    try:
        yield
        assert not any((session.new, session.dirty, session.deleted)), "would be committed without the lock"
        session.commit()  # a rollback would expire everything that was read
    except BaseException:
        session.rollback()
        raise
    finally:
        g.reading = False


def save(draft: Callable[[], T], write: Callable[[T], object]) -> T:
    """Make a draft, then write and commit it; returns the draft.

    `draft` only reads; `write` raises `Moved` if what was read has changed since, and both are tried again. A
    `Conflict` of the draft is tried again once: the request that came first may have been this one, sent twice. A
    `write` without a statement takes no lock. Any other error is raised, and then nothing was written.
    """
    session = db.session()
    conflicts = 0
    for attempt in range(TRIES + 1):
        try:
            with reading() if attempt < TRIES else nullcontext():
                drafted = draft()
            write(drafted)
            session.commit()
            return drafted
        except Moved:
            session.rollback()
        except Conflict:
            session.rollback()
            conflicts += 1
            if conflicts == 2:
                raise
        except BaseException:
            session.rollback()
            raise
    raise Conflict(say("database.busy"))


def init_app(app: Flask) -> None:
    """Rate the matches that a request has changed before it is answered, while others write."""
    app.after_request(_rate)


def _rate(response: Response) -> Response:
    club_id = db.session().info.pop(UNRATED, None) if db.session.registry.has() else None
    if club_id is None or response.status_code >= 400:
        return response
    session = db.session()
    session.commit()
    while save(lambda: draft_ratings(session, club_id), lambda batch: write_ratings(session, batch)):
        pass
    return response
