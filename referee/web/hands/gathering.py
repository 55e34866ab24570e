"""The scorekeeper's side: the table's code, what has arrived, and the save."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from flask import Response, current_app, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from referee.records import access, links, open_rounds
from referee.records.errors import Conflict, Moved
from referee.records.models import KeyRole, MatchStatus
from referee.records.open_rounds import Gathering
from referee.records.rounds import Draft, draft_round, write_draft
from referee.records.sheets import Sheet, load_sheet
from referee.records.words import say as say_of_records
from referee.rules.problem import Impossible, Problem
from referee.web import writing
from referee.web.hands.room import blueprint, cards_line, conditional
from referee.web.page import layout
from referee.web.score import summaries
from referee.web.score.announcing import announced
from referee.web.score.pad import pad_of
from referee.web.score.round_presenter import RoundFormView, new_round_view
from referee.web.server import guards
from referee.web.server.extensions import db
from referee.web.sharing.qr import qr_code
from referee.web.words import say
from referee.web.writing import reading


@dataclass(frozen=True)
class Arrival:
    """One player's line on the scorekeeper's page."""

    player_id: str
    name: str
    out: bool
    worth: int | None
    cards: str
    phone: bool


@dataclass(frozen=True)
class ArrivalsView:
    """Everything the scorekeeper's page shows of the round."""

    match_id: str
    number: int
    after: int
    open: bool
    playing: bool
    winner: str
    arrivals: Sequence[Arrival]
    missing: Sequence[str]
    sides: Sequence[tuple[str, str]]
    """of which one showed at the end, where the deck has two"""


@blueprint.get("/matches/<match_id>/hands")
def gather(match_id: str) -> str:
    """Show the table's QR code and what has arrived; 401, 403, 404."""
    match = guards.get_match(match_id)
    guards.get_key(write=True)
    token, phones = links.find_table(guards.records(), match, _secret())
    link = url_for("hands.sit_down", table_token=token, _external=True) if token else ""
    sheet = load_sheet(guards.records(), match, last=1, rulings=False)
    view, state = _arrivals(sheet, phones)
    return render_template(
        "live/hands.html",
        view=view,
        state=state,
        match_id=match.id,
        title=summaries.title_of(match, sheet.players),
        link=link,
        qr=qr_code(link) if link else "",
    )


@blueprint.get("/matches/<match_id>/hands/now")
def arrivals(match_id: str) -> Response:
    """Give what has arrived, without the page around it; 304 when nothing changed, 401, 403, 404."""
    match = guards.get_match(match_id)
    guards.get_key(write=True)
    _, phones = links.find_table(guards.records(), match, _secret())
    view, state = _arrivals(load_sheet(guards.records(), match, last=1, rulings=False), phones)
    return conditional(state, lambda: render_template("live/_arrivals.html", view=view))


@blueprint.post("/matches/<match_id>/hands/link")
def make_link(match_id: str) -> AnyResponse:
    """Make the link by which phones come to the table; 401, 403, 404."""
    access.lock_club(guards.records(), guards.get_club(write=True).id)
    match = guards.get_match(match_id, write=True)
    mine = guards.get_club(write=True)
    links.open_link(guards.records(), mine, match, KeyRole.HAND, _secret(), guards.get_key())
    db.session.commit()
    return layout.go(url_for("hands.gather", match_id=match.id))


@blueprint.post("/matches/<match_id>/hands")
def open_round(match_id: str) -> AnyResponse:
    """Ask everybody's phone for the hands of this round; 401, 403, 404, 422."""
    match = guards.get_match(match_id, write=True)
    went_out = request.form.get("went_out", "")
    sheet = load_sheet(guards.records(), match, last=1)
    seat = next((seat.seat for seat in sheet.seating.here if seat.player_id == went_out), None)
    if went_out and seat is None:
        raise Impossible([Problem("went_out", say("hand.unknown-player"))])
    open_rounds.open_round(guards.records(), match, seat, guards.get_key(write=True))
    db.session.commit()
    return layout.go(url_for("hands.gather", match_id=match.id))


@blueprint.post("/matches/<match_id>/hands/close")
def close_round(match_id: str) -> AnyResponse:
    """Stop asking; 401, 403, 404."""
    match = guards.get_match(match_id, write=True)
    open_rounds.close_round(guards.records(), match)
    db.session.commit()
    return layout.go(url_for("hands.gather", match_id=match.id))


@blueprint.get("/matches/<match_id>/hands/round")
def correct(match_id: str) -> str:
    """Show the hand pad with all that has arrived, to complete, correct and save; 401, 403, 404."""
    match = guards.get_match(match_id)
    guards.get_key(write=True)
    form_view = _filled(load_sheet(guards.records(), match, last=1, rulings=False))
    return render_template("score/round.html", form_view=form_view, history=None)


@blueprint.post("/matches/<match_id>/hands/save")
def save(match_id: str) -> AnyResponse:
    """Record the round as it arrived; 401, 403, 404, 409 when somebody recorded it already, 422."""
    session = guards.records()

    def draft() -> tuple[Gathering, Draft]:
        match = guards.get_match(match_id, write=True)
        by = guards.get_key(write=True)
        sheet = load_sheet(session, match, last=1)
        gathering = open_rounds.gather(session, match)
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
        return gathering, draft_round(session, match, entry, sheet.round_count, by, seating=sheet.seating)

    def write(drafted: tuple[Gathering, Draft]) -> None:
        gathering, round_ = drafted
        match = guards.get_match(match_id, write=True)
        open_rounds.hold(session, match)
        still = open_rounds.gather(session, match)
        if still is None or still.state != gathering.state:
            raise Moved
        write_draft(session, round_)

    _, saved = writing.save(draft, write)
    match = saved.match
    undo = url_for("score.strike", match_id=match.id, round_id=saved.round_id)
    over = match.status != MatchStatus.IN_PROGRESS
    with reading():
        layout.say(announced(load_sheet(session, match, last=1, rulings=False)), undo=undo, revision=match.state)
    return layout.go(url_for("score.sheet" if over else "hands.gather", match_id=match.id))


def _arrivals(sheet: Sheet, phones: frozenset[int]) -> tuple[ArrivalsView, str]:
    match, records = sheet.match, guards.records()
    gathering = open_rounds.gather(records, match)
    lines = []
    for seat in sheet.playing:
        entered = gathering.hands.get(seat.seat) if gathering else None
        lines.append(
            Arrival(
                player_id=seat.player_id,
                name=seat.name,
                out=gathering is not None and gathering.went_out == seat.seat,
                worth=entered.worth(sheet.terms) if entered else None,
                cards=cards_line(entered) if entered else "",
                phone=seat.seat in phones,
            )
        )
    winner = next((line.name for line in lines if line.out), "")
    view = ArrivalsView(
        match_id=match.id,
        number=sheet.round_count + 1,
        after=sheet.round_count,
        open=gathering is not None,
        playing=match.status == MatchStatus.IN_PROGRESS,
        winner=winner,
        arrivals=lines,
        sides=pad_of(sheet.terms).sides,
        missing=[line.name for line in lines if line.worth is None and not line.out],
    )
    joined = ".".join(str(seat) for seat in sorted(phones))
    return view, f"{match.id}-{match.state}-{gathering.state if gathering else ''}-{joined}"


def _filled(sheet: Sheet) -> RoundFormView:
    """Give the form of the next round with what has arrived."""
    gathering = open_rounds.gather(guards.records(), sheet.match)
    if gathering is None:
        return new_round_view(sheet)
    ids = {seat.seat: seat.player_id for seat in sheet.seating.seats}
    out = "" if gathering.went_out is None else ids[gathering.went_out]
    view = new_round_view(sheet, went_out=out)
    texts = {ids[seat]: entered.text for seat, entered in gathering.hands.items()}
    players = [replace(player, hand=texts.get(player.id, "")) for player in view.players]
    return replace(view, players=players, draft=f"{sheet.match.id}.hands.{gathering.state}")


def _secret() -> str | bytes:
    secret: str | bytes = current_app.config["SECRET_KEY"]
    return secret
