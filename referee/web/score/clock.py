"""The clock of a match with a time limit."""

from __future__ import annotations

from werkzeug.wrappers import Response

from referee.records.clock import start_clock, stop_clock
from referee.rules.problem import Impossible, Problem
from referee.web.forms.match import ClockForm
from referee.web.page import layout
from referee.web.score.room import blueprint
from referee.web.score.sheet import answer_with_sheet
from referee.web.server import guards
from referee.web.server.extensions import db
from referee.web.words import say
from referee.web.writing import reading


@blueprint.post("/matches/<match_id>/clock")
def set_clock(match_id: str) -> Response:
    """Start the clock for so many minutes, or with 0 stop it; 401, 403, 404, 422."""
    match, form = guards.get_match(match_id, write=True), ClockForm()
    if not form.validate() or form.minutes.number is None:
        raise Impossible([Problem("minutes", say("match.clock-minutes"))])
    key = guards.get_key(write=True)
    if form.minutes.number == 0:
        stop_clock(guards.records(), match, key)
        said = say("match.clock-stopped")
    else:
        start_clock(guards.records(), match, form.minutes.number, key)
        said = say("match.clock-started", n=form.minutes.number)
    db.session.commit()
    layout.say(said)
    with reading():
        return answer_with_sheet(match)
