"""Record a round, look at it with its history, correct it, strike it and bring it back."""

from collections.abc import Callable, Sequence

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from referee.records.deletion.incoming import forget
from referee.records.errors import Conflict, NotFound, Repeated, Stale
from referee.records.match import rounds
from referee.records.match.agreements import terms_at
from referee.records.match.rounds import RoundView, round_history
from referee.records.match.seating import Seating, load_seating
from referee.records.match.sheets import Sheet, load_sheet, sheet_after
from referee.records.models import Match, Round, RoundVersion
from referee.rules.scoring.round_entry import RoundEntry
from referee.rules.text.problem import Impossible, Problem
from referee.web.page import layout, match_wording
from referee.web.page.changes import ROUNDS_SHOWN, address_of, answer_change, next_round_form_state
from referee.web.page.fields import typed_over
from referee.web.page.match_wording import announced
from referee.web.rounds import forms, wording
from referee.web.server import guards
from referee.web.server.database import save
from referee.web.words import say

blueprint = Blueprint("rounds", __name__)


@blueprint.route("/matches/<match_id>/rounds/new", methods=["GET", "POST"])
def new_round(match_id: str) -> str | Response | tuple[str, int]:
    """Record the next round; 401, 403, 404, 409 when someone was first, 422."""
    if request.method == "POST":
        return _save_new(match_id)
    loaded = load_sheet(guards.records(), guards.get_match(match_id, write=True, at_table=True), last=1)
    view = wording.new_round_view(loaded, went_out=request.args.get("went_out", ""))
    return render_template("rounds/round.html", form_view=view, history=None, sheet=loaded)


@blueprint.route("/matches/<match_id>/rounds/<round_id>", methods=["GET", "POST"])
def edit_round(match_id: str, round_id: str) -> str | Response | tuple[str, int]:
    """Show a round with its history, and correct it; 401, 403, 404, 412 on a stale sheet, 422."""
    if request.method == "POST":
        return _save_correction(match_id, round_id)
    match = guards.get_match(match_id, write=True, at_table=True)
    played, seats = guards.get_round_to_change(match, round_id), load_seating(guards.records(), match)
    versions = round_history(guards.records(), match, played, seats)
    return _drawn(match, played, versions, seats, wording.correction_view(match, played, seats, versions[-1]))


# -- saving ------------------------------------------------------------------------------------------------------------


def _save_new(match_id: str) -> str | Response | tuple[str, int]:
    session = guards.records()
    form: forms.RoundForm | None = None

    def draft() -> tuple[Sheet, rounds.Draft]:
        nonlocal form
        match = guards.get_match(match_id, write=True, at_table=True)
        sheet = load_sheet(session, match, last=0, rulings=False)
        form = forms.round_form(sheet.playing, sheet.terms.full_deck)()
        forms.check(form)
        forms.check_leavers(form, sheet.seating)
        entry = form.entry(points=sheet.terms.count == "points", deck=sheet.terms.full_deck)
        after = next((field.number for field in (form.seen, form.after) if field.number is not None), sheet.round_count)
        by = guards.get_key()
        return sheet, rounds.draft_round(session, match, entry, after, by, seating=sheet.seating)

    try:
        sheet, drafted = save(draft, lambda made: _write(made[1]), guards.once_of_form())
    except Repeated:
        return answer_change(guards.get_match(match_id))  # the same tap twice: it is on the sheet already
    except Conflict:
        if form is None:
            raise
        return _first_come(match_id, form)
    except Impossible as error:
        if form is None:
            raise
        return _again(match_id, form, error.problems, 422)
    match, after = sheet.match, sheet_after(sheet, drafted)
    undo = f"{address_of(match)}/rounds/{drafted.round_id}/strike"
    layout.announce(announced(after, form.newcomers if form is not None else ()), undo=undo, revision=match.state)
    return answer_change(match, after)


def _save_correction(match_id: str, round_id: str) -> str | Response | tuple[str, int]:
    session = guards.records()
    form: forms.RoundForm | None = None

    def draft() -> tuple[Match, Round, rounds.Draft | None]:
        nonlocal form
        match = guards.get_match(match_id, write=True, at_table=True)
        played = guards.get_round_to_change(match, round_id)
        seating = load_seating(session, match)
        terms = terms_at(session, match, played.place)
        form = forms.round_form(seating.at(played.place), terms.full_deck)()
        forms.check(form)
        if form.corrected:
            _keep_taken_out(form, RoundEntry.from_document(round_history(session, match, played, seating)[-1].stored))
        entry = form.entry(points=terms.count == "points", deck=terms.full_deck)
        # what others wrote elsewhere since the form was drawn does no harm
        seen, now = form.version.number, played.version
        if form.revision.data == str(match.state) if seen is None else seen == now:
            by = guards.get_key()
            return match, played, rounds.draft_correction(session, match, played, entry, by, seating=seating)
        newest = round_history(session, match, played)[-1]
        if played.struck or entry.to_document() != newest.stored:
            told = match_wording.round_played(newest)
            raise Stale(say("round.struck-by-others" if played.struck else "round.corrected-by-others", told=told))
        return match, played, None

    try:
        match, played, _ = save(draft, lambda made: _write(made[2]))
    except Stale as stale:
        assert form is not None
        return _again(match_id, form, [Problem("revision", str(stale))], 412, round_id)
    except Impossible as error:
        if form is None:
            raise
        return _again(match_id, form, error.problems, 422, round_id)
    undo = wording.bring_back_address(match, played, played.version - 1)
    layout.announce(say("round.corrected"), undo=undo, revision=match.state)
    if layout.wants_fragments():
        return layout.fragments({}, address=address_of(match))
    return layout.go(address_of(match))


def _keep_taken_out(form: forms.RoundForm, stored: RoundEntry) -> None:
    """Keep reasons of the stored round that were taken out, and aren't shown, unless others are typed."""
    before = {each.seat: each.reason for each in stored.adjustments}
    for seat in form.corrected:
        reason = form.adjustment(seat)[1]
        reason.data = typed_over(reason.data or "", before.get(seat.seat, ""))


def _write(drafted: rounds.Draft | None) -> None:
    """Write a version of a round, without names in its reasons that were deleted while it waited on a phone."""
    session = guards.records()
    rounds.write_draft(session, drafted)
    if drafted is not None and drafted.entry.get("adjustments") and layout.wants_fragments():
        here = (drafted.match.club_id, drafted.round_id)
        before = session.get(RoundVersion, (*here, drafted.version - 1))
        staying = {one["reason"] for one in before.entry.get("adjustments", ())} if before else ()
        version = session.get_one(RoundVersion, (*here, drafted.version))
        session.add_all(forget(session, version, drafted.match, staying))
        drafted.entry.update(version.entry)


def _again(
    match_id: str, form: forms.RoundForm, problems: Sequence[Problem], status: int, round_id: str = ""
) -> Response | tuple[str, int]:
    """Show the form once more, with what was typed and what is wrong beside it."""
    match = guards.get_match(match_id)
    played = guards.get_round(match, round_id) if round_id else None
    versions: Sequence[RoundView] = ()
    seating = load_seating(guards.records(), match)
    if played is not None:
        versions = round_history(guards.records(), match, played, seating)
        view = wording.correction_view(match, played, seating, versions[-1], form=form, problems=problems)
    else:
        loaded = load_sheet(guards.records(), match, last=1)
        view = wording.new_round_view(loaded, form=form, problems=problems, fresh=status != 422)
    if layout.wants_fragments():
        # a hand may be that of someone who left
        sent = [wording.for_script(problem, seating.seats) for problem in problems]
        now = {"after": view.after, "revision": view.revision, "version": view.version, "key": view.idempotency_key}
        seen = None if status == 422 else now
        return layout.fragments({}, address=view.sheet, problems=sent, seen=seen, status=status)
    return _drawn(match, played, versions, seating, view), status


def _first_come(match_id: str, form: forms.RoundForm) -> Response | tuple[str, int]:
    """Show what others saved since this form was opened, and ask whether it is the same round."""
    match = guards.get_match(match_id)
    loaded = load_sheet(guards.records(), match, last=ROUNDS_SHOWN, rulings=False)
    known = next((field.number for field in (form.seen, form.after) if field.number is not None), 0)
    newer = [round for round in loaded.rounds if round.number is not None and round.number > known]
    theirs = [say("round.told", round=row.number, told=match_wording.round_played(row)) for row in newer[:3]]
    problem = Problem("after", say("round.saved-first" if theirs else "round.saved-by-others"))
    if layout.wants_fragments():
        sent = [wording.for_script(problem, loaded.seating.seats)]
        seen = next_round_form_state(loaded)
        return layout.fragments({}, address=address_of(match), problems=sent, seen=seen, theirs=theirs, status=409)
    view = wording.new_round_view(loaded, form=form, problems=[problem], theirs=theirs)
    return render_template("rounds/round.html", form_view=view, history=None), 409


def _drawn(
    match: Match, played: Round | None, versions: Sequence[RoundView], seating: Seating, view: wording.RoundFormView
) -> str:
    if played is None:
        return render_template("rounds/round.html", form_view=view, history=None)
    number = rounds.number_of(guards.records(), match, played)
    return render_template(
        "rounds/round.html",
        form_view=view,
        round_count=rounds.count_rounds(guards.records(), match)[0],
        history=wording.lines_of(match, played, versions, seating),
        **wording.striking(match, played, versions, seating, number),
    )


# -- striking and bringing back ----------------------------------------------------------------------------------------


@blueprint.post("/matches/<match_id>/rounds/<round_id>/strike")
def strike(match_id: str, round_id: str) -> Response:
    """Take a round out of the count; 401, 403, 404, 412."""
    return _turn(match_id, round_id, struck=True)


@blueprint.post("/matches/<match_id>/rounds/<round_id>/restore")
def restore(match_id: str, round_id: str) -> Response:
    """Bring a struck round back; 401, 403, 404, 412."""
    return _turn(match_id, round_id, struck=False)


def _turn(match_id: str, round_id: str, *, struck: bool) -> Response:
    def draft(match: Match, played: Round) -> rounds.Draft | None:
        return rounds.draft_turn(guards.records(), match, played, guards.get_key(), struck=struck)

    match, played = _change(match_id, round_id, draft, struck=struck)
    undo = url_for("rounds.restore" if struck else "rounds.strike", match_id=match.id, round_id=played.id)
    layout.announce(say("round.was-struck" if struck else "round.was-restored"), undo=undo, revision=match.state)
    return answer_change(match)


@blueprint.post("/matches/<match_id>/rounds/<round_id>/versions/<int:number>")
def bring_back(match_id: str, round_id: str, number: int) -> Response:
    """Make an older version of a round count again, as a new version; 401, 403, 404, 412, 422."""

    def draft(match: Match, played: Round) -> rounds.Draft:
        versions = round_history(guards.records(), match, played)
        if not 1 <= number <= len(versions):
            raise NotFound("version")
        entry = RoundEntry.from_document(versions[number - 1].stored)
        return rounds.draft_correction(guards.records(), match, played, entry, guards.get_key())

    match, played = _change(match_id, round_id, draft)
    undo = wording.bring_back_address(match, played, played.version - 1)
    layout.announce(say("round.change-undone"), undo=undo, revision=match.state)
    return answer_change(match)


def _change(
    match_id: str, round_id: str, draft: Callable[[Match, Round], rounds.Draft | None], *, struck: bool | None = None
) -> tuple[Match, Round]:
    """Draft and write a new version of a round, once, for who has seen its newest.

    Nothing is written where the round is `struck`, or counts, already as it should.
    """

    def drafted() -> tuple[Match, Round, rounds.Draft | None]:
        match = guards.get_match(match_id, write=True, at_table=True)
        played = guards.get_round_to_change(match, round_id)
        if played.struck is struck:
            return match, played, None  # another phone did the same
        forms.check_round_seen(match, played)
        return match, played, draft(match, played)

    try:
        match, played, _ = save(
            drafted, lambda made: rounds.write_draft(guards.records(), made[2]), guards.once_of_form()
        )
    except Repeated:  # the same tap
        match = guards.get_match(match_id)
        played = guards.get_round(match, round_id)
    return match, played
