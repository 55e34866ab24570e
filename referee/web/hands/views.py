"""Everyone enters their own hand: the scorekeeper's page of what has arrived, and the page on each player's phone.

A phone joins by the table's QR code and picks its player; no account. Its key opens one seat of one match, for entering
hands only. The scorekeeper waits for nobody: what has not arrived is entered on the usual pad.
"""

from collections.abc import Sequence
from dataclasses import replace

from flask import Blueprint, Response, current_app, render_template, request, session, url_for
from werkzeug.wrappers import Response as AnyResponse

from referee.records.club import access, links
from referee.records.deletion.waiting import refuse_deleted_with
from referee.records.errors import Conflict, Gone, Moved, NotFound
from referee.records.match import open_rounds
from referee.records.match.open_rounds import EnteredHand, Gathering
from referee.records.match.rounds import Draft, draft_round, write_draft
from referee.records.match.seating import Seated, load_seating
from referee.records.match.sheets import Sheet, load_sheet
from referee.records.models import Club, Key, KeyRole, Match, MatchStatus
from referee.records.words import say as say_of_records
from referee.rules.text.problem import Impossible, Problem
from referee.web.page import layout
from referee.web.page.fields import read_hand
from referee.web.page.match_wording import announced
from referee.web.rounds.wording import RoundFormView, SeatHand, new_round_view, pad_of
from referee.web.server import database, guards
from referee.web.server.headers import unless_cached
from referee.web.sharing.wording import board_view, qr_code
from referee.web.words import say

blueprint = Blueprint("hands", __name__)
SESSION_HAND = "hand"
"""The session's key for the token by which this phone enters one player's hands."""
LONGEST_HAND_TEXT = 1000


@blueprint.get("/matches/<match_id>/hands")
def gather(match_id: str) -> str:
    """Show the table's QR code and what has arrived; 401, 403, 404."""
    shown, state, token = _arrivals(match_id)
    link = url_for("hands.sit_down", table_token=token, _external=True) if token else ""
    return render_template("hands/gather.html", state=state, link=link, qr=qr_code(link) if link else "", **shown)


@blueprint.get("/matches/<match_id>/hands/now")
def arrivals(match_id: str) -> Response:
    """Return what has arrived, without the page around it; 304 when nothing changed, 401, 403, 404."""
    shown, state, _ = _arrivals(match_id)
    return unless_cached(state, lambda: render_template("hands/_arrivals.html", **shown))


@blueprint.post("/matches/<match_id>/hands/link")
def make_link(match_id: str) -> AnyResponse:
    """Make the link by which phones come to the table; 401, 403, 404."""

    def make() -> None:
        mine, match = guards.get_club(write=True), guards.get_match(match_id, write=True)
        links.open_link(guards.records(), mine, match, KeyRole.HAND, current_app.config["SECRET_KEY"], guards.get_key())

    database.save(make)
    return layout.go(url_for("hands.gather", match_id=match_id))


@blueprint.post("/matches/<match_id>/hands")
def open_round(match_id: str) -> AnyResponse:
    """Ask every phone for the hand of this round; 401, 403, 404, 422."""
    went_out = request.form.get("went_out", "")

    def open_() -> None:
        match = guards.get_match(match_id, write=True)
        here = load_seating(guards.records(), match).here
        seat = next((seat.seat for seat in here if seat.player_id == went_out), None)
        if went_out and seat is None:
            raise Impossible([Problem("went_out", say("hand.unknown-player"))])
        open_rounds.open_round(guards.records(), match, seat, guards.get_key(write=True))

    database.save(open_)
    return layout.go(url_for("hands.gather", match_id=match_id))


@blueprint.post("/matches/<match_id>/hands/close")
def close_round(match_id: str) -> AnyResponse:
    """Stop asking; 401, 403, 404."""
    database.save(lambda: open_rounds.close_round(guards.records(), guards.get_match(match_id, write=True)))
    return layout.go(url_for("hands.gather", match_id=match_id))


@blueprint.get("/matches/<match_id>/hands/round")
def correct(match_id: str) -> str:
    """Show the hand pad with all that has arrived, to complete, correct and save; 401, 403, 404."""
    match = guards.get_match(match_id)
    guards.get_key(write=True)
    sheet = load_sheet(guards.records(), match, last=1, rulings=False)
    return render_template("rounds/round.html", form_view=_filled(sheet), history=None, sheet=sheet)


@blueprint.post("/matches/<match_id>/hands/save")
def save(match_id: str) -> AnyResponse:
    """Record the round as it arrived; 401, 403, 404, 409 when someone recorded it already, 422."""
    records = guards.records()

    def draft() -> tuple[Gathering, Draft]:
        match = guards.get_match(match_id, write=True)
        by = guards.get_key(write=True)
        sheet = load_sheet(records, match, last=1)
        gathering = open_rounds.gather(records, match)
        if gathering is None:
            raise Conflict(say_of_records("gather.closed"))
        if request.form.get("after", "") != str(sheet.round_count):
            raise Conflict(say("hand.already-saved", round=sheet.round_count))
        chosen = request.form.getlist("knocked_out")
        entry = open_rounds.entry_of(
            gathering,
            sheet.seating,
            side=request.form.get("side") or None,
            knocked_out=[seat.seat for seat in sheet.seating.here if seat.player_id in chosen],
        )
        return gathering, draft_round(records, match, entry, sheet.round_count, by, seating=sheet.seating)

    def write(drafted: tuple[Gathering, Draft]) -> None:
        gathering, round_ = drafted
        match = guards.get_match(match_id, write=True)
        open_rounds.hold(records, match)
        still = open_rounds.gather(records, match)
        if still is None or still.state != gathering.state:
            raise Moved
        write_draft(records, round_)

    _, saved = database.save(draft, write)
    match = saved.match
    undo = url_for("rounds.strike", match_id=match.id, round_id=saved.round_id)
    over = match.status != MatchStatus.IN_PROGRESS
    layout.announce(announced(load_sheet(records, match, last=1, rulings=False)), undo=undo, revision=match.state)
    return layout.go(url_for("score.sheet" if over else "hands.gather", match_id=match.id))


def _arrivals(match_id: str) -> tuple[dict[str, object], str, str | None]:
    """Return what ``hands/_arrivals.html`` shows, its ETag, and the token of the table; 401, 403, 404."""
    match = guards.get_match(match_id)
    guards.get_key(write=True)
    token, phones = links.find_table(guards.records(), match, current_app.config["SECRET_KEY"])
    sheet = load_sheet(guards.records(), match, last=1, rulings=False)
    gathering = open_rounds.gather(guards.records(), match)
    out = gathering.went_out if gathering else None
    hands = gathering.hands if gathering else {}
    shown = {
        "match_id": match.id,
        "sheet": sheet,
        "playing": match.status == MatchStatus.IN_PROGRESS,
        "open": gathering is not None,
        "hands": hands,
        "cards_line": cards_line,
        "out": out,
        "phones": phones,
        "winner": next((seat.name for seat in sheet.playing if seat.seat == out), ""),
        "missing": [seat.name for seat in sheet.playing if seat.seat != out and seat.seat not in hands],
        "sides": pad_of(sheet.terms).sides,
    }
    joined = ".".join(str(seat) for seat in sorted(phones))
    return shown, f"{match.id}-{match.state}-{gathering.state if gathering else ''}-{joined}", token


def cards_line(entered: EnteredHand) -> str:
    """Return how many cards a hand has, in words; a hand typed as a total has no count."""
    if isinstance(entered.hand, int):
        return say("hand.typed")
    return say("hand.cards", n=len(entered.hand)) if entered.hand else say("hand.no-cards")


def _filled(sheet: Sheet) -> RoundFormView:
    """Return the form of the next round, filled with what has arrived."""
    gathering = open_rounds.gather(guards.records(), sheet.match)
    if gathering is None:
        return new_round_view(sheet)
    ids = {seat.seat: seat.player_id for seat in sheet.seating.seats}
    out = "" if gathering.went_out is None else ids[gathering.went_out]
    view = new_round_view(sheet, went_out=out)
    texts = {ids[seat]: entered.text for seat, entered in gathering.hands.items()}
    players = [replace(player, hand=texts.get(player.id, "")) for player in view.players]
    return replace(view, players=players, draft=f"{sheet.match.id}.hands.{gathering.state}")


@blueprint.get("/hand/<table_token>")
def sit_down(table_token: str) -> str | AnyResponse:
    """Ask the phone that scanned the table's code whose it is; 404, 410."""
    _key, match = _table(table_token)
    mine = _mine()
    if mine is not None and mine[1].id == match.id and "again" not in request.args:
        return layout.go(url_for("hands.hand"))
    sheet = load_sheet(guards.records(), match, last=1, rulings=False)
    _, taken = links.find_table(guards.records(), match, current_app.config["SECRET_KEY"])
    club = guards.records().get_one(Club, match.club_id)
    seats = [(seat.seat, seat.name, seat.seat in taken) for seat in sheet.seating.here]
    return render_template("hands/sit_down.html", tabs=(), seats=seats, club=club.name, table_token=table_token)


@blueprint.post("/hand/<table_token>")
def take_seat(table_token: str) -> AnyResponse:
    """Let the phone enter the hands of one seat; 404, 410, 422."""
    table, match = _table(table_token)
    sheet = load_sheet(guards.records(), match, last=1)
    wanted = request.form.get("seat", "")
    seat = next((seat for seat in sheet.seating.here if str(seat.seat) == wanted), None)
    if seat is None:
        raise Impossible([Problem("seat", say("hand.tap-name"))])
    club = access.find_key(guards.records(), table_token)
    assert club is not None

    def sit() -> str:
        access.lock_club(guards.records(), club[1].id)
        name = say("hand.phone-name", name=seat.name[:20])
        return links.take_seat(guards.records(), club[1], match, seat.seat, name, table)

    token = database.save(sit)
    session[SESSION_HAND] = token
    session.permanent = True
    return layout.go(url_for("hands.hand"))


@blueprint.get("/hand")
def hand() -> str:
    """Show the pad while a round is open, the standings while it is not; 401, 410."""
    shown, state = _hand(*_my_seat())
    return render_template("hands/hand.html", tabs=(), state=state, **shown)


@blueprint.get("/hand/now")
def hand_now() -> Response:
    """Return the same without the page around it; 304 when nothing changed, 401, 410."""
    shown, state = _hand(*_my_seat())
    return unless_cached(state, lambda: render_template("hands/_hand.html", **shown))


@blueprint.post("/hand")
def send_hand() -> AnyResponse | tuple[str, int]:
    """Store the hand of this phone's player, or that they went out; 401, 410, 422."""

    def enter() -> None:
        key, match = _my_seat()
        sheet = load_sheet(guards.records(), match, last=1)
        me = _chair(sheet, key)
        if key.seat in sheet.outs:
            raise Impossible([Problem("hand", say("hand.out-of-match"))])
        if "out" in request.form:
            open_rounds.record_out(guards.records(), match, key)
        else:
            text = request.form.get(f"hand-{me.player_id}", "")
            if len(text) > LONGEST_HAND_TEXT:
                raise Impossible([Problem("hand", say("hand.too-long"))])
            try:
                hand = read_hand(text, sheet.terms.full_deck)
            except ValueError as error:
                raise Impossible([Problem("hand", str(error))]) from error
            open_rounds.enter_hand(guards.records(), match, sheet.terms, hand, key)

    try:
        database.save(enter)
    except Impossible as error:
        problems = [{"field": "hand", "message": problem.message, "player": ""} for problem in error.problems]
        if layout.wants_fragments():
            return layout.fragments({}, problems=problems, status=422)
        shown, state = _hand(*_my_seat(), problems=error.problems, editing=True)
        return render_template("hands/hand.html", tabs=(), state=state, **shown), 422
    if layout.wants_fragments():
        return layout.fragments({}, address=url_for("hands.hand"))
    return layout.go(url_for("hands.hand"))


def _hand(
    key: Key, match: Match, problems: Sequence[Problem] = (), *, editing: bool = False
) -> tuple[dict[str, object], str]:
    """Return what ``hands/_hand.html`` shows, the pad while a round is open or the standings, and its ETag."""
    sheet = load_sheet(guards.records(), match, last=1, rulings=False)
    gathering = open_rounds.gather(guards.records(), match)
    me = _chair(sheet, key)
    entered = gathering.hands.get(me.seat) if gathering else None
    editing = editing or "change" in request.args
    out = gathering is not None and gathering.went_out == me.seat
    playing = me in sheet.playing
    form = None
    if gathering is not None and playing and not out and (entered is None or editing):
        text = request.form.get(f"hand-{me.player_id}", entered.text if entered else "")[:LONGEST_HAND_TEXT]
        form = replace(
            new_round_view(sheet),
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
    shown: dict[str, object] = {
        "name": me.name,
        "number": sheet.round_count + 1,
        "out": out,
        "sent": sent,
        "may_record_out": playing and gathering is not None and gathering.went_out is None,
        "form_view": form,
        "board": board_view(sheet),
        "problems": [problem.message for problem in problems],
    }
    asked = f"{gathering.place}.{gathering.went_out}" if gathering else ""
    sent_at = entered.entered_at.timestamp() if entered else ""
    return shown, f"{match.id}-{match.state}-{asked}-{sent_at}"


def _chair(sheet: Sheet, key: Key) -> Seated:
    """Return the seat of this phone's player; raise `Gone` where the player left."""
    me = next((seat for seat in sheet.seating.here if seat.seat == key.seat), None)
    if me is None:
        raise Gone(say("hand.left"))
    return me


def _table(token: str) -> tuple[Key, Match]:
    """Return the key and match of a table's link; raise `NotFound`, and 429 for those who guess."""
    row = access.find_key(guards.records(), token)
    key = row[0] if row else None
    if key is None or key.role != KeyRole.HAND or key.seat is not None or key.match_id is None:
        refuse_deleted_with(guards.records(), token)
        guards.count_unknown(token)
        raise NotFound("table")
    return key, guards.records().get_one(Match, (key.club_id, key.match_id))


def _mine() -> tuple[Key, Match] | None:
    token = session.get(SESSION_HAND)
    row = access.find_key(guards.records(), token) if token else None
    if token and row is None:
        guards.count_unknown(token, refuse=False)
    if row is None or row[0].role != KeyRole.HAND or row[0].seat is None or row[0].match_id is None:
        return None
    return row[0], guards.records().get_one(Match, (row[0].club_id, row[0].match_id))


def _my_seat() -> tuple[Key, Match]:
    """Return the key and match of this phone; raise `Gone` for one that never sat down or was locked out."""
    mine = _mine()
    if mine is None:
        refuse_deleted_with(guards.records(), session.get(SESSION_HAND, ""))
        raise Gone(say("hand.no-seat"))
    return mine
