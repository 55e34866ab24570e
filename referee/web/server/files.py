"""Answers that are files to save."""

from collections.abc import Callable, Iterable, Iterator
from tempfile import SpooledTemporaryFile
from typing import TypeVar
from weakref import WeakKeyDictionary

from flask import Response, request
from sqlalchemy.orm import Session
from werkzeug.wsgi import wrap_file

from referee.records.models import DELETED_TOO, Club
from referee.web.server.database import db
from referee.web.server.long_work import Occupied

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
