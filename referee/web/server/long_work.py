"""Bound long work: imports, exports, statistics of large clubs, pictures and purges.

One piece of it runs at a time, and one request more may wait for its turn, so that half of the usual four threads stay
free for tables. Whoever comes third is answered 503 and asks again. Each process bounds its own: several of them share
no threads and no interpreter, and PostgreSQL or SQLite's lock orders what they write.

Answers that are files to save are here, too, and what is purged every hour beside the requests.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import SpooledTemporaryFile
from threading import BoundedSemaphore, Lock
from typing import TypeVar
from weakref import WeakKeyDictionary

from flask import Flask, Response, current_app, request
from sqlalchemy import Engine, bindparam, func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session
from werkzeug.wsgi import wrap_file

from referee.records.deletion import purging
from referee.records.models import DELETED_TOO, Club, Round
from referee.records.transactions import PAUSE, sweep_demos, writing
from referee.records.transfer.writing import finish_interrupted
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
turn = Lock()


class Occupied(Exception):
    """Raised when other long work is running; the client may send the same request again."""


def begin() -> None:
    """Wait for the lock of long work; raises `Occupied`. The caller then calls `end`, from any thread."""
    if not _places.acquire(blocking=False):
        raise Occupied
    patience = PATIENCE if current_app.config["THREADS"] >= 4 else 0.0  # of three threads none is left to wait
    if not turn.acquire(timeout=patience):
        _places.release()
        raise Occupied


def end() -> None:
    """Release the lock of long work."""
    turn.release()
    _places.release()


@contextmanager
def long_work() -> Iterator[None]:
    """Hold the lock of long work for the block; raises `Occupied`."""
    begin()
    try:
        yield
    finally:
        end()


_COUNTED = select(func.count()).select_from(
    select(Round.id).where(Round.club_id == bindparam("club_id")).limit(LARGE).subquery()
)


@contextmanager
def reading_all_of(club_id: str) -> Iterator[None]:
    """Hold the lock of long work while reading all of a club, if it has many rounds; raises `Occupied`."""
    if (db.session.scalar(_COUNTED, {"club_id": club_id}) or 0) < LARGE:
        yield
        return
    with long_work():
        yield


T = TypeVar("T")

IN_MEMORY = 1_000_000
"""Bytes of a file that is held in memory until it is sent; a larger one waits in a temporary file."""
MOST_WAITING = 500_000_000
"""Bytes of files on the disk that slow phones have yet to receive; with more, the next large file has to wait."""
_waiting: WeakKeyDictionary[SpooledTemporaryFile[bytes], int] = WeakKeyDictionary()
"""The files on the disk, with their lengths; the server drops each when it has been sent."""
BYTE_ORDER_MARK = "\ufeff"
"""By this, first in a file, a spreadsheet recognizes UTF-8."""


def save_as(name: str, kind: str, pieces: Iterable[str], mark: str = "") -> Response:
    """Return a response with a file to save; `mark` comes first in it.

    The file is written whole before any of it is sent. Sent piece by piece as it is written, it would hold the thread,
    the turn (`long_work`) and the database's snapshot for as long as the slowest phone takes to receive it. Raises
    `Occupied` for a file that needs the disk while files enough wait there; a small one is always sent.
    """
    file = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - the server closes it when it has been sent
    length = file.write(mark.encode())
    for piece in pieces:
        before, length = length, length + file.write(piece.encode())
        if before <= IN_MEMORY < length and sum(list(_waiting.values())) > MOST_WAITING:
            file.close()
            raise Occupied
    file.seek(0)
    response = Response(content_type=f"{kind}; charset=utf-8")
    if length > IN_MEMORY:
        _waiting[file] = length
        # the server sends the file by itself, which takes no thread
        response.response, response.direct_passthrough = wrap_file(request.environ, file), True
        response.content_length = length
    else:
        with file:
            response.set_data(file.read())
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["Cache-Control"] = "private, no-store"
    return response


def read_snapshot(read: Callable[[Session, Club], Iterator[T]], club: Club) -> Iterator[T]:
    """Read a club in a session of its own, which sees one snapshot of it from the first piece to the last."""
    engine, club_id = db.engine, club.id
    # each statement on PostgreSQL would see what was committed before it
    repeatable = {"isolation_level": "REPEATABLE READ"} if engine.dialect.name == "postgresql" else {}
    with Session(engine) as session:
        session.connection(execution_options=repeatable)
        yield from read(session, session.get_one(Club, club_id, execution_options=DELETED_TOO))


EVERY = 3600.0
"""Seconds between two looks."""
FIRST = 60.0
"""Seconds from the start to the first look: a process that is restarted every day looks too."""
SMALL = 20_000_000
"""Bytes of a database file that is written anew meanwhile, which takes a fifth of a second; a larger one waits for the
host's command."""


def init_app(app: Flask) -> None:
    """Start a purge in a thread, once an hour, after a request was answered."""
    looked = time.monotonic() - (0 if app.testing else EVERY - FIRST)  # a test's database may be gone by then

    def look(response: Response) -> Response:
        nonlocal looked
        if time.monotonic() - looked > EVERY:
            looked = time.monotonic()
            threading.Thread(target=_purge, args=(app, db.engine), daemon=True).start()
        return response

    app.after_request(look)


def _purge(app: Flask, engine: Engine) -> None:
    try:
        with turn:  # which a background thread waits for as long as it takes
            finish_interrupted(engine)
            swept = True
            while swept:
                with writing(engine) as session:
                    swept = bool(sweep_demos(session))
                time.sleep(PAUSE if swept else 0)
            gone = purging.purge(engine)
        if gone:
            app.logger.info("purged %s", gone)
            file = Path(engine.url.database or "")
            if engine.dialect.name == "sqlite" and file.is_file() and file.stat().st_size <= SMALL:
                purging.tidy(engine)
    except SQLAlchemyError as error:
        app.logger.warning("could not purge: %s", getattr(error, "orig", error))
