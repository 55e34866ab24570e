"""Recording a round, and looking at it, correcting, striking it or bringing it back later."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from flask import render_template, request, url_for
from werkzeug.wrappers import Response

from referee.records.agreements import agreements_of, in_force, terms_of
from referee.records.errors import Conflict, NotFound
from referee.records.idempotency import recall, remember
from referee.records.models import Match, MatchStatus, Round
from referee.records.rounds import (
    VersionView,
    correct_round,
    count_rounds,
    record_round,
    restore_round,
    round_history,
    strike_round,
)
from referee.records.seating import Seated, Seating, load_seating
from referee.records.sheets import load_sheet
from referee.rules.problem import Impossible, Problem
from referee.rules.round_entry import RoundEntry
from referee.web import guards, layout
from referee.web.extensions import db
from referee.web.forms.round import RoundForm, round_form
from referee.web.score import words
from referee.web.score.room import blueprint
from referee.web.score.round_view import correction_view, for_script, new_round_view
from referee.web.score.sheet import address_of, answer_with_sheet, check_revision
from referee.web.score.versions import bring_back_address, lines_of, played_as

WRITTEN_BY_OTHERS = "Somebody wrote meanwhile.{} What you tapped is kept: look whether it still fits, then save again."
LEFT = (
    "{name} has left the table. If {name} played this round, let them sit down again first; "
    "if not, leave their hand out."
)


@blueprint.route("/matches/<match_id>/rounds/new", methods=["GET", "POST"])
def new_round(match_id: str) -> str | Response | tuple[str, int]:
    """Record the next round; 401, 403, 404, 409 when somebody was first, 422."""
    match = guards.get_match(match_id, write=True)
    if request.method == "GET":
        loaded = load_sheet(guards.records(), match, last=1)
        view = new_round_view(loaded, went_out=request.args.get("went_out", ""))
        return render_template("score/round.html", form_view=view, history=None)
    return _save_new(match)


@blueprint.route("/matches/<match_id>/rounds/<round_id>", methods=["GET", "POST"])
def edit_round(match_id: str, round_id: str) -> str | Response | tuple[str, int]:
    """Show a round with its history, and correct it; 401, 403, 404, 412 on a stale sheet, 422."""
    match = guards.get_match(match_id, write=True)
    played = guards.get_round(match, round_id)
    if request.method == "GET":
        return _edit_page(match, played)
    return _save_correction(match, played)


@blueprint.post("/matches/<match_id>/rounds/<round_id>/strike")
def strike(match_id: str, round_id: str) -> Response:
    """Take a round out of the count; 401, 403, 404, 412."""
    return _turn(match_id, round_id, struck=True)


@blueprint.post("/matches/<match_id>/rounds/<round_id>/restore")
def restore(match_id: str, round_id: str) -> Response:
    """Bring a struck round back; 401, 403, 404, 412."""
    return _turn(match_id, round_id, struck=False)


# -- saving ------------------------------------------------------------------------------------------------------------


def _save_new(match: Match) -> str | Response | tuple[str, int]:
    session = guards.records()
    seating = load_seating(session, match)
    form = round_form(seating.here)()
    try:
        key, digest = f"page:{(form.idempotency_key.data or '')[:100]}", _digest()
        if form.idempotency_key.data and recall(session, guards.get_club(write=True), key, digest):
            return answer_with_sheet(match, seating)  # the same tap twice: it is on the sheet already
        _check(form)
        _check_leavers(form, seating)
        entry = form.entry(points=terms_of(session, match, agreements_of(match)[-1]).count == "points")
        after = form.after.number if form.after.number is not None else count_rounds(session, match)[0]
        played = record_round(session, match, entry, after, guards.get_key(write=True), seating=seating)
        if form.idempotency_key.data:
            remember(session, guards.get_club(write=True), key, digest, 303, b"")
    except Conflict:
        db.session.rollback()
        return _again(match, form, [Problem("after", _written_by_others(match, form))], 409)
    except Impossible as error:
        db.session.rollback()
        return _again(match, form, error.problems, 422)
    db.session.commit()
    undo = url_for("score.strike", match_id=match.id, round_id=played.id)
    layout.say(_saved_words(match, after + 1, form.newcomers), undo=undo, revision=match.state)
    return answer_with_sheet(match, seating)


def _save_correction(match: Match, played: Round) -> str | Response | tuple[str, int]:
    session = guards.records()
    form = round_form(load_seating(session, match).at(played.place))()
    terms = terms_of(session, match, in_force(agreements_of(match), played.place))
    try:
        _check(form)
        entry = form.entry(points=terms.count == "points")
        if not _is_stale(form, match, played):
            correct_round(session, match, played, entry, guards.get_key(write=True))
        elif played.struck or entry != RoundEntry.read(round_history(session, match, played)[-1].entry):
            return _again(match, form, [Problem("revision", _corrected_by_others(match, played))], 412, played)
    except Impossible as error:
        db.session.rollback()
        return _again(match, form, error.problems, 422, played)
    db.session.commit()
    undo = bring_back_address(match, played, played.version - 1)
    layout.say("Corrected. The old version stays on record.", undo=undo, revision=match.state)
    if layout.wants_fragments():
        return layout.fragments({}, address=address_of(match))
    return layout.go(address_of(match))


def _turn(match_id: str, round_id: str, *, struck: bool) -> Response:
    match = guards.get_match(match_id, write=True)
    played = guards.get_round(match, round_id)
    check_revision(match)
    turn, back = (strike_round, "score.restore") if struck else (restore_round, "score.strike")
    turn(guards.records(), match, played, guards.get_key(write=True))
    db.session.commit()
    undo = url_for(back, match_id=match.id, round_id=played.id)
    layout.say("The round is struck." if struck else "The round is back.", undo=undo, revision=match.state)
    return answer_with_sheet(match)


def _check(form: RoundForm) -> None:
    if not form.validate():
        problems = [
            Problem(name, str(message))
            for name, messages in form.errors.items()
            for message in messages
            if name is not None
        ]
        raise Impossible(problems)


def _check_leavers(form: RoundForm, seating: Seating) -> None:
    """Raise `Impossible` where a hand was entered for somebody who left after the form was drawn; it would be lost."""
    problems = [
        Problem(f"hands.{seat.name}", LEFT.format(name=seat.name))
        for seat in seating.seats
        if not seat.here
        and (form.went_out.data == seat.player_id or request.form.get(f"hand-{seat.player_id}", "").strip())
    ]
    if problems:
        raise Impossible(problems)


def _digest() -> str:
    said = sorted(
        (name, value)
        for name, value in request.form.items(multi=True)
        if name not in ("csrf_token", "revision") and value
    )
    return hashlib.sha256(repr(said).encode()).hexdigest()


@blueprint.post("/matches/<match_id>/rounds/<round_id>/versions/<int:number>")
def bring_back(match_id: str, round_id: str, number: int) -> Response:
    """Make an older version of a round count again, as a new version; 401, 403, 404, 412, 422."""
    match = guards.get_match(match_id, write=True)
    played = guards.get_round(match, round_id)
    check_revision(match)
    versions = round_history(guards.records(), match, played)
    if not 1 <= number <= len(versions):
        raise NotFound("version")
    correct_round(
        guards.records(), match, played, RoundEntry.read(versions[number - 1].entry), guards.get_key(write=True)
    )
    db.session.commit()
    layout.say(
        "The round is as it was before.",
        undo=bring_back_address(match, played, played.version - 1),
        revision=match.state,
    )
    return answer_with_sheet(match)


def _again(
    match: Match, form: RoundForm, problems: Sequence[Problem], status: int, played: Round | None = None
) -> Response | tuple[str, int]:
    """Show the form once more, with what was typed and what is wrong beside it."""
    match = guards.get_match(match.id)
    versions: Sequence[VersionView] = ()
    if played is not None:
        played = guards.get_round(match, played.id)
        seating = load_seating(guards.records(), match)
        versions = round_history(guards.records(), match, played, seating)
        view = correction_view(match, played, seating, versions[-1], form=form, problems=problems)
    else:
        loaded = load_sheet(guards.records(), match, last=1)
        view = new_round_view(loaded, form=form, problems=problems, fresh=status != 422)
    if layout.wants_fragments():
        seats = load_seating(guards.records(), match).seats  # a hand may be that of somebody who left
        said = [for_script(problem, seats) for problem in problems]
        now = {"after": view.after, "revision": view.revision, "version": view.version, "key": view.idempotency_key}
        seen = None if status == 422 else now
        return layout.fragments({}, address=view.sheet, problems=said, seen=seen, status=status)
    history = lines_of(match, played, versions) if played is not None else None
    page = render_template("score/round.html", form_view=view, history=history, **_striking(match, played))
    return page, status


def _written_by_others(match: Match, form: RoundForm) -> str:
    """Tell what another phone recorded since this form was opened, if it was a round."""
    sheet = load_sheet(guards.records(), guards.get_match(match.id), last=1)
    newer = sheet.rounds if sheet.round_count > (form.after.number or 0) else ()
    told = [f" Round {one.number}: {words.round_played(one.ended, one.went_out, one.hands)}" for one in newer]
    return WRITTEN_BY_OTHERS.format("".join(told))


def _is_stale(form: RoundForm, match: Match, played: Round) -> bool:
    """Tell whether somebody changed the round since the form was drawn; what they wrote elsewhere does no harm."""
    if form.version.number is not None:
        return form.version.number != played.version
    return form.revision.data != str(match.state)


def _corrected_by_others(match: Match, played: Round) -> str:
    stands = played_as(round_history(guards.records(), match, played)[-1])
    return WRITTEN_BY_OTHERS.format(f" It is struck. It was: {stands}" if played.struck else f" Now it says: {stands}")


def _saved_words(match: Match, number: int, newcomers: Sequence[Seated]) -> str:
    said = " ".join([f"Round {number} saved.", *(f"{seat.name} sat it out." for seat in newcomers)])
    if match.status == MatchStatus.FINISHED:
        said += " The match is over."
    return said


# -- one round and its history -----------------------------------------------------------------------------------------


def _edit_page(match: Match, played: Round) -> str:
    seats = load_seating(guards.records(), match)
    versions = round_history(guards.records(), match, played, seats)
    view = correction_view(match, played, seats, versions[-1])
    history = lines_of(match, played, versions)
    return render_template("score/round.html", form_view=view, history=history, **_striking(match, played))


def _striking(match: Match, played: Round | None) -> dict[str, object]:
    if played is None:
        return {}
    endpoint = "score.restore" if played.struck else "score.strike"
    return {
        "struck": played.struck,
        "strike_address": url_for(endpoint, match_id=match.id, round_id=played.id),
    }
