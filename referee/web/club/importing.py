"""Import a club while its page follows: the answer is a line of JSON for each hundredth of it, and one at the end.

The import runs in a thread of its own, so that it ends as it should even when the phone goes away meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from queue import SimpleQueue
from threading import Thread
from typing import Any

from flask import Response, current_app

from referee.records.errors import Busy
from referee.records.transfer.document import ClubDocument
from referee.records.transfer.importing import import_club
from referee.rules.problem import Impossible, Problem
from referee.web.api.transfer_resource import Breaks
from referee.web.server.extensions import db
from referee.web.words import say

LINES = "application/x-ndjson"
STEPS = 100
"""Lines at most, besides the last."""


def import_with_progress(club_id: str, document: ClubDocument) -> Response:
    """Import a document that was read already; the last line has `said` where it went well, else `problems`."""
    app, engine = current_app._get_current_object(), db.engine  # type: ignore[attr-defined]
    told: SimpleQueue[dict[str, Any] | None] = SimpleQueue()
    matches = len(document.matches)
    done = 0

    def count() -> None:
        nonlocal done
        done += 1
        if done * STEPS // matches > (done - 1) * STEPS // matches:
            told.put({"done": done, "of": matches})

    def work() -> None:
        try:
            report = import_club(engine, club_id, document, done=count, pause=Breaks())
            told.put({"said": imported(report.matches, report.matches_known, report.matches_deleted)})
        except Impossible as error:
            told.put({"problems": [worded(problem) for problem in error.problems]})
        except Busy as error:
            told.put({"problems": [str(error)]})
        except Exception:
            app.logger.exception("An import failed.")
            told.put({"problems": [say("import.failed")]})
        finally:
            told.put(None)

    def lines() -> Iterator[str]:
        while (line := told.get()) is not None:
            yield json.dumps(line) + "\n"

    Thread(target=work, name="import").start()
    # a proxy that waits for the whole answer would show no progress
    return Response(lines(), content_type=LINES, headers={"X-Accel-Buffering": "no", "Cache-Control": "no-store"})


def imported(matches: int, known: int, deleted: int) -> list[str]:
    """Say how many matches were imported, and how many weren't: they are here already, or were deleted here."""
    said = [say("import.matches", n=matches)]
    if known:
        said.append(say("import.known", n=known))
    if deleted:
        said.append(say("import.deleted", n=deleted))
    return said


def worded(problem: Problem) -> str:
    """Say what is wrong, and where in the file."""
    in_form = problem.field in ("file", "table")
    return problem.message if in_form else say("import.at", where=problem.field.capitalize(), problem=problem.message)
