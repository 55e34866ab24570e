"""A club out of the app and back in: everything as JSON, rounds as CSV."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any, TypeVar

from flask import Response, current_app, request
from sqlalchemy.orm import Session
from werkzeug.exceptions import UnsupportedMediaType

from referee.records.models import Club
from referee.records.score_tables import club_rows, match_rows, to_csv
from referee.records.sheets import load_sheet
from referee.records.transfer.exporting import export_club
from referee.records.transfer.importing import Report, import_club
from referee.web.api.endpoint import Answer, Resource
from referee.web.club.file import club_schema, read_club
from referee.web.server import guards
from referee.web.server.extensions import db, limiter
from referee.web.words import say

T = TypeVar("T")
resource = Resource("transfer")
IMPORTS = "20 per hour"
AT_ONCE = 32_000
"""Bytes sent at once."""
STRETCH, LONGEST_BREAK = 0.005, 0.02
"""Seconds that an import computes before it lets others go first, and for how long it does at most."""
_KINDS = ("application/json", "application/gzip", "application/octet-stream")


class ReportDocument(Answer):
    """What came in, and what was here already and stayed as it was."""

    players: int
    players_known: int
    matches: int
    matches_known: int
    rounds: int
    rulings: int


@resource.endpoint("GET", "/export", access="reader")
def export() -> Response:
    """Give everything of the club as one document, that `import` takes back."""
    club = guards.get_club()
    return stream(from_record(export_club, club), "application/json", f"referee-{club.id}.json")


@resource.endpoint("GET", "/export/schema", access="anyone")
def export_form() -> Mapping[str, Any]:
    """Describe the form of that document (JSON Schema)."""
    return club_schema()


@resource.endpoint("POST", "/import", access="scorekeeper", answer=ReportDocument, problems=(400, 415, 422))
def import_document() -> Mapping[str, Any]:
    """Take such a document into an empty club, or into the one it came from; all or nothing."""
    if request.mimetype not in _KINDS:
        raise UnsupportedMediaType(say("body.kinds"))
    return asdict(take_in(request.get_data(cache=False)))


@resource.endpoint("GET", "/matches/<match_id>.csv", access="reader")
def match_table(match_id: str) -> Response:
    """Give the rounds of a match as CSV, players side by side."""
    match = guards.get_match(match_id)
    rows = match_rows(load_sheet(guards.records(), match))
    return stream(to_csv(rows), "text/csv", f"match-{match.id}.csv")


@resource.endpoint("GET", "/rounds.csv", access="reader")
def club_table() -> Response:
    """Give all rounds of the club as CSV, a line for each player and round."""
    club = guards.get_club()
    return stream(to_csv(from_record(club_rows, club)), "text/csv", f"rounds-{club.id}.csv")


def take_in(data: bytes) -> Report:
    """Read a document and bring it into the club of this request. Raises 400, 413, `Impossible`, `Busy`."""
    club_id = guards.get_club(write=True).id
    rest = Breaks()
    with limiter.limit(IMPORTS):
        guards.only_read()  # what is written has transactions of its own
        document = read_club(data, current_app.config["MAX_IMPORT_LENGTH"], rest=rest)
    return import_club(db.engine, club_id, document, rest=rest)


class Breaks:
    """Let other requests of this process go first, half of the time: a thread that computes leaves them none else.

    Called often it sleeps seldom: as long as it worked, after each `STRETCH` seconds.
    """

    def __init__(self) -> None:
        self._since = time.perf_counter()

    def __call__(self) -> None:
        worked = time.perf_counter() - self._since
        if worked > STRETCH:
            time.sleep(min(worked, LONGEST_BREAK))
            self._since = time.perf_counter()


def from_record(read: Callable[[Session, Club], Iterator[T]], club: Club) -> Iterator[T]:
    """Read a club in a session of its own, that lives as long as the answer and sees one state of the record."""
    engine, club_id = db.engine, club.id
    repeatable = {"isolation_level": "REPEATABLE READ"} if engine.dialect.name == "postgresql" else {}

    def pieces() -> Iterator[T]:
        with Session(engine) as session:
            session.connection(execution_options=repeatable)
            yield from read(session, session.get_one(Club, club_id))

    return pieces()


def stream(pieces: Iterable[str], kind: str, name: str, mark: str = "") -> Response:
    """Answer piece by piece, as a file to save; `mark` comes first."""

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
