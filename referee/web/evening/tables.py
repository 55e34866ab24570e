"""The phones of an evening's tables: their printed codes, the way to the match that is at a table now, the call.

A phone that scans the code of its table keeps the score there, whichever match is drawn to it, until the evening ends;
what it may do stands in `referee.web.server.guards`.
"""

from flask import Blueprint, current_app, render_template, request, url_for
from markupsafe import Markup
from werkzeug.wrappers import Response

from referee.records.club import access, links
from referee.records.errors import Gone, NotFound
from referee.records.evening import evenings
from referee.records.evening.draw import sizes
from referee.records.evening.evenings import EveningPlan
from referee.records.ids import token_in_words
from referee.records.match import matches
from referee.records.models import Evening, EveningStatus, Key, KeyRole, Match, MatchStatus
from referee.web.page import layout
from referee.web.page.match_wording import evening_title
from referee.web.server import guards
from referee.web.server.database import save
from referee.web.server.headers import unless_cached
from referee.web.sharing.wording import qr_code
from referee.web.words import say

blueprint = Blueprint("tables", __name__)

MOST_SHEETS = 50
"""Sheets printed at once; more tables than 200 people need at fours."""


@blueprint.get("/evenings/<evening_id>/sheets")
def sheets(evening_id: str) -> str:
    """Show a sheet with a code for each table, to be printed; 401, 403, 404."""
    evening = guards.get_evening(evening_id, write=True)
    tokens = links.find_tables(guards.records(), evening, current_app.config["SECRET_KEY"])
    return render_template(
        "evening/sheets.html",
        evening=evening,
        title=evening_title(evening),
        over=evening.status == EveningStatus.ENDED,
        missing=[table for table in _tables(evening) if table not in tokens],
        sheets=[(table, *_sheet(token)) for table, token in sorted(tokens.items())],
    )


@blueprint.post("/evenings/<evening_id>/sheets")
def make_sheets(evening_id: str) -> Response:
    """Make the codes that are missing, and with ``anew`` others for all tables; 401, 403, 404, 422."""

    def make() -> None:
        session, evening = guards.records(), guards.get_evening(evening_id, write=True)
        if "anew" in request.form:
            links.close_tables(session, evening)
        club, secret = guards.get_club(), current_app.config["SECRET_KEY"]
        evenings.open_table_links(session, club, evening, _tables(evening), secret, guards.get_key())

    save(make)
    return layout.go(url_for("tables.sheets", evening_id=evening_id))


def _tables(evening: Evening) -> range:
    """Return the numbers of the tables of the last draw, or of as many as those who are here need."""
    session, plan = guards.records(), EveningPlan.from_document(evening.plan)
    drawn = len(evenings.load_tables(session, evening, evenings.count_draws(session, evening)))
    here = sum(person.here for person in evenings.load_people(session, evening))
    return range(1, min(MOST_SHEETS, max(drawn, len(sizes(here, plan.size)))) + 1)


def _sheet(token: str) -> tuple[str, Markup]:
    """Return the address of a table without its scheme, in groups that can be typed, and its code."""
    address = url_for("tables.scan", evening_token=token, _external=True)
    typed = url_for("tables.scan", evening_token=token_in_words(token).replace(" ", "-"), _external=True)
    return typed.partition("://")[2], qr_code(address)


@blueprint.get("/table/<evening_token>")
def scan(evening_token: str) -> str | Response:
    """Ask the phone that scanned a table's code whether it keeps the score there; 404, 410."""
    key = _key_of(evening_token)
    caller = guards.presented()
    if caller is not None and caller[0].club_id == key.club_id:
        if caller[0].id == key.id:
            return layout.go(url_for("tables.mine"))
        if guards.may_write():
            return _as_scorekeeper(key)
    evening = evenings.get_evening(guards.records(), key.club_id, key.evening_id or "")
    return render_template(
        "evening/scan.html", tabs=(), table=key.table, title=evening_title(evening), token=evening_token
    )


@blueprint.post("/table/<evening_token>")
def take(evening_token: str) -> Response:
    """Let this phone keep the score of the table; 404, 410."""
    key = _key_of(evening_token)
    if guards.may_write() and guards.get_key().club_id == key.club_id:
        return _as_scorekeeper(key)
    if guards.table_key() is not None:
        guards.drop_token()  # it leaves its old table: after the evening's end it can be late at one only
    guards.keep_token(evening_token)
    return layout.go(url_for("tables.mine"))


def _as_scorekeeper(key: Key) -> Response:
    """Lead a phone that may do more than that of a table, and goes on as it is, to the match there or to the floor."""
    match = _match_at(key)
    if match is not None and match.status == MatchStatus.IN_PROGRESS:
        return layout.go(url_for("score.sheet", match_id=match.id))
    return layout.go(url_for("evening.floor", evening_id=key.evening_id))


@blueprint.get("/table")
def mine() -> str | Response:
    """Lead a table's phone to the match that is there now, or let it wait for the draw; 410 for any other phone."""
    key = _own_key()
    match = _match_at(key)
    if match is not None and match.status == MatchStatus.IN_PROGRESS:
        return layout.go(url_for("score.sheet", match_id=match.id))
    evening = evenings.get_evening(guards.records(), key.club_id, key.evening_id or "")
    title, state = evening_title(evening), _state(match)
    return render_template("evening/table.html", tabs=(), table=key.table, title=title, match=match, state=state)


@blueprint.get("/table/now")
def mine_now() -> Response:
    """Tell a phone that waits whether there is something new at its table; 304 when there is not, 410."""
    return unless_cached(_state(_match_at(_own_key())), lambda: "")


def _own_key() -> Key:
    key = guards.table_key()
    if key is None:
        guards.refuse_deleted()
        raise Gone(say("evening-table.none"))
    return key


def _match_at(key: Key) -> Match | None:
    return matches.get_match(guards.records(), key.club_id, key.match_id) if key.match_id else None


def _state(match: Match | None) -> str:
    return "none" if match is None else f"{match.id}-{match.status}"


def _key_of(token: str) -> Key:
    """Return the key of a table's link; raise `NotFound`, `Gone` once it is over, and 429 for those who guess."""
    row = access.find_key(guards.records(), token)
    if row is not None and row[0].role == KeyRole.TABLE:
        return row[0]
    if access.was_of_table(guards.records(), token):
        raise Gone(say("evening-table.over"))
    guards.count_unknown(token)
    raise NotFound("table")


@blueprint.post("/matches/<match_id>/referee")
def call(match_id: str) -> Response:
    """Say that the table of this match waits for a referee, or with ``done`` that it does no more; 401, 403, 404."""
    wanted = "done" not in request.form

    def note() -> None:
        session, match = guards.records(), guards.get_match(match_id, write=True, at_table=True)
        place = evenings.find_place(session, match)
        if place is None or not place.is_now:
            raise NotFound("table")
        evening = evenings.get_evening(session, match.club_id, place.evening_id, lock=True)
        evenings.call_referee(session, evening, place.table, wanted=wanted)

    save(note)
    layout.announce(say("evening-table.called" if wanted else "evening-table.not-called"))
    return layout.go(url_for("score.sheet", match_id=match_id))
