"""Answers that are files to save, sent while they are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from flask import Response
from sqlalchemy.orm import Session

from referee.records.models import Club
from referee.web.server.extensions import db

T = TypeVar("T")

AT_ONCE = 32_000
"""Bytes sent at once."""
SPREADSHEET = "\ufeff"
"""Tells a spreadsheet that a table is in UTF-8."""


def stream(pieces: Iterable[str], kind: str, name: str, mark: str = "") -> Response:
    """Stream an answer as a file to save; `mark` comes first."""

    def encoded() -> Iterator[bytes]:
        gathered = bytearray(mark.encode())
        for piece in pieces:
            gathered += piece.encode()
            if len(gathered) >= AT_ONCE:
                yield bytes(gathered)
                gathered.clear()
        yield bytes(gathered)

    response = Response(encoded(), content_type=f"{kind}; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["Cache-Control"] = "private, no-store"
    return response


def from_record(read: Callable[[Session, Club], Iterator[T]], club: Club) -> Iterator[T]:
    """Read a club in a session of its own, which lives as long as the answer and sees one snapshot."""
    engine, club_id = db.engine, club.id
    repeatable = {"isolation_level": "REPEATABLE READ"} if engine.dialect.name == "postgresql" else {}

    def pieces() -> Iterator[T]:
        with Session(engine) as session:
            session.connection(execution_options=repeatable)
            yield from read(session, session.get_one(Club, club_id))

    return pieces()
