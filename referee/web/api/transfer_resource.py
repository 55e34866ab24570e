"""Export and import: a whole club as JSON, rounds as CSV."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from flask import Response, current_app, request
from werkzeug.exceptions import UnsupportedMediaType

from referee.records.score_tables import club_rows, match_rows, to_csv
from referee.records.sheets import load_sheet
from referee.records.transfer.document import ClubDocument
from referee.records.transfer.exporting import export_club
from referee.records.transfer.importing import Report, import_club
from referee.web.api.endpoint import Answer, Resource
from referee.web.club.file import club_schema, read_club
from referee.web.server import guards, rate_limits
from referee.web.server.extensions import db
from referee.web.server.files import from_record, stream
from referee.web.words import say

resource = Resource("transfer")
STRETCH, LONGEST_BREAK = 0.005, 0.02
"""Seconds that an import computes before it yields, and the longest it then sleeps."""
_KINDS = ("application/json", "application/gzip", "application/octet-stream")


class ReportDocument(Answer):
    """How much was imported, and how much was already there and stays unchanged."""

    players: int
    players_known: int
    matches: int
    matches_known: int
    matches_deleted: int
    rounds: int
    rulings: int


@resource.endpoint("GET", "/export", access="reader")
def export() -> Response:
    """Export the club as one document, which `import` reads back."""
    club = guards.get_club()
    return stream(from_record(export_club, club), "application/json", f"referee-{club.id}.json")


@resource.endpoint("GET", "/export/schema", access="anyone")
def export_form() -> Mapping[str, Any]:
    """Describe the format of that document (JSON Schema)."""
    return club_schema()


@resource.endpoint("POST", "/import", access="scorekeeper", answer=ReportDocument, problems=(400, 415, 422))
def import_document() -> Mapping[str, Any]:
    """Import such a document into an empty club, or into the club it came from; all or nothing."""
    if request.mimetype not in _KINDS:
        raise UnsupportedMediaType(say("body.kinds"))
    return asdict(take_in(request.get_data(cache=False)))


@resource.endpoint("GET", "/matches/<match_id>.csv", access="reader")
def match_table(match_id: str) -> Response:
    """Return the rounds of a match as CSV, players side by side."""
    match = guards.get_match(match_id)
    rows = match_rows(load_sheet(guards.records(), match))
    return stream(to_csv(rows), "text/csv", f"match-{match.id}.csv")


@resource.endpoint("GET", "/rounds.csv", access="reader")
def club_table() -> Response:
    """Return all rounds of the club as CSV, one line for each player and round."""
    club = guards.get_club()
    return stream(to_csv(from_record(club_rows, club)), "text/csv", f"rounds-{club.id}.csv")


def take_in(data: bytes) -> Report:
    """Import a document into the club of this request. Raises 400, 413, `Impossible`, `Busy`."""
    club_id, document = read_in(data)
    return import_club(db.engine, club_id, document, pause=Breaks())


def read_in(data: bytes) -> tuple[str, ClubDocument]:
    """Read a document that is to be imported into the club of this request; give its id too. Raises 400, 413, 429."""
    club_id = guards.get_club(write=True).id
    rate_limits.count_import()
    return club_id, read_club(data, current_app.config["MAX_IMPORT_LENGTH"], pause=Breaks())


class Breaks:
    """Yield to other requests half of the time: a computing thread holds the interpreter's lock.

    Call it often; after each `STRETCH` seconds of work it sleeps as long as it has worked.
    """

    def __init__(self) -> None:
        self._since = time.perf_counter()

    def __call__(self) -> None:
        worked = time.perf_counter() - self._since
        if worked > STRETCH:
            time.sleep(min(worked, LONGEST_BREAK))
            self._since = time.perf_counter()
