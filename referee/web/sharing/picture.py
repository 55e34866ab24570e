"""The picture of a match as an answer: drawn once for each state of its match, whoever asks."""

from __future__ import annotations

from flask import Response, request

from referee.records.cache import Cache
from referee.records.models import Match
from referee.records.sheets import load_sheet
from referee.records.statistics.decided import load_course
from referee.web.server import guards

PICTURES: Cache[bytes] = Cache("pictures", 1_000_000)
"""By the state of their match: the servers of messengers ask for the same one again and again."""


def picture_of(match: Match) -> Response:
    """Answer with a match as a picture; 304 when nothing changed."""
    state = f"card-{match.id}-{match.state}"
    if request.if_none_match.contains_weak(state):
        response = Response(status=304)
    else:
        response = Response(PICTURES.get((match.club_id, state), lambda: _drawn(match)), mimetype="image/png")
        response.headers["Content-Disposition"] = 'inline; filename="uno-result.png"'
    response.set_etag(state)
    response.headers["Cache-Control"] = "private, no-cache"
    return response


def _drawn(match: Match) -> bytes:
    from referee.web.sharing.result_card import draw_card  # with Pillow, which few starts need

    sheet = load_sheet(guards.records(), match, last=1, rulings=False)
    return draw_card(sheet, load_course(guards.records(), match, sheet.terms, sheet.seating))
