"""Bound long work: imports, exports, statistics of large clubs, pictures and purges.

One piece of it runs at a time, and one request more may wait for its turn, so that half of the usual four threads stay
free for tables. Whoever comes third is answered 503 and asks again. Each process bounds its own: several of them share
no threads and no interpreter, and PostgreSQL or SQLite's lock orders what they write.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, Lock

from flask import current_app
from sqlalchemy import func, select

from referee.records.models import Round
from referee.web.server.database import db

LARGE = 2_000
"""Rounds from which a club takes long: exporting fewer takes a tenth of a second, and nobody is ever refused it."""
PATIENCE = 2.0
"""Seconds that a request waits for its turn."""
RETRY_AFTER = 3
"""Seconds after which the next try is likely to succeed."""

# Python computes in one thread at a time: four imports side by side take four times as long, and so does every tap
# beside them. One by one they end as early, on average earlier, and a tap waits for one of them at most.
_places = BoundedSemaphore(2)
_turn = Lock()


class Occupied(Exception):
    """Raised when other long work is running; the client may send the same request again."""


def begin() -> None:
    """Wait for the lock of long work; raises `Occupied`. The caller then calls `end`, from any thread."""
    if not _places.acquire(blocking=False):
        raise Occupied
    patience = PATIENCE if current_app.config["THREADS"] >= 4 else 0.0  # of three threads none is left to wait
    if not _turn.acquire(timeout=patience):
        _places.release()
        raise Occupied


def end() -> None:
    """Release the lock of long work."""
    _turn.release()
    _places.release()


@contextmanager
def long_work() -> Iterator[None]:
    """Hold the lock of long work for the block; raises `Occupied`."""
    begin()
    try:
        yield
    finally:
        end()


@contextmanager
def reading_all_of(club_id: str) -> Iterator[None]:
    """Hold the lock of long work while reading all of a club, if it has many rounds; raises `Occupied`."""
    some = select(Round.id).where(Round.club_id == club_id).limit(LARGE)
    if (db.session.scalar(select(func.count()).select_from(some.subquery())) or 0) < LARGE:
        yield
        return
    with long_work():
        yield


@contextmanager
def hold_lock_in_background() -> Iterator[None]:
    """Hold the lock of long work in a background thread, which waits for it as long as it takes."""
    with _turn:
        yield
