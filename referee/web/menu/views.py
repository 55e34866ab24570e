"""What can be done with a running match besides its rounds: its menu, players, rules, clock, dealer, end."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any

from flask import Blueprint, render_template, request, url_for
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response

from referee.records.club.precedents import law_of_match
from referee.records.errors import Repeated
from referee.records.evening.evenings import Place, find_place
from referee.records.match import matches
from referee.records.match.agreements import agreement_at, agreements_of
from referee.records.match.dealing import draw_opener
from referee.records.match.history import find_running_rematch
from referee.records.match.matches import start_clock, stop_clock
from referee.records.match.rounds import draft_correction, last_round, round_history, write_draft
from referee.records.match.seating import load_seating, load_totals
from referee.records.match.sheets import Sheet, load_sheet
from referee.records.match.tallies import advance
from referee.records.models import DETAILS, Key, Match, MatchStatus
from referee.rules.scoring.round_entry import Adjustment, RoundEntry, check_adjustment
from referee.rules.scoring.terms import text_target
from referee.rules.text.problem import Impossible, Problem
from referee.web.menu.forms import AdjustForm, AmendForm, ClockForm, DetailsForm, JoinForm, MatchForm
from referee.web.page import layout, match_wording
from referee.web.page.changes import answer_change, go_to_begun
from referee.web.page.fields import attach_problems, in_form, lines_over, listed, own_errors, typed_over
from referee.web.page.match_wording import rule_card
from referee.web.rounds.forms import check_revision, check_rounds_seen
from referee.web.rounds.wording import bring_back_address
from referee.web.score.views import BY_RANK, ORDER_COOKIE
from referee.web.score.wording import deal
from referee.web.server import guards, local_time
from referee.web.server.database import save
from referee.web.words import say

blueprint = Blueprint("menu", __name__)

DETAIL_FIELDS = {"note": "match_note"}
"""Fields of the form that are not called as what they say of the match: a change of rules has a note of its own."""


@blueprint.get("/matches/<match_id>/menu")
def match_menu(match_id: str) -> str:
    """Show the rule card and what can be changed; 401, 403, 404."""
    sheet = load_sheet(guards.records(), guards.get_match(match_id), last=1)
    return page_of(sheet, section=request.args.get("section", ""))


@blueprint.post("/matches/<match_id>/amend")
def amend(match_id: str) -> Response | tuple[str, int]:
    """Change a rule from the next round on; 401, 403, 404, 412, 422."""
    form, checked = AmendForm(), None
    readable, seen = form.validate(), guards.get_match(match_id, write=True)
    note = form.note.data or ""
    changes = {
        "house_rules": tuple(form.house_rules.data or ()),
        "target": form.target.number,
        "custom_rules": tuple(lines_over(form.custom_rules.lines, agreement_at(seen).custom_rules)),
        "rounds_to_play": form.rounds_to_play.number,
    }
    with suppress(Impossible):  # it is said with the form, of the match as it stands then
        checked = matches.check_amendment(guards.records(), seen, changes, note) if readable else None

    def change(match: Match, key: Key) -> str:
        matches.amend(guards.records(), match, changes, key, note=note, checked=checked)
        return url_for("menu.change_back", match_id=match.id)

    return change_match(match_id, form, "change", change, say("match.rules-changed"))


@blueprint.post("/matches/<match_id>/amend/back")
def change_back(match_id: str) -> Response | tuple[str, int]:
    """Agree again on what was agreed before the last change; 401, 403, 404, 412, 422."""

    def change(match: Match, key: Key) -> str:
        agreements = agreements_of(match)
        if len(agreements) < 2:
            raise Impossible([Problem("house_rules", say("match.no-rule-changed"))])
        before = {name: getattr(agreements[-2], name) for name in matches.AMENDED}
        matches.amend(guards.records(), match, before, key)
        return url_for("menu.change_back", match_id=match.id)

    return change_match(match_id, MatchForm(), "change", change, say("match.change-undone"))


@blueprint.post("/matches/<match_id>/players")
def join_match(match_id: str) -> Response | tuple[str, int]:
    """Add a player to the match; 401, 403, 404, 412, 422."""
    form = JoinForm()

    def change(match: Match, key: Key) -> str:
        if form.total.number is None:
            raise Impossible([Problem("total", say("match.starting-total"))])
        seat = matches.join(guards.records(), guards.get_club(), match, form.player.data or "", form.total.number, key)
        return url_for("menu.leave_match", match_id=match.id, player_id=seat.player_id)

    return change_match(match_id, form, "join", change, say("match.player-added"), asks_target=True)


@blueprint.post("/matches/<match_id>/players/<player_id>/leave")
def leave_match(match_id: str, player_id: str) -> Response | tuple[str, int]:
    """Take a player out of the match; 401, 403, 404, 412, 422."""

    def change(match: Match, key: Key) -> str:
        matches.leave(guards.records(), match, player_id, key)
        return url_for("menu.return_to_match", match_id=match.id, player_id=player_id)

    return change_match(match_id, MatchForm(), "leave", change, say("match.player-removed"), asks_target=True)


@blueprint.post("/matches/<match_id>/players/<player_id>/return")
def return_to_match(match_id: str, player_id: str) -> Response | tuple[str, int]:
    """Bring a player who left back, with their total; 401, 403, 404, 412, 422."""

    def change(match: Match, key: Key) -> str:
        seats = load_seating(guards.records(), match).seats
        seat = next((seat for seat in seats if seat.player_id == player_id and not seat.here), None)
        if seat is None:
            raise Impossible([Problem("player", say("match.no-one-left"))])
        total = load_totals(guards.records(), match, [seat])[seat.seat]
        matches.join(guards.records(), guards.get_club(), match, seat.name, total, key)
        return url_for("menu.leave_match", match_id=match.id, player_id=player_id)

    return change_match(match_id, MatchForm(), "join", change, say("match.player-back"), asks_target=True)


@blueprint.post("/matches/<match_id>/details")
def describe(match_id: str) -> Response | tuple[str, int]:
    """Change what is written about a match: its name, place, note; 401, 403, 404, 412, 422."""
    form = DetailsForm()

    def change(match: Match, _key: Key) -> str:
        typed = {name: form[DETAIL_FIELDS.get(name, name)].data or "" for name in DETAILS}
        kept = {name: typed_over(text, getattr(match, name)) for name, text in typed.items()}
        matches.change_details(guards.records(), match, **kept)
        return ""

    return change_match(match_id, form, "details", change, say("match.saved"), DETAIL_FIELDS)


def say_done(match: Match, text: str, undo: str = "") -> Response:
    """Say what was saved, and show the sheet."""
    layout.announce(text, undo=undo, revision=match.state)
    return answer_change(match)


def change_match(
    match_id: str,
    form: MatchForm,
    section: str,
    change: Callable[[Match, Key], str],
    message: str,
    names: dict[str, str] | None = None,
    *,
    asks_target: bool = False,
) -> Response | tuple[str, int]:
    """Make a change, which gives the address of its undo, or show its form again with what is wrong."""
    readable = form.validate()

    def write() -> tuple[Match, str]:
        match = guards.get_match(match_id, write=True)
        check_revision(match)
        if not readable:
            raise Impossible([])
        return match, change(match, guards.get_key(write=True))

    try:
        match, undo = save(write)
    except Impossible as error:
        attach_problems(form, error.problems, names)
        return page_of(load_sheet(guards.records(), guards.get_match(match_id), last=1), form, section), 422
    if asks_target and (other := _target_for_those_here(match)):
        layout.announce(f"{message} {say('match.other-target', target=other)}", undo=undo, revision=match.state)
        return layout.go(url_for("menu.match_menu", match_id=match.id, section="change"))
    return say_done(match, message, undo)


def _target_for_those_here(match: Match) -> int | None:
    """Return the target that the text sets for those who sit there now, if it is another than was agreed."""
    sheet = load_sheet(guards.records(), match, last=1)
    wanted = text_target(sheet.terms.rulebook, len(sheet.players))
    by_number = text_target(sheet.terms.rulebook, None) is None
    return wanted if by_number and wanted not in (None, sheet.agreement.target) else None


def page_of(sheet: Sheet, form: MatchForm | None = None, section: str = "") -> str:
    """Draw the page of a match as its sheet has it, with the form that was filled in there."""
    match, agreement = sheet.match, sheet.agreement
    typed: dict[str, Any] = {field.name: field.data for field in form} if form is not None else {}
    errors = {field.name: own_errors(field) for field in form} if form is not None else {}
    if form is not None and section == "leave":
        errors["leave"] = [str(error) for error in form.form_errors]
    left = [seat for seat in sheet.seating.seats if not seat.here]
    totals = load_totals(guards.records(), match, left) if left else {}
    others = [standing.total for standing in sheet.standings]
    return render_template(
        "menu/menu.html",
        match_id=match.id,
        title=match_wording.title_of(match, sheet.players),
        revision=match.state,
        order=request.cookies.get(ORDER_COOKIE, BY_RANK),
        card=rule_card(sheet.terms),
        law=law_of_match(guards.records(), match),
        amendments=[
            {"text": text, "when": local_time.day(datetime.fromisoformat(after.at))}
            for text, after in zip(match_wording.amendments(sheet), sheet.agreements[1:], strict=True)
        ],
        round_count=sheet.round_count,
        open=match.status == MatchStatus.IN_PROGRESS,
        may_write=guards.may_write(),
        place=_place_now(match),
        section=section,
        problems=listed(form) if form is not None else (),
        errors_of=errors,
        rules=list(sheet.terms.rulebook.house_rules.values()),
        chosen=typed.get("house_rules", agreement.house_rules),
        target=typed.get("target", agreement.target if agreement.target is not None else ""),
        rounds_to_play=typed.get("rounds_to_play", agreement.rounds_to_play or ""),
        custom_rules=typed.get("custom_rules", "\n".join(filter(None, map(in_form, agreement.custom_rules)))),
        note=typed.get("note", ""),
        joiner=typed.get("player", ""),
        # 0 at the start, later what the others have on average
        joiner_total=typed.get("total", sum(others) // len(others) if others else 0),
        seated=[{"id": seat.player_id, "name": seat.name} for seat in sheet.seating.here],
        away=[{"id": seat.player_id, "name": seat.name, "total": totals[seat.seat]} for seat in left],
        adjust={name: typed.get(name) or "" for name in ("seat", "way", "points", "reason")},
        seats=[(seat.player_id, seat.name) for seat in sheet.seating.here],
        may_adjust=sheet.round_count > 0,
        details={name: typed.get(DETAIL_FIELDS.get(name, name), in_form(getattr(match, name))) for name in DETAILS},
    )


def _place_now(match: Match) -> Place | None:
    """Return the table of an evening's last draw whose match this is, where this phone may call a referee there."""
    place = find_place(guards.records(), match) if guards.may_record() else None
    return place if place is not None and place.is_now else None


# -- the end -----------------------------------------------------------------------------------------------------------


@blueprint.post("/matches/<match_id>/finish")
def finish(match_id: str) -> Response:
    """End a match by hand; 401, 403, 404, 412."""
    match = _turn(match_id, MatchStatus.FINISHED, matches.finish)
    return say_done(match, say("match.ended"), undo=url_for("menu.reopen", match_id=match.id))


@blueprint.post("/matches/<match_id>/abandon")
def abandon(match_id: str) -> Response:
    """Return a match up; 401, 403, 404, 412."""
    match = _turn(match_id, MatchStatus.ABANDONED, matches.abandon)
    return say_done(match, say("match.abandoned"), undo=url_for("menu.reopen", match_id=match.id))


@blueprint.post("/matches/<match_id>/reopen")
def reopen(match_id: str) -> Response:
    """Play on, as for one more round after a tie; 401, 403, 404, 412."""
    match = _turn(match_id, MatchStatus.IN_PROGRESS, matches.reopen)
    return say_done(match, say("match.goes-on"))


def _turn(match_id: str, status: str, turn: Callable[[Session, Match, Key], None]) -> Match:
    """Change how a match stands, once, for who has seen its rounds; nothing where it stands so already."""

    def write() -> Match:
        match = guards.get_match(match_id, write=True)
        if match.status != status:
            check_rounds_seen(match)
            turn(guards.records(), match, guards.get_key(write=True))
        return match

    try:
        return save(write, once=guards.once_of_form())
    except Repeated:
        return guards.get_match(match_id)


@blueprint.post("/matches/<match_id>/rematch")
def rematch(match_id: str) -> Response:
    """Start the next match of the same players, or open the one already started; 401, 403, 404, 412."""

    def start() -> tuple[Match, bool]:
        match = guards.get_match(match_id, write=True)
        running = find_running_rematch(guards.records(), match)
        if running is not None:
            return running, False
        check_revision(match)
        following = matches.rematch(guards.records(), guards.get_club(write=True), match, guards.get_key())
        advance(guards.records(), match)  # a second tap finds the sheet changed
        return following, True

    try:
        following, started = save(start, once=guards.once_of_form(made=lambda saved: saved[0].id))
    except Repeated as before:
        following, started = guards.get_match(before.made), False
    layout.announce(say("match.rematch" if started else "match.already-started"))
    return go_to_begun(following)


# -- who deals, the clock, a corrected total ---------------------------------------------------------------------------


@blueprint.post("/matches/<match_id>/dealer")
def draw_dealer(match_id: str) -> Response:
    """Draw who deals, or drafts first; 401, 403, 404, 422 once a round was played."""

    def draw() -> Match:
        match = guards.get_match(match_id, write=True)
        draw_opener(guards.records(), match)
        return match

    match = save(draw)
    layout.announce(deal(load_sheet(guards.records(), match, last=0, rulings=False)))
    return answer_change(match)


@blueprint.post("/matches/<match_id>/clock")
def set_clock(match_id: str) -> Response:
    """Start the clock for so many minutes, or with 0 stop it; 401, 403, 404, 422."""
    form = ClockForm()
    minutes = form.minutes.number if form.validate() else None
    guards.get_match(match_id, write=True)
    if minutes is None:
        raise Impossible([Problem("minutes", say("match.clock-minutes"))])

    def turn() -> Match:
        match, key = guards.get_match(match_id, write=True), guards.get_key(write=True)
        if minutes == 0:
            stop_clock(guards.records(), match, key)
        else:
            start_clock(guards.records(), match, minutes, key)
        return match

    match = save(turn)
    layout.announce(say("match.clock-started", n=minutes) if minutes else say("match.clock-stopped"))
    return answer_change(match)


@blueprint.post("/matches/<match_id>/adjust")
def adjust(match_id: str) -> Response | tuple[str, int]:
    """Add points to someone's total or take them away; 401, 403, 404, 412, 422."""
    form = AdjustForm()

    def change(match: Match, key: Key) -> str:
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

    return change_match(match_id, form, "adjust", change, say("match.adjusted"))


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
