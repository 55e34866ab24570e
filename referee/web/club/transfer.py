"""Import and export: a club's file, its rounds as CSV, and scores from paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask import Blueprint, jsonify, render_template, request, url_for
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from referee.records.score_tables import club_rows, match_rows, to_csv
from referee.records.sheets import load_sheet
from referee.records.transfer.importing import Plan
from referee.records.transfer.paper import Paper, decode_table, import_paper, plan_paper, read_paper
from referee.rules.library import rulebooks
from referee.rules.problem import Impossible, Problem
from referee.web.api.transfer_resource import read_in, take_in
from referee.web.club.importing import LINES, import_with_progress, imported, worded
from referee.web.page import layout
from referee.web.page.rulebooks import available
from referee.web.server import guards, local_time
from referee.web.server.extensions import db
from referee.web.server.files import SPREADSHEET, from_record, stream
from referee.web.words import say
from referee.web.writing import reading

blueprint = Blueprint("in_and_out", __name__)

LONGEST_TABLE = 400_000
EXAMPLE = "date,Ada,Bo,Cy\n2019-12-24,0,35,77\n2019-12-24,112,0,0"


@dataclass(frozen=True)
class PreviewedMatch:
    """One match of the preview."""

    day: str
    name: str
    rounds: int
    totals: Sequence[tuple[str, int]]


@blueprint.get("/club/records")
def records() -> str:
    """Show what can be imported and exported; 401, 403."""
    return _page()


@blueprint.get("/club/records/rounds.csv")
def rounds_table() -> Response:
    """Give all rounds for a spreadsheet; 401, 403."""
    club = guards.get_club()
    return stream(to_csv(from_record(club_rows, club)), "text/csv", "uno-rounds.csv", SPREADSHEET)


@blueprint.get("/matches/<match_id>/rounds.csv")
def match_table(match_id: str) -> Response:
    """Give the rounds of a match for a spreadsheet; 401, 403, 404."""
    sheet = load_sheet(guards.records(), guards.get_match(match_id))
    return stream(to_csv(match_rows(sheet)), "text/csv", "uno-match.csv", SPREADSHEET)


@blueprint.post("/club/records/import")
def import_club() -> Response | tuple[str, int]:
    """Import a club's file; 400, 401, 403, 413, 422, and then nothing is imported.

    Who accepts lines of JSON is told how far it has come.
    """
    follows = LINES in request.accept_mimetypes.values()
    guards.get_club(write=True)
    file = request.files.get("file")
    data = file.read() if file else b""
    try:
        if not data:
            raise Impossible([Problem("file", say("import.no-file"))])
        if follows:
            return import_with_progress(*read_in(data))
        report = take_in(data)
    except Impossible as error:
        return _refused(error.problems, 422, follows)
    except HTTPException as error:
        if error.code not in (400, 413):
            raise
        return _refused([Problem("file", error.description or "")], error.code, follows)
    _say_imported(report.matches, report.matches_known, report.matches_deleted)
    return layout.go(url_for("in_and_out.records"))


def _refused(problems: Sequence[Problem], status: int, follows: bool) -> Response | tuple[str, int]:
    if not follows:
        return _page(problems=problems), status
    answer: Response = jsonify(problems=[worded(problem) for problem in problems])
    answer.status_code = status
    return answer


@blueprint.post("/club/records/paper")
def paper() -> str | Response | tuple[str, int]:
    """Preview or import a table of paper scores; 401, 403, 422."""
    club_id, by = guards.get_club(write=True).id, guards.get_key(write=True).id
    rulebook = request.form.get("rulebook", "")
    try:
        text = _table()
    except Impossible as error:
        return _page(problems=error.problems, table=request.form.get("table", ""), rulebook=rulebook), 422
    read = read_paper(text)
    try:
        if request.form.get("step") != "save":
            # planned whole, so that the preview promises only what will be imported
            with reading():
                planned = plan_paper(guards.records(), club_id, read, rulebook, by)
            return _page(table=text, rulebook=rulebook, read=read, planned=planned)
        planned = import_paper(db.engine, club_id, read, rulebook, by)
    except Impossible as error:
        return _page(problems=error.problems, table=text, rulebook=rulebook, read=read), 422
    _say_imported(len(planned.matches), planned.known, planned.deleted)
    return layout.go(url_for("in_and_out.records"))


def _table() -> str:
    """Give the table that was typed, or the one in the chosen file."""
    file = request.files.get("file")
    if file and file.filename:
        data = file.read(LONGEST_TABLE + 1)
        if len(data) > LONGEST_TABLE:
            raise Impossible([Problem("file", say("import.large-table", most=LONGEST_TABLE))])
        return decode_table(data)
    text = request.form.get("table", "").replace("\r\n", "\n")
    if not text.strip():
        raise Impossible([Problem("table", say("import.no-table"))])
    return text


def _page(
    problems: Sequence[Problem] = (),
    table: str = "",
    rulebook: str = "",
    read: Paper | None = None,
    planned: Plan | None = None,
) -> str:
    club = guards.get_club()
    found = guards.holder()
    shown = [
        PreviewedMatch(f"{match.day.day} {match.day:%B %Y}", match.name, len(match.rounds), list(match.totals.items()))
        for match in (read.matches if read is not None and not problems else ())
    ]
    return render_template(
        "sharing/records.html",
        club=club,
        may_write=found is not None and found[0].role == "scorekeeper",
        problems=[{"id": "table" if table else "file", "message": worded(problem)} for problem in problems],
        table=table,
        example=EXAMPLE,
        rulebook=rulebook or next(iter(rulebooks())),
        choices=[(book.id, book.title) for book in available().values()],
        shown=shown[:200],
        more=max(0, len(shown) - 200),
        fresh=len(planned.matches) if planned else 0,
        known=planned.known if planned else 0,
        deleted=planned.deleted if planned else 0,
        day=local_time.day,
    )


def _say_imported(matches: int, known: int, deleted: int) -> None:
    for sentence in imported(matches, known, deleted):
        layout.say(sentence)
