"""What else can be done with a match: read its rule card, change a rule, join, leave."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Any

from flask import render_template, request, url_for
from werkzeug.wrappers import Response

from referee.records import matches
from referee.records.access import lock_club
from referee.records.agreements import agreements_of
from referee.records.models import Key, Match, MatchStatus
from referee.records.seating import Seating, load_seating, load_totals
from referee.records.sheets import Sheet, load_sheet
from referee.rules.problem import Impossible, Problem
from referee.rules.terms import text_target
from referee.web.forms.match import AmendForm, DetailsForm, JoinForm, MatchForm
from referee.web.page import layout
from referee.web.page.problems import listed, own_errors, place
from referee.web.page.rule_card import rule_card
from referee.web.score import summaries
from referee.web.score.room import blueprint
from referee.web.score.sheet import answer_with_sheet, check_revision
from referee.web.server import guards, local_time
from referee.web.server.extensions import db
from referee.web.words import say
from referee.web.writing import reading


@blueprint.get("/matches/<match_id>/menu")
def match_menu(match_id: str) -> str:
    """Show the rule card and what can be changed; 401, 403, 404."""
    return _page(guards.get_match(match_id), section=request.args.get("section", ""))


@blueprint.post("/matches/<match_id>/amend")
def amend(match_id: str) -> Response | tuple[str, int]:
    """Change a rule from the next round on; 401, 403, 404, 412, 422."""
    form, checked = AmendForm(), None
    readable = form.validate()
    amendment = matches.Amendment(
        house_rules=tuple(form.house_rules.data or ()),
        target=form.target.number,
        open_ended=form.target.number is None,
        custom_rules=tuple(form.custom_rules.lines),
        rounds_to_play=form.rounds_to_play.number,
        rounds_open=form.rounds_to_play.number is None,
        note=form.note.data or "",
    )
    with reading():
        seen = guards.get_match(match_id, write=True)
        with suppress(Impossible):  # it is said with the form, of the match as it stands then
            checked = matches.check_amendment(guards.records(), seen, amendment) if readable else None
    match = open_match(match_id)

    def change(key: Key) -> str:
        matches.amend(guards.records(), match, amendment, key, checked=checked)
        return url_for("score.change_back", match_id=match.id)

    return change_match(match, form, "change", change, say("match.rules-changed"))


@blueprint.post("/matches/<match_id>/amend/back")
def change_back(match_id: str) -> Response | tuple[str, int]:
    """Agree again on what was agreed before the last change; 401, 403, 404, 412, 422."""
    match, form = open_match(match_id), MatchForm()
    agreements = agreements_of(match)

    def change(key: Key) -> str:
        if len(agreements) < 2:
            raise Impossible([Problem("house_rules", say("match.no-rule-changed"))])
        matches.amend(guards.records(), match, matches.Amendment.back_to(agreements[-2]), key)
        return url_for("score.change_back", match_id=match.id)

    return change_match(match, form, "change", change, say("match.change-undone"))


@blueprint.post("/matches/<match_id>/players")
def join_match(match_id: str) -> Response | tuple[str, int]:
    """Let a player sit down; 401, 403, 404, 412, 422."""
    match, form = open_match(match_id), JoinForm()

    def change(key: Key) -> str:
        if form.total.number is None:
            raise Impossible([Problem("total", say("match.starting-total"))])
        seat = matches.join(guards.records(), guards.get_club(), match, form.player.data or "", form.total.number, key)
        return url_for("score.leave_match", match_id=match.id, player_id=seat.player_id)

    return change_match(match, form, "join", change, say("match.player-added"), asks_target=True)


@blueprint.post("/matches/<match_id>/players/<player_id>/leave")
def leave_match(match_id: str, player_id: str) -> Response | tuple[str, int]:
    """Let a player leave; 401, 403, 404, 412, 422."""
    match, form = open_match(match_id), MatchForm()

    def change(key: Key) -> str:
        matches.leave(guards.records(), match, player_id, key)
        return url_for("score.return_to_match", match_id=match.id, player_id=player_id)

    return change_match(match, form, "leave", change, say("match.player-removed"), asks_target=True)


@blueprint.post("/matches/<match_id>/players/<player_id>/return")
def return_to_match(match_id: str, player_id: str) -> Response | tuple[str, int]:
    """Let somebody who left sit down again, with the total they had; 401, 403, 404, 412, 422."""
    match, form = open_match(match_id), MatchForm()
    seats = load_seating(guards.records(), match).seats
    seat = next((seat for seat in seats if seat.player_id == player_id and not seat.here), None)

    def change(key: Key) -> str:
        if seat is None:
            raise Impossible([Problem("player", say("match.no-one-left"))])
        total = load_totals(guards.records(), match, [seat])[seat.seat]
        matches.join(guards.records(), guards.get_club(), match, seat.name, total, key)
        return url_for("score.leave_match", match_id=match.id, player_id=player_id)

    return change_match(match, form, "join", change, say("match.player-back"), asks_target=True)


@blueprint.post("/matches/<match_id>/details")
def describe(match_id: str) -> Response | tuple[str, int]:
    """Name a match, its place, a note; 401, 403, 404, 412, 422."""
    match, form = open_match(match_id), DetailsForm()

    def change(_key: Key) -> str:
        matches.change_details(
            guards.records(),
            match,
            name=form["name"].data or "",
            location=form.location.data or "",
            note=form.match_note.data or "",
        )
        return ""

    return change_match(match, form, "details", change, say("match.saved"), {"note": "match_note"})


def open_match(match_id: str) -> Match:
    """Lock the club before any of its matches, as everyone does, so that two never wait for each other."""
    lock_club(guards.records(), guards.get_club(write=True).id)
    match = guards.get_match(match_id, write=True)
    check_revision(match)
    return match


def say_done(match: Match, text: str, undo: str = "") -> Response:
    """Commit a change, say so and show the sheet."""
    db.session.commit()
    layout.say(text, undo=undo, revision=match.state)
    with reading():
        return answer_with_sheet(match)


def change_match(
    match: Match,
    form: MatchForm,
    section: str,
    change: Callable[[Key], str],
    said: str,
    names: dict[str, str] | None = None,
    *,
    asks_target: bool = False,
) -> Response | tuple[str, int]:
    """Make a change, which gives the address of its undo, or show its form again with what is wrong."""
    readable = form.validate()
    try:
        if not readable:
            raise Impossible([])
        undo = change(guards.get_key(write=True))
    except Impossible as error:
        db.session.rollback()
        place(form, error.problems, names)
        with reading():
            return _page(guards.get_match(match.id), form, section), 422
    if asks_target and (other := _target_for_those_here(match)):
        db.session.commit()
        layout.say(f"{said} {say('match.other-target', target=other)}", undo=undo, revision=match.state)
        return layout.go(url_for("score.match_menu", match_id=match.id, section="change"))
    return say_done(match, said, undo)


def _target_for_those_here(match: Match) -> int | None:
    """Give the target that the text sets for those who sit there now, if it is another than was agreed."""
    sheet = load_sheet(guards.records(), match, last=1)
    wanted = text_target(sheet.terms.rulebook, len(sheet.players))
    by_number = text_target(sheet.terms.rulebook, None) is None
    return wanted if by_number and wanted not in (None, sheet.agreement.target) else None


def _page(match: Match, form: MatchForm | None = None, section: str = "") -> str:
    return page_of(load_sheet(guards.records(), match, last=1), form, section)


def page_of(sheet: Sheet, form: MatchForm | None = None, section: str = "") -> str:
    """Draw the page of a match as its sheet has it, with the form that was filled in there."""
    match, agreement = sheet.match, sheet.agreement
    typed: dict[str, Any] = {field.name: field.data for field in form} if form is not None else {}
    return render_template(
        "score/menu.html",
        match_id=match.id,
        title=summaries.title_of(match, sheet.players),
        revision=match.state,
        card=rule_card(sheet.terms),
        amendments=[
            {
                "text": summaries.amendment(before, after, sheet.terms.rulebook),
                "when": local_time.day(datetime.fromisoformat(after.at)),
            }
            for before, after in zip(sheet.agreements, sheet.agreements[1:], strict=False)
        ],
        round_count=sheet.round_count,
        open=match.status == MatchStatus.IN_PROGRESS,
        may_write=guards.may_write(),
        section=section,
        problems=listed(form) if form is not None else (),
        errors_of=_errors(form, section),
        rules=list(sheet.terms.rulebook.house_rules.values()),
        chosen=typed.get("house_rules", agreement.house_rules),
        target=typed.get("target", agreement.target if agreement.target is not None else ""),
        rounds_to_play=typed.get("rounds_to_play", agreement.rounds_to_play or ""),
        custom_rules=typed.get("custom_rules", "\n".join(agreement.custom_rules)),
        note=typed.get("note", ""),
        joiner=typed.get("player", ""),
        joiner_total=typed.get("total", _average(sheet)),
        seated=[{"id": seat.player_id, "name": seat.name} for seat in sheet.seating.here],
        away=_away(match, sheet.seating),
        adjust={name: typed.get(name) or "" for name in ("seat", "way", "points", "reason")},
        seats=[(seat.player_id, seat.name) for seat in sheet.seating.here],
        may_adjust=sheet.round_count > 0,
        name=typed.get("name", match.name),
        location=typed.get("location", match.location),
        match_note=typed.get("match_note", match.note),
    )


def _errors(form: MatchForm | None, section: str) -> dict[str, list[str]]:
    if form is None:
        return {}
    found = {field.name: own_errors(field) for field in form}
    return found | {"leave": [str(error) for error in form.form_errors]} if section == "leave" else found


def _away(match: Match, seating: Seating) -> list[dict[str, object]]:
    """Give those who left, with the totals that they would sit down with again."""
    seats = [seat for seat in seating.seats if not seat.here]
    totals = load_totals(guards.records(), match, seats) if seats else {}
    return [{"id": seat.player_id, "name": seat.name, "total": totals[seat.seat]} for seat in seats]


def _average(sheet: Sheet) -> int:
    """Suggest the total of a joiner: 0 at the start, later what the others have on average."""
    totals = [standing.total for standing in sheet.standings]
    return sum(totals) // len(totals) if totals else 0
