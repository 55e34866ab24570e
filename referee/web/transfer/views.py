"""Import and export: a club's file, its rounds as CSV, and scores from paper."""

import json
from collections.abc import Iterator, Sequence
from contextvars import copy_context
from queue import SimpleQueue
from threading import Thread
from typing import Any

from flask import Blueprint, current_app, jsonify, render_template, request, url_for
from sqlalchemy.orm import Session
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from referee.records.errors import Busy
from referee.records.match.sheets import club_rows, load_sheet, match_rows, to_csv
from referee.records.models import Club, Player
from referee.records.transfer.document import ClubDocument
from referee.records.transfer.exporting import export_club, player_part
from referee.records.transfer.importing import Plan, Report, import_club
from referee.records.transfer.of_player import export_player
from referee.records.transfer.paper import Paper, decode_table, import_paper, plan_paper, read_paper
from referee.rules.books.library import rulebooks
from referee.rules.text.problem import Impossible, Problem
from referee.web.page import layout
from referee.web.page.rulebooks import available
from referee.web.server import guards, local_time
from referee.web.server.database import db
from referee.web.server.long_work import BYTE_ORDER_MARK, begin, end, long_work, read_snapshot, reading_all_of, save_as
from referee.web.transfer.forms import Pauses, read_upload
from referee.web.words import say

blueprint = Blueprint("transfer", __name__)

LINES = "application/x-ndjson"
STEPS = 100
"""Lines that tell how far an import has come, at most."""
MOST_NAMED = 5
"""Refused matches that are named on a page; the cookie that carries the sentences there holds no more."""
LONGEST_TABLE = 400_000
"""Bytes of scores from paper."""
EXAMPLE = "date,Ada,Bo,Cy\n2019-12-24,0,35,77\n2019-12-24,112,0,0"


@blueprint.get("/club/records")
def records() -> str:
    """Show what can be imported and exported; 401, 403."""
    return _page()


@blueprint.get("/club/records/club.json")
def club_file() -> Response:
    """Return the whole club as one file; 401, 403, and 503 beside other long work."""
    return export_file(guards.get_club())


@blueprint.get("/club/records/rounds.csv")
def rounds_table() -> Response:
    """Return all rounds for a spreadsheet; 401, 403."""
    club = guards.get_club()
    with reading_all_of(club.id):
        return save_as(say("spreadsheet.rounds"), "text/csv", to_csv(read_snapshot(club_rows, club)), BYTE_ORDER_MARK)


@blueprint.get("/matches/<match_id>/rounds.csv")
def match_table(match_id: str) -> Response:
    """Return the rounds of a match for a spreadsheet; 401, 403, 404."""
    sheet = load_sheet(guards.records(), guards.get_match(match_id))
    return save_as(say("spreadsheet.match"), "text/csv", to_csv(match_rows(sheet)), BYTE_ORDER_MARK)


@blueprint.post("/club/records/import")
def import_file() -> Response | tuple[str, int]:
    """Import a club's file; 400, 401, 403, 413, 422, and then nothing is imported.

    A page that accepts lines of JSON is sent how far it has come.
    """
    follows = LINES in request.accept_mimetypes.values()
    guards.get_club(write=True)
    file = request.files.get("file")
    data = file.read() if file else b""
    try:
        if not data:
            raise Impossible([Problem("file", say("import.no-file"))])
        if follows:
            return _import_with_progress(data)
        with long_work():
            report = import_club(db.engine, *read_upload(data), pause=Pauses())
    except Impossible as error:
        return _refused(error.problems, 422, follows)
    except HTTPException as error:
        if error.code not in (400, 413):
            raise
        return _refused([Problem("file", error.description or "")], error.code, follows)
    for sentence in sentences_of(report):
        layout.announce(sentence)
    return layout.go(url_for("transfer.records"))


def _import_with_progress(data: bytes) -> Response:
    """Import a file, streaming a line of JSON for each hundredth, and one with `said` or `problems` at the end.

    The import runs in a thread, so that it ends as it should even if the phone goes away meanwhile. The turn is that
    thread's, since it may outlive the request; raises `Occupied`.
    """
    begin()
    try:
        club_id, document = read_upload(data)
        return _import_in_thread(club_id, document)
    except BaseException:
        end()
        raise


def _import_in_thread(club_id: str, document: ClubDocument) -> Response:
    app, engine = current_app._get_current_object(), db.engine  # type: ignore[attr-defined]
    lines: SimpleQueue[dict[str, Any] | None] = SimpleQueue()
    matches = len(document.matches)
    done = 0

    def count() -> None:
        nonlocal done
        done += 1
        if done * STEPS // matches > (done - 1) * STEPS // matches:
            lines.put({"done": done, "of": matches})

    def work() -> None:
        try:
            report = import_club(engine, club_id, document, done=count, pause=Pauses())
            lines.put({"said": sentences_of(report)})
        except Impossible as error:
            lines.put({"problems": [problem_in_file(problem) for problem in error.problems]})
        except Busy as error:
            lines.put({"problems": [str(error)]})
        except Exception:
            app.logger.exception("An import failed.")
            lines.put({"problems": [say("import.failed")]})
        finally:
            end()
            lines.put(None)

    def streamed() -> Iterator[str]:
        while (line := lines.get()) is not None:
            yield json.dumps(line) + "\n"

    Thread(target=copy_context().run, args=(work,), name="import").start()  # it speaks the reader's language
    # a proxy that waits for the whole answer would show no progress
    return Response(streamed(), content_type=LINES, headers={"X-Accel-Buffering": "no", "Cache-Control": "no-store"})


def _refused(problems: Sequence[Problem], status: int, follows: bool) -> Response | tuple[str, int]:
    if not follows:
        return _page(problems=problems), status
    answer: Response = jsonify(problems=[problem_in_file(problem) for problem in problems])
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
        with long_work():
            if request.form.get("step") == "save":
                planned = import_paper(db.engine, club_id, read, rulebook, by)
            else:  # planned whole, so that the preview promises only what will be imported
                planned = plan_paper(guards.records(), club_id, read, rulebook, by)
        if request.form.get("step") != "save":
            return _page(table=text, rulebook=rulebook, read=read, planned=planned)
    except Impossible as error:
        return _page(problems=error.problems, table=text, rulebook=rulebook, read=read), 422
    for sentence in imported(len(planned.matches), planned.known, planned.deleted):
        layout.announce(sentence)
    return layout.go(url_for("transfer.records"))


def _table() -> str:
    """Return the table that was typed, or the one in the chosen file."""
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
    caller = guards.holder()
    shown = read.matches if read is not None and not problems else ()
    return render_template(
        "transfer/records.html",
        club=club,
        may_write=caller is not None and caller[0].role == "scorekeeper",
        problems=[{"id": "table" if table else "file", "message": problem_in_file(problem)} for problem in problems],
        table=table,
        example=EXAMPLE,
        rulebook=rulebook or next(iter(rulebooks())),
        choices=[(book.id, book.title) for book in available().values()],
        shown=shown[:200],
        more=max(0, len(shown) - 200),
        fresh=len(planned.matches) if planned else 0,
        known=planned.known if planned else 0,
        deleted=planned.deleted if planned else 0,
        written=local_time.written,
    )


def export_file(club: Club) -> Response:
    """Return a club as a file, which an import reads back."""
    with reading_all_of(club.id):
        return save_as(f"referee-{club.id}.json", "application/json", read_snapshot(export_club, club))


def player_file(player: Player) -> Response:
    """Return everything about a player as a file."""
    part = player_part(player)

    def read(session: Session, club: Club) -> Iterator[str]:
        return export_player(session, club, part)

    with reading_all_of(player.club_id):
        return save_as(f"player-{player.id}.json", "application/json", read_snapshot(read, guards.get_club()))


def imported(matches: int, known: int, deleted: int) -> list[str]:
    """Word how many matches were imported, and how many weren't: they are here already, or were deleted here."""
    sentences = [say("import.matches", n=matches)]
    if known:
        sentences.append(say("import.known", n=known))
    if deleted:
        sentences.append(say("import.deleted", n=deleted))
    return sentences


def sentences_of(report: Report) -> list[str]:
    """Word what came of an import: also which matches were refused, the first of them by name."""
    sentences = imported(report.matches, report.matches_known, report.matches_deleted)
    if report.matches_refused:
        sentences.append(say("import.refused", n=report.matches_refused))
    return sentences + [problem.message for problem in report.problems[:MOST_NAMED]]


def problem_in_file(problem: Problem) -> str:
    """Word what is wrong, and where in the file."""
    if problem.field in ("file", "table"):
        return problem.message
    line = problem.field.removeprefix("line ")
    if line != problem.field:
        return say("import.at-line", line=line, problem=problem.message)
    return say("import.at", where=problem.field.capitalize(), problem=problem.message)
