"""The blueprint of the public pages: who finds them, how they are answered, and what is said where one is off."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from flask import Blueprint, Response, current_app, render_template, request, url_for
from werkzeug.exceptions import TooManyRequests

from referee import __version__
from referee.records import links, matches
from referee.records.cache import Cache
from referee.records.deletion.waiting import refuse_deleted_with
from referee.records.errors import Deleted, Gone, NotFound
from referee.records.models import Club, Match
from referee.records.transfer.taking_back import reopen
from referee.rules.problem import Impossible
from referee.web.page.layout import theme_colors
from referee.web.server import guards, local_time, rate_limits
from referee.web.server.errors import answer, wants_json
from referee.web.server.extensions import db
from referee.web.server.polls import PRIVATE
from referee.web.sharing.ways import Ways
from referee.web.words import CATALOGUE, say

blueprint = Blueprint("public", __name__, url_prefix="/public/<public_token>")
FRESH = 60
"""Seconds that an embedded picture may be out of date, or outlive its page."""


@dataclass(frozen=True)
class Picture:
    """A drawn picture, and when it was drawn."""

    data: bytes
    at: datetime


PICTURES: Cache[Picture] = Cache("public pictures", 1_000_000)
"""By the state of what they show."""


@dataclass(frozen=True)
class Visit:
    """What the address of this request opens."""

    token: str
    club: Club
    match: Match | None
    """the only match that is shown; None where all of the club are"""

    def find_match(self, match_id: str) -> Match:
        """Give a match that the page shows; raises `NotFound`."""
        if self.match is not None and self.match.id != match_id:
            raise NotFound("match")
        return self.match or matches.get_match(guards.records(), self.club.id, match_id)


def opened(token: str, *, whole_club: bool = False) -> Visit:
    """Find what an address shows, all of a club if `whole_club`; raises `NotFound`, `Gone` and 429."""
    session = guards.records()
    try:
        page = links.open_page(session, token)
    except NotFound:
        refuse_deleted_with(session, token)
        rate_limits.count_wrong_key()
        raise
    rate_limits.count_public()
    if page.club.import_id is not None:
        club_id, import_id = page.club.id, page.club.import_id
        session.rollback()
        reopen(db.engine, club_id, import_id)
        page = links.open_page(session, token)
    if page.match_id is not None and whole_club:
        raise NotFound("public page")
    match = matches.get_match(session, page.club.id, page.match_id) if page.match_id else None
    return Visit(token, page.club, match)


def answered(state: tuple[object, ...], draw: Callable[[], str]) -> Response:
    """Answer with a page, or with 304 to whoever has it; `state` names all it depends on but the program."""
    style: str = current_app.jinja_env.globals["static"]("css/public.css")  # type: ignore[operator]
    etag = _etag("page", style, request.full_path, str(local_time.zone()), *state)
    seen = request.if_none_match.contains_weak(etag)
    response = Response(status=304) if seen else Response(draw(), mimetype="text/html")
    response.set_etag(etag)
    response.headers.update(PRIVATE)
    return response


def pictured(state: tuple[object, ...], draw: Callable[[], bytes]) -> Response:
    """Answer with a picture that any site may show, drawn once for each state; 304 to whoever has it."""
    etag = _etag("picture", *state)  # the same wherever it is looked at
    if request.if_none_match.contains_weak(etag):
        response = Response(status=304)
    else:
        found = PICTURES.get(etag, lambda: Picture(draw(), datetime.now(UTC)))
        response = Response(found.data, mimetype="image/png")
        response.last_modified = found.at
    response.set_etag(etag)
    response.headers.update(PRIVATE)
    response.headers["Cache-Control"] = f"public, max-age={FRESH}"
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


def _etag(*state: object) -> str:
    said = repr((__version__, request.url_root, *state))
    return hashlib.sha256(said.encode()).hexdigest()[:32]


def draw(template: str, opened: Visit, ways: Ways | None = None, **more: object) -> str:
    """Draw a page: no session, no messages, no tabs, in the light that the phone says."""
    return render_template(template, opened=opened, ways=ways, theme_colors=theme_colors("auto"), **more)


def whole_address(opened: Visit) -> str:
    """Give the address that people pass on."""
    return url_for("public.front", public_token=opened.token, _external=True)


def _shut(status: int, detail: str, retry: str = "") -> Response:
    """Say that there is nothing here, without a page that would keep something in the browser."""
    if wants_json():
        response = answer(status, detail)
    else:
        title = CATALOGUE.sentences[f"failure-title.{status}"]
        page = render_template("public/shut.html", title=title, detail=detail, theme_colors=theme_colors("auto"))
        response = Response(page, status, mimetype="text/html")
    response.headers.update(PRIVATE)
    response.cache_control.no_store = True
    if retry:
        response.headers["Retry-After"] = retry
    return response


@blueprint.errorhandler(NotFound)
def nowhere(error: NotFound) -> Response:
    """Answer for an address that opens nothing."""
    return _shut(404, str(error))


@blueprint.errorhandler(Impossible)
def impossible(error: Impossible) -> Response:
    """Answer for a filter that cannot be."""
    return _shut(404, error.problems[0].message)


@blueprint.errorhandler(Gone)
def off(error: Gone) -> Response:
    """Answer for a page that was taken back."""
    return _shut(410, say("public-page.deleted") if isinstance(error, Deleted) else str(error))


@blueprint.errorhandler(TooManyRequests)
def too_often(error: TooManyRequests) -> Response:
    """Answer whoever looks too often."""
    return _shut(429, say("failure.429"), str(error.retry_after))
