"""A player's side: sit down by the table's code, tap in the own hand, and watch the standings meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from flask import Response, current_app, render_template, request, session, url_for
from werkzeug.wrappers import Response as AnyResponse

from referee.records import access, links, open_rounds
from referee.records.deletion.waiting import refuse_deleted_with
from referee.records.errors import Gone, NotFound
from referee.records.models import Key, KeyRole, Match
from referee.records.seating import Seated
from referee.records.sheets import Sheet, load_sheet
from referee.rules.problem import Impossible, Problem
from referee.rules.round_entry import Hand
from referee.web.hands.room import blueprint, cards_line, conditional
from referee.web.page import layout
from referee.web.page.fields import read_hand
from referee.web.score.round_presenter import RoundFormView, SeatHand, new_round_view
from referee.web.server import guards, rate_limits
from referee.web.server.extensions import db
from referee.web.sharing.live import BoardView, board_view
from referee.web.words import say

SESSION_HAND = "hand"
"""Name in the session of the token by which this phone taps in one player's hands."""
LONGEST_HAND_TEXT = 1000


@blueprint.get("/hand/<table_token>")
def sit_down(table_token: str) -> str | AnyResponse:
    """Ask the phone that scanned the table's code whose it is; 404, 410."""
    _key, match = _table(table_token)
    mine = _mine()
    if mine is not None and mine[1].id == match.id and "again" not in request.args:
        return layout.go(url_for("hands.hand"))
    sheet = load_sheet(guards.records(), match, last=1, rulings=False)
    _, taken = links.find_table(guards.records(), match, current_app.config["SECRET_KEY"])
    seats = [(seat.seat, seat.name, seat.seat in taken) for seat in sheet.seating.here]
    return render_template("live/sit_down.html", tabs=(), seats=seats, table_token=table_token)


@blueprint.post("/hand/<table_token>")
def take_seat(table_token: str) -> AnyResponse:
    """Let the phone tap in the hands of one seat; 404, 410, 422."""
    table, match = _table(table_token)
    sheet = load_sheet(guards.records(), match, last=1)
    wanted = request.form.get("seat", "")
    seat = next((seat for seat in sheet.seating.here if str(seat.seat) == wanted), None)
    if seat is None:
        raise Impossible([Problem("seat", say("hand.tap-name"))])
    club = access.find_key(guards.records(), table_token)
    assert club is not None
    access.lock_club(guards.records(), club[1].id)
    name = say("hand.phone-name", name=seat.name[:20])
    token = links.take_seat(guards.records(), club[1], match, seat.seat, name, table)
    db.session.commit()
    session[SESSION_HAND] = token
    session.permanent = True
    return layout.go(url_for("hands.hand"))


@blueprint.get("/hand")
def hand() -> str:
    """Show the pad while a round is open, the standings while it is not; 401, 410."""
    key, match = _my_seat()
    view, state = _hand(key, match)
    return render_template("live/hand.html", tabs=(), view=view, state=state)


@blueprint.get("/hand/now")
def hand_now() -> Response:
    """Give the same without the page around it; 304 when nothing changed, 401, 410."""
    key, match = _my_seat()
    view, state = _hand(key, match)
    return conditional(state, lambda: render_template("live/_hand.html", view=view))


@blueprint.post("/hand")
def send_hand() -> AnyResponse | tuple[str, int]:
    """Take in the hand of this phone's player, or that they went out; 401, 410, 422."""
    key, match = _my_seat()
    sheet = load_sheet(guards.records(), match, last=1)
    _chair(sheet, key)
    try:
        _refuse_out(sheet, key)
        if "out" in request.form:
            open_rounds.say_out(guards.records(), match, key)
        else:
            open_rounds.enter_hand(guards.records(), match, sheet.terms, _read_form(sheet, key), key)
    except Impossible as error:
        db.session.rollback()
        problems = [{"field": "hand", "message": problem.message, "player": ""} for problem in error.problems]
        if layout.wants_fragments():
            return layout.fragments({}, problems=problems, status=422)
        view, state = _hand(*_my_seat(), problems=error.problems, editing=True)
        return render_template("live/hand.html", tabs=(), view=view, state=state), 422
    db.session.commit()
    if layout.wants_fragments():
        return layout.fragments({}, address=url_for("hands.hand"))
    return layout.go(url_for("hands.hand"))


@dataclass(frozen=True)
class HandPage:
    """Everything a player's phone shows."""

    name: str
    number: int
    entering: bool
    out: bool
    sent: str
    may_say_out: bool
    form_view: RoundFormView | None
    board: BoardView
    problems: Sequence[str] = ()


def _hand(key: Key, match: Match, problems: Sequence[Problem] = (), *, editing: bool = False) -> tuple[HandPage, str]:
    sheet = load_sheet(guards.records(), match, last=1, rulings=False)
    gathering = open_rounds.gather(guards.records(), match)
    me = _chair(sheet, key)
    entered = gathering.hands.get(me.seat) if gathering else None
    editing = editing or "change" in request.args
    out = gathering is not None and gathering.went_out == me.seat
    playing = me in sheet.playing
    entering = gathering is not None and playing and not out and (entered is None or editing)
    form = None
    if entering and gathering is not None:
        view = new_round_view(sheet)
        text = request.form.get(f"hand-{me.player_id}", entered.text if entered else "")[:LONGEST_HAND_TEXT]
        form = replace(
            view,
            title=say("hand.title"),
            save=say("hand.send"),
            action=url_for("hands.send_hand"),
            sheet=url_for("hands.hand"),
            draft=f"{match.id}.own.{gathering.place}",
            players=[SeatHand(me.player_id, me.name, text)],
        )
    sent = ""
    if entered is not None:
        sent = say("hand.sent", cards=cards_line(entered), points=entered.worth(sheet.terms))
    page = HandPage(
        name=me.name,
        number=sheet.round_count + 1,
        entering=entering,
        out=out,
        sent=sent,
        may_say_out=playing and gathering is not None and gathering.went_out is None,
        form_view=form,
        board=board_view(sheet),
        problems=[problem.message for problem in problems],
    )
    asked = f"{gathering.place}.{gathering.went_out}" if gathering else ""
    sent_at = entered.entered_at.timestamp() if entered else ""
    return page, f"{match.id}-{match.state}-{asked}-{sent_at}"


def _refuse_out(sheet: Sheet, key: Key) -> None:
    """Raise `Impossible` for a phone whose player is out of the match."""
    if key.seat in sheet.outs:
        raise Impossible([Problem("hand", say("hand.out-of-match"))])


def _chair(sheet: Sheet, key: Key) -> Seated:
    """Find the chair of this phone's player; 410 for one who left."""
    me = next((seat for seat in sheet.seating.here if seat.seat == key.seat), None)
    if me is None:
        raise Gone(say("hand.left"))
    return me


def _read_form(sheet: Sheet, key: Key) -> Hand:
    text = request.form.get(f"hand-{_chair(sheet, key).player_id}", "")
    if len(text) > LONGEST_HAND_TEXT:
        raise Impossible([Problem("hand", say("hand.too-long"))])
    try:
        return read_hand(text, sheet.terms.box)
    except ValueError as error:
        raise Impossible([Problem("hand", str(error))]) from error


def _table(token: str) -> tuple[Key, Match]:
    """Find the match of a table's link; 404, and 429 for those who guess."""
    found = access.find_key(guards.records(), token)
    key = found[0] if found else None
    if key is None or key.role != KeyRole.HAND or key.seat is not None or key.match_id is None:
        refuse_deleted_with(guards.records(), token)
        rate_limits.count_wrong_key()
        raise NotFound("table")
    return key, guards.records().get_one(Match, (key.club_id, key.match_id))


def _mine() -> tuple[Key, Match] | None:
    token = session.get(SESSION_HAND)
    found = access.find_key(guards.records(), token) if token else None
    if token and found is None:
        rate_limits.count_wrong_key(refuse=False)
    if found is None or found[0].role != KeyRole.HAND or found[0].seat is None or found[0].match_id is None:
        return None
    return found[0], guards.records().get_one(Match, (found[0].club_id, found[0].match_id))


def _my_seat() -> tuple[Key, Match]:
    """Find whose phone this is; 410 for one that never sat down or was locked out."""
    mine = _mine()
    if mine is None:
        refuse_deleted_with(guards.records(), session.get(SESSION_HAND, ""))
        raise Gone(say("hand.no-seat"))
    return mine
