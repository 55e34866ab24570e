"""Answer with a picture, drawn once for each state of what it shows."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime

from flask import Blueprint, Response, request

from referee import __version__
from referee.records.cache import Cache
from referee.records.models import Match
from referee.records.sheets import load_sheet
from referee.records.statistics.decided import load_course
from referee.rules.words import language
from referee.web.score.sheet import tonight
from referee.web.server import guards, local_time
from referee.web.server.long_work import long_work
from referee.web.server.polls import PRIVATE

blueprint = Blueprint("pictures", __name__)
FRESH = 60
"""Seconds for which an embedded picture may be out of date, or outlive its page."""


@dataclass(frozen=True)
class Picture:
    """A PNG, and when it was drawn."""

    data: bytes
    at: datetime


PICTURES: Cache[Picture] = Cache("pictures", 2_000_000)
"""Pictures by ETag: messengers ask for the same one again and again, and drawing takes a tenth of a second."""


@blueprint.get("/matches/<match_id>/result.png")
def result_card(match_id: str) -> Response:
    """Return the picture of a match; 304, 401, 403, 404."""
    match = guards.get_match(match_id)
    guards.speak_for_club()
    return match_picture(match)


def match_picture(match: Match, *, public: bool = False) -> Response:
    """Return the picture of a match, or 304; in `public` without the place, with its day in UTC."""

    def draw() -> bytes:
        from referee.web.pictures.cards import draw_card  # Pillow adds a third to a start, and few matches ask

        sheet = load_sheet(guards.records(), match, last=1, rulings=False)
        course = load_course(guards.records(), match, sheet.terms, sheet.seating)
        return draw_card(sheet, course, tonight=tonight(sheet), public=public)

    zone = "" if public else str(local_time.zone())
    response = picture(("match", match.club_id, match.id, match.state, public, zone), draw, public=public)
    if not public:
        response.headers["Content-Disposition"] = 'inline; filename="uno-result.png"'
    return response


def _drawn(draw: Callable[[], bytes], *, alone: bool) -> Picture:
    with long_work() if alone else nullcontext():
        return Picture(draw(), datetime.now(UTC))


def picture(state: tuple[object, ...], draw: Callable[[], bytes], *, public: bool, alone: bool = True) -> Response:
    """Return what `draw` draws as PNG, or 304 where the client has it.

    What takes long is drawn `alone`, one picture after the other; a page that shows several small ones asks for all.

    `state` holds everything the picture depends on but the program. In `public` any site may embed it, and its server
    may cache it for a minute.
    """
    etag = hashlib.sha256(repr((__version__, language().code, *state)).encode()).hexdigest()[:32]
    if request.if_none_match.contains_weak(etag):
        response = Response(status=304)
    else:
        found = PICTURES.get(etag, lambda: _drawn(draw, alone=alone))
        response = Response(found.data, mimetype="image/png")
        response.last_modified = found.at
    response.set_etag(etag)
    if public:
        response.headers.update(PRIVATE)
        response.headers["Cache-Control"] = f"public, max-age={FRESH}"
        response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    else:
        response.headers["Cache-Control"] = "private, no-cache"
    return response
