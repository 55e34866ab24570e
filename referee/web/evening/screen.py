"""An evening for everyone who plays: on the television, and on each player's own phone.

The television shows by itself what is of use at the moment: who is here, who sits where and how it goes, how everyone
stands, the final and who won. A phone shows its holder's own table, once it has been told who that is.
"""

from datetime import datetime
from typing import Any

from flask import Blueprint, Response, current_app, make_response, render_template, request, session, url_for
from werkzeug.wrappers import Response as AnyResponse

from referee.records.club import access, links
from referee.records.deletion.waiting import refuse_deleted_with
from referee.records.errors import NotFound
from referee.records.evening.drawing import load_meetings
from referee.records.evening.evenings import Person, get_evening, load_people
from referee.records.evening.floor import Floor, load_floor, state_of_floor
from referee.records.evening.standing import EveningStanding, load_champions, load_standings
from referee.records.match.sheets import load_sheet
from referee.records.models import Club, DrawKind, Evening, EveningStatus, Key, KeyRole, MatchStatus, now
from referee.rules.text.problem import Impossible, Problem
from referee.rules.text.words import joined
from referee.web.evening import wording
from referee.web.page import layout
from referee.web.page.match_wording import evening_title
from referee.web.server import guards
from referee.web.server.database import save
from referee.web.server.headers import etag_of, unless_cached
from referee.web.server.polls import private
from referee.web.sharing.wording import board_view, qr_code
from referee.web.words import say

blueprint = Blueprint("screen", __name__)
blueprint.url_defaults(layout.keep_language)

SESSION_ME = "me"
"""The session's key for whose phone this is, by evening."""
REMEMBERED = 4
"""Evenings for which that is kept: this one and the newest others, since ids sort by time and so does a cookie."""
MOST_TABLES = 40
"""Tables on one screen: of more, names couldn't be read."""
MOST_LINES = 60
"""People in the standings of one screen."""


# -- the television -------------------------------------------------------------------------------------------------


@blueprint.get("/evenings/<evening_id>/screen")
def link(evening_id: str) -> str:
    """Show the link of the television, or how to make one; 401, 403, 404."""
    evening = guards.get_evening(evening_id, write=True)
    token = links.find_link(guards.records(), evening, KeyRole.BOARD, current_app.config["SECRET_KEY"])
    address = url_for("screen.show", screen_token=token, _external=True) if token else ""
    qr = qr_code(address) if address else ""
    return render_template(
        "evening/television.html", evening=evening, name=evening_title(evening), address=address, qr=qr
    )


@blueprint.post("/evenings/<evening_id>/screen")
def open_link(evening_id: str) -> AnyResponse:
    """Make the link of the television; 401, 403, 404."""

    def make() -> None:
        evening, secret = guards.get_evening(evening_id, write=True), current_app.config["SECRET_KEY"]
        links.open_screen(guards.records(), guards.get_club(), evening, secret, guards.get_key())

    save(make)
    return layout.go(url_for("screen.link", evening_id=evening_id))


@blueprint.post("/evenings/<evening_id>/screen/close")
def close_link(evening_id: str) -> AnyResponse:
    """Revoke that link at once; 401, 403, 404."""
    save(lambda: links.close_link(guards.records(), guards.get_evening(evening_id, write=True), KeyRole.BOARD))
    layout.announce(say("evening-screen.closed"))
    return layout.go(url_for("screen.link", evening_id=evening_id))


@blueprint.get("/screen/<screen_token>")
def show(screen_token: str) -> Response:
    """Show an evening on a television; 404 for a wrong or revoked link."""
    evening, _, club = _watched(screen_token)
    layout.speak_as_asked(club.language)
    page = render_template(
        "evening/screen.html",
        tabs=(),
        poll=url_for("screen.screen_now", screen_token=screen_token),
        state=etag_of(state_of_floor(guards.records(), evening)),
        qr=qr_code(url_for("screen.me", screen_token=screen_token, _external=True)),
        **_on_screen(evening),
    )
    return private(make_response(page))


@blueprint.get("/screen/<screen_token>/now")
def screen_now(screen_token: str) -> Response:
    """Return the same without the page around it; 304 when the television has it, 404."""
    evening, _, club = _watched(screen_token)
    layout.speak_as_asked(club.language)
    etag = etag_of(state_of_floor(guards.records(), evening))
    return private(unless_cached(etag, lambda: render_template("evening/_screen.html", **_on_screen(evening))))


def _watched(token: str) -> tuple[Evening, Key, Club]:
    """Return the evening that a television's link shows, with its key; raise `NotFound`, 429 for those who guess."""
    row = access.find_key(guards.records(), token)
    if row is None or row[0].role != KeyRole.BOARD or row[0].evening_id is None:
        refuse_deleted_with(guards.records(), token)
        guards.count_unknown(token)
        raise NotFound("screen")
    key, club = row
    if guards.reopened(club.id, club.import_id):
        return _watched(token)
    return get_evening(guards.records(), club.id, row[0].evening_id), key, club


def _on_screen(evening: Evening) -> dict[str, Any]:
    """Return what ``evening/_screen.html`` shows."""
    records = guards.records()
    floor = load_floor(records, evening)
    lines = load_standings(records, evening, floor.people)
    phase = _phase(floor, lines)
    ends = [table.clock_ends for table in floor.waits_for if table.clock_ends is not None]
    board = None
    if phase == "final":
        board = board_view(load_sheet(records, floor.tables[0].match, last=1, rulings=False))
        board |= {"title": f"{evening_title(evening)} · {_figures(floor)[0]}", "named": True}
    return {
        "phase": phase,
        "title": evening_title(evening),
        "figures": _figures(floor),
        "floor": floor,
        "tables": floor.tables[:MOST_TABLES],
        "more_tables": max(0, len(floor.tables) - MOST_TABLES),
        "lines": lines[:MOST_LINES],
        "wording": wording,
        "more": max(0, len(lines) - MOST_LINES),
        "board": board,
        "champions": load_champions(records, evening, lines) if phase == "champion" else (),
        "now": _milliseconds(now()),
        "drawn": _milliseconds(floor.draws[-1].drawn_at) if floor.draws else 0,
        "ends": _milliseconds(max(ends)) if ends else 0,
    }


def _phase(floor: Floor, lines: list[EveningStanding]) -> str:
    """Return what a television shows of an evening at this moment."""
    if floor.evening.status == EveningStatus.ENDED:
        return "champion"
    if not floor.draws:
        return "people"
    ended = any(table.match.status == MatchStatus.FINISHED for table in floor.tables)
    if floor.draws[-1].kind == DrawKind.FINAL and ended:
        return "champion"
    if floor.waits_for:
        return "final" if _is_final(floor) else "tables"
    return "standings" if lines else "tables"


def _is_final(floor: Floor) -> bool:
    """Return whether only the best play, at one table."""
    return bool(floor.tables) and floor.draws[-1].kind != DrawKind.ROUND


def _figures(floor: Floor) -> list[str]:
    """Return in short how far an evening is."""
    if floor.evening.status == EveningStatus.ENDED:
        return [say("evening-screen.over")]
    *_, how_far = wording.figures_of(floor)
    return [how_far, *([say("evening-page.still-playing", n=len(floor.waits_for))] if floor.waits_for else [])]


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


# -- each player's own page -----------------------------------------------------------------------------------------


@blueprint.get("/evenings/<evening_id>/me")
@blueprint.get("/screen/<screen_token>/me")
def me(evening_id: str = "", screen_token: str = "") -> str:
    """Show this phone's holder where they sit, or ask who that is; 401, 403, 404.

    Any phone of the club may ask, that of a table, and whoever has scanned the code on the television.
    """
    evening, key = _visited(evening_id, screen_token)
    return render_template(
        "evening/me.html",
        title=evening_title(evening),
        floor=url_for("evening.floor", evening_id=evening.id) if key.opens_club else "",
        state=_my_state(evening),
        **_mine(evening, key, screen_token),
        **({} if guards.holder() else {"tabs": ()}),
    )


@blueprint.get("/evenings/<evening_id>/me/now")
@blueprint.get("/screen/<screen_token>/me/now")
def me_now(evening_id: str = "", screen_token: str = "") -> Response:
    """Return the same without the page around it; 304 when the phone has it, 401, 403, 404."""
    evening, key = _visited(evening_id, screen_token)
    return unless_cached(
        _my_state(evening), lambda: render_template("evening/_me.html", **_mine(evening, key, screen_token))
    )


@blueprint.post("/evenings/<evening_id>/me")
@blueprint.post("/screen/<screen_token>/me")
def say_who(evening_id: str = "", screen_token: str = "") -> AnyResponse:
    """Keep in this phone whose it is, or with no one chosen forget it; 401, 403, 404, 422."""
    evening, _ = _visited(evening_id, screen_token)
    chosen = request.form.get("player", "")
    if chosen and all(person.id != chosen for person in load_people(guards.records(), evening)):
        raise Impossible([Problem("player", say("evening-screen.unknown"))])
    others = [(id, whose) for id, whose in session.get(SESSION_ME, {}).items() if id != evening.id]
    session[SESSION_ME] = dict([*others, (evening.id, chosen)][-REMEMBERED:])
    session.permanent = True
    return layout.go(request.path)


def _visited(evening_id: str, screen_token: str) -> tuple[Evening, Key]:
    """Return the evening that a phone may look at, and by which key; 401, 403, 404."""
    if screen_token:
        return _watched(screen_token)[:2]
    caller = guards.presented()
    if caller is not None and caller[0].role == KeyRole.TABLE and caller[0].evening_id == evening_id:
        return get_evening(guards.records(), caller[1].id, evening_id), caller[0]
    return guards.get_evening(evening_id), guards.get_key()


def _my_state(evening: Evening) -> str:
    return etag_of(state_of_floor(guards.records(), evening), session.get(SESSION_ME, {}).get(evening.id))


def _mine(evening: Evening, key: Key, screen_token: str) -> dict[str, Any]:
    """Return what ``evening/_me.html`` shows: whose table is wanted, or who can be chosen."""
    floor = load_floor(guards.records(), evening)
    known = session.get(SESSION_ME, {}).get(evening.id)
    person = next((person for person in floor.people if person.id == known), None)
    return {
        "where": {"screen_token": screen_token} if screen_token else {"evening_id": evening.id},
        "people": floor.people,
        "wording": wording,
        "mine": _place_of(floor, person, key) if person else None,
    }


def _place_of(floor: Floor, person: Person, key: Key) -> dict[str, Any]:
    """Return where someone sits, how they stand and whom they have met."""
    records, evening = guards.records(), floor.evening
    lines = load_standings(records, evening, floor.people)
    over = evening.status == EveningStatus.ENDED
    seat = None if over else floor.seat_of(person.id)
    clockwise = list(seat.seats) if seat else []
    after_me = clockwise.index(person.id) + 1 if seat else 0
    names = {one.id: one.name for one in floor.people}
    meetings = load_meetings(records, evening).items()
    met = {
        names[id]: times for pair, times in meetings if person.id in pair for id in pair & names.keys() - {person.id}
    }
    opens = seat is not None and (key.opens_club or key.match_id == seat.match.id)
    return {
        "person": person,
        "drawn": _figures(floor)[0] if floor.draws else "",
        "final": joined(list(floor.tables[0].seats.values())) if _is_final(floor) else "",
        "over": over,
        "table": seat,
        "dealer": next(iter(seat.seats.values())) if seat and after_me != 1 else "",
        "others": [seat.seats[id] for id in clockwise[after_me:] + clockwise[: after_me - 1]] if seat else [],
        "address": url_for("score.sheet", match_id=seat.match.id) if seat and opens else "",
        "line": next((line for line in lines if line.player_id == person.id), None),
        "of": len(lines),
        "met": sorted(met.items()),
        "champions": load_champions(records, evening, lines) if over else (),
    }
