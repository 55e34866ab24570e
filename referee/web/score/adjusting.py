"""A correction of a total that the table agrees on: it belongs to the last round, with its reason, on record."""

from __future__ import annotations

from dataclasses import replace

from werkzeug.wrappers import Response

from referee.records.models import Key
from referee.records.round_views import round_history
from referee.records.rounds import draft_correction, last_round, write_draft
from referee.records.seating import load_seating
from referee.rules.problem import Impossible, Problem
from referee.rules.round_entry import Adjustment, RoundEntry, check_adjustment
from referee.web.forms.match import AdjustForm
from referee.web.score.menu import change_match, open_match
from referee.web.score.room import blueprint
from referee.web.score.versions import bring_back_address
from referee.web.server import guards
from referee.web.words import say


@blueprint.post("/matches/<match_id>/adjust")
def adjust(match_id: str) -> Response | tuple[str, int]:
    """Add points to somebody's total or take them away; 401, 403, 404, 412, 422."""
    match, form = open_match(match_id), AdjustForm()

    def change(key: Key) -> str:
        session = guards.records()
        seating = load_seating(session, match)
        played = last_round(session, match)
        if played is None:
            raise Impossible([Problem("points", say("match.adjust-first"))])
        seat = next((seat for seat in seating.at(played.place) if seat.player_id == form.seat.data), None)
        if seat is None:
            raise Impossible([Problem("seat", say("hand.unknown-player"))])
        sign = -1 if form.way.data == "take" else 1
        points = None if form.points.number is None else sign * form.points.number
        entry = RoundEntry.from_document(round_history(session, match, played, seating)[-1].stored)
        both = _together(entry, check_adjustment(seat.seat, points, form.reason.data, ()))
        write_draft(session, draft_correction(session, match, played, both, key, seating=seating))
        return bring_back_address(match, played, played.version - 1)

    return change_match(match, form, "adjust", change, say("match.adjusted"))


def _together(entry: RoundEntry, more: Adjustment) -> RoundEntry:
    """Add a correction to those of a round, which has one for each player."""
    old = next((each for each in entry.adjustments if each.seat == more.seat), None)
    others = tuple(each for each in entry.adjustments if each.seat != more.seat)
    if old is not None:
        reason = f"{old.reason}; {more.reason}"
        if old.points + more.points == 0:
            return replace(entry, adjustments=others)
        more = check_adjustment(more.seat, old.points + more.points, reason, ())
    return replace(entry, adjustments=(*others, more))
