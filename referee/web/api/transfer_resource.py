"""Export and import: a whole club as JSON, rounds as CSV."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import request
from werkzeug.exceptions import UnsupportedMediaType
from werkzeug.wrappers import Response

from referee.records.score_tables import club_rows, match_rows, to_csv
from referee.records.sheets import load_sheet
from referee.records.transfer.importing import Report, import_club
from referee.web.api.endpoint import Answer, Resource
from referee.web.server import guards
from referee.web.server.extensions import db
from referee.web.server.files import read_snapshot, save_as
from referee.web.server.long_work import long_work, reading_all_of
from referee.web.transfer.forms import Pauses, club_schema, read_upload
from referee.web.transfer.views import export_file
from referee.web.words import say

resource = Resource("transfer")
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
    return export_file(guards.get_club())


@resource.endpoint("GET", "/export/schema", access="anyone")
def export_form() -> Mapping[str, Any]:
    """Describe the format of that document (JSON Schema)."""
    return club_schema()


@resource.endpoint("POST", "/import", access="scorekeeper", answer=ReportDocument, problems=(400, 415, 422))
def import_document() -> Report:
    """Import such a document into an empty club, or into the club it came from; all or nothing."""
    if request.mimetype not in _KINDS:
        raise UnsupportedMediaType(say("body.kinds"))
    with long_work():
        return import_club(db.engine, *read_upload(request.get_data(cache=False)), pause=Pauses())


@resource.endpoint("GET", "/matches/<match_id>.csv", access="reader")
def match_table(match_id: str) -> Response:
    """Return the rounds of a match as CSV, players side by side."""
    match = guards.get_match(match_id)
    rows = match_rows(load_sheet(guards.records(), match))
    return save_as(f"match-{match.id}.csv", "text/csv", to_csv(rows))


@resource.endpoint("GET", "/rounds.csv", access="reader")
def club_table() -> Response:
    """Return all rounds of the club as CSV, one line for each player and round."""
    club = guards.get_club()
    with reading_all_of(club.id):
        return save_as(f"rounds-{club.id}.csv", "text/csv", to_csv(read_snapshot(club_rows, club)))
