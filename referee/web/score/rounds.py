"""Recording a round, and looking at it, correcting, striking it or bringing it back later."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from flask import render_template, request, url_for
from werkzeug.wrappers import Response

from referee.records.agreements import in_force, terms_of
from referee.records.errors import Conflict, Stale
from referee.records.idempotency import recall, remember
from referee.records.models import Match, MatchStatus, Round
from referee.records.rounds import (
    VersionView,
    correct_round,
    record_round,
    restore_round,
    round_history,
    strike_round,
)
from referee.records.seating import Seated
from referee.records.sheets import Sheet, load_sheet
from referee.rules.cards import Card, Face
from referee.rules.problem import Impossible, Problem
from referee.rules.round_entry import DRAW_PILE_EMPTY, TIME_LIMIT, WENT_OUT
from referee.rules.scoring import last_card_reminder
from referee.rules.settings import DRAW_PILE_ENDS_ROUND, LAST_CARD_COUNTS, TIME_LIMIT_WINNER
from referee.rules.terms import Terms
from referee.web import guards, layout
from referee.web.extensions import db
from referee.web.forms.problems import Placed
from referee.web.forms.round import RoundForm, round_form
from referee.web.score import blueprint, words
from referee.web.score.sheet import address_of, sheet_fragment

NEW = "new"
WRITTEN_BY_OTHERS = "Somebody wrote meanwhile. What you tapped is kept: look whether it still fits, then save again."


@dataclass(frozen=True)
class PadKey:
    """One key of the hand pad: what it lays, what that counts, how many the deck has."""

    face: str
    label: str
    short: str
    points: int
    most: int


@dataclass(frozen=True)
class HandView:
    """One player's part of the form."""

    id: str
    name: str
    hand: str = ""
    cards_left: str = ""
    sat_out: bool = False
    credited: bool = False
    errors: Sequence[str] = ()


@dataclass(frozen=True)
class RoundFormView:
    """Everything the template of the round form shows."""

    title: str
    save: str
    action: str
    sheet: str
    draft: str
    after: str
    revision: str
    idempotency_key: str
    points: bool
    endings: Sequence[tuple[str, str]]
    ended: str
    went_out: str
    last_card: str
    last_cards: Sequence[tuple[str, str]]
    last_card_hint: str
    asks_last_card: bool
    asks_card_counts: bool
    asks_credit: bool
    players: Sequence[HandView]
    pad_keys: Sequence[PadKey]
    problems: Sequence[Placed] = ()
    errors: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class VersionLine:
    """One version of a round, worded."""

    title: str
    when: str
    by: str
    text: str


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


def check_revision(match: Match) -> None:
    """Raise `Stale` when the form was drawn before the last change of the match."""
    if request.form.get("revision", str(match.revision)) != str(match.revision):
        raise Stale("Somebody wrote meanwhile. Look at the sheet as it stands now, then do it again.")


def answer_with_sheet(match: Match) -> Response:
    """Answer a form that changed the match: with the sheet's fragments to a script, else with a redirect to it."""
    if not layout.wants_fragments():
        return layout.go(address_of(match))
    return layout.fragments(_parts(match), address=address_of(match))


def _parts(match: Match) -> dict[str, str]:
    loaded, html = sheet_fragment(match)
    open_ = match.status == MatchStatus.IN_PROGRESS
    pad = render_template("score/_round_form.html", form_view=new_round_view(loaded)) if open_ else ""
    return {"sheet": html, "pad": pad}


# -- saving ------------------------------------------------------------------------------------------------------------


def _save_new(match: Match) -> str | Response | tuple[str, int]:
    session = guards.records()
    loaded = load_sheet(session, match, last=1)
    form = round_form(loaded.seating.here)()
    try:
        key, digest = f"page:{(form.idempotency_key.data or '')[:100]}", _digest()
        if form.idempotency_key.data and recall(session, _club(), key, digest):
            return answer_with_sheet(match)  # the same tap twice: it is on the sheet already
        _check(form)
        entry = form.entry(points=loaded.terms.count == "points")
        after = form.after.number if form.after.number is not None else loaded.round_count
        played = record_round(session, match, entry, after, guards.get_key(write=True))
        if form.idempotency_key.data:
            remember(session, _club(), key, digest, 303, b"")
    except Conflict:
        db.session.rollback()
        return _again(match, form, [Problem("after", WRITTEN_BY_OTHERS)], 409)
    except Impossible as error:
        db.session.rollback()
        return _again(match, form, error.problems, 422)
    db.session.commit()
    undo = url_for("score.strike", match_id=match.id, round_id=played.id)
    layout.say(_saved_words(match, loaded), undo=undo, revision=match.revision)
    return answer_with_sheet(match)


def _save_correction(match: Match, played: Round) -> str | Response | tuple[str, int]:
    session = guards.records()
    seats = load_sheet(session, match, last=1).seating.at(played.place)
    form = round_form(seats)()
    terms = terms_of(session, match, in_force(load_sheet(session, match, last=1).agreements, played.place))
    try:
        _check(form)
        if str(form.revision.data) != str(match.revision):
            return _again(match, form, [Problem("revision", WRITTEN_BY_OTHERS)], 412, played)
        correct_round(session, match, played, form.entry(points=terms.count == "points"), guards.get_key(write=True))
    except Impossible as error:
        db.session.rollback()
        return _again(match, form, error.problems, 422, played)
    db.session.commit()
    layout.say("Corrected. The old version stays on record.")
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
    layout.say("The round is struck." if struck else "The round is back.", undo=undo, revision=match.revision)
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


def _digest() -> str:
    said = sorted(
        (name, value)
        for name, value in request.form.items(multi=True)
        if name not in ("csrf_token", "revision") and value
    )
    return hashlib.sha256(repr(said).encode()).hexdigest()


def _club() -> object:
    return guards.get_club(write=True)


def _again(
    match: Match, form: RoundForm, problems: Sequence[Problem], status: int, played: Round | None = None
) -> Response | tuple[str, int]:
    """Show the form once more, with what was typed and what is wrong beside it."""
    match = guards.get_match(match.id)
    loaded = load_sheet(guards.records(), match, last=1)
    if played is not None:
        played = guards.get_round(match, played.id)
        view = _correction_view(match, played, loaded, form=form, problems=problems)
    else:
        view = new_round_view(loaded, form=form, problems=problems, fresh=status != 422)
    if layout.wants_fragments():
        said = [_for_script(problem, form.seats) for problem in problems]
        parts = _parts(match) if status != 422 and played is None else {}
        return layout.fragments(parts, address=view.sheet, problems=said, status=status)
    history = _history(match, played) if played is not None else None
    page = render_template("score/round.html", form_view=view, history=history, **_striking(match, played))
    return page, status


def _for_script(problem: Problem, seats: Sequence[Seated]) -> dict[str, str]:
    seat = next((seat for seat in seats if _belongs(problem, seat)), None)
    return {"field": problem.field, "message": problem.message, "player": seat.player_id if seat else ""}


def _belongs(problem: Problem, seat: Seated) -> bool:
    own = (f"hands.{seat.name}", f"cards_left.{seat.name}", f"hand-{seat.player_id}", f"left-{seat.player_id}")
    return problem.field in own or problem.field.startswith(f"hands.{seat.name}[")


def _saved_words(match: Match, before: Sheet) -> str:
    said = f"Round {before.round_count + 1} saved."
    if match.status == MatchStatus.FINISHED:
        said += " The match is over."
    return said


# -- views of the form -------------------------------------------------------------------------------------------------


def new_round_view(
    sheet: Sheet,
    *,
    went_out: str = "",
    form: RoundForm | None = None,
    problems: Sequence[Problem] = (),
    fresh: bool = True,
) -> RoundFormView:
    """Give the empty form of the next round, or one with what was typed.

    `fresh` asks for a new key, and for the newest sheet as the one that was seen.
    """
    key = (form.idempotency_key.data or "") if form is not None and not fresh else ""
    return _form_view(
        sheet.terms,
        sheet.match,
        sheet.seating.here,
        form=form,
        problems=problems,
        title=f"Round {sheet.round_count + 1}",
        save="Save round",
        action=url_for("score.new_round", match_id=sheet.match.id),
        draft=f"{sheet.match.id}.{NEW}",
        after=str(sheet.round_count) if form is None or fresh else form.after.data or "",
        idempotency_key=key or secrets.token_urlsafe(12),
        went_out=went_out,
    )


def _correction_view(
    match: Match, played: Round, sheet: Sheet, *, form: RoundForm | None = None, problems: Sequence[Problem] = ()
) -> RoundFormView:
    terms = terms_of(guards.records(), match, in_force(sheet.agreements, played.place))
    latest = round_history(guards.records(), match, played)[-1]
    return _form_view(
        terms,
        match,
        sheet.seating.at(played.place),
        form=form,
        problems=problems,
        entered=latest,
        title="Correct the round",
        save="Save correction",
        action=url_for("score.edit_round", match_id=match.id, round_id=played.id),
        draft=f"{match.id}.{played.id}.{played.version}",
        after="",
        idempotency_key="",
        went_out="",
    )


def _form_view(
    terms: Terms,
    match: Match,
    seats: Sequence[Seated],
    *,
    form: RoundForm | None,
    problems: Sequence[Problem],
    title: str,
    save: str,
    action: str,
    draft: str,
    after: str,
    idempotency_key: str,
    went_out: str,
    entered: VersionView | None = None,
) -> RoundFormView:
    endings = [(WENT_OUT, "Somebody went out")]
    if terms.rulebook.value(DRAW_PILE_ENDS_ROUND, False):
        endings.append((DRAW_PILE_EMPTY, "Nobody: the draw pile is empty"))
    if terms.rulebook.find(TIME_LIMIT_WINNER):
        endings.append((TIME_LIMIT, "Nobody: time is up"))
    entry = entered.entry if entered else {}
    out = next((seat.player_id for seat in seats if entry and entry["went_out"] == seat.name), went_out)
    last_cards = [("", "Any other card")]
    drawn = []
    for face in terms.box.faces if terms.rulebook.value(LAST_CARD_COUNTS, False) else ():
        if count := last_card_reminder(terms, Card(face)):
            last_cards.append((str(face), face.label))
            drawn.append(f"{count} after a {face.label}")
    hint = f"The next player still draws {' and '.join(drawn)}; those cards count too." if drawn else ""
    hands = [_hand_view(seat, form, problems, entry) for seat in seats]
    placed = [problem for problem in problems if not any(_belongs(problem, seat) for seat in seats)]
    return RoundFormView(
        title=title,
        save=save,
        action=action,
        sheet=address_of(match),
        draft=draft,
        after=after,
        revision=str(match.revision),
        idempotency_key=idempotency_key,
        points=terms.count == "points",
        endings=endings,
        ended=(form.ended.data if form else entry.get("ended")) or WENT_OUT,
        went_out=(form.went_out.data or "") if form else out,
        last_card=(form.last_card.data or "") if form else entry.get("last_card") or "",
        last_cards=last_cards,
        last_card_hint=hint,
        asks_last_card=bool(drawn),
        asks_card_counts=any(value == TIME_LIMIT for value, _ in endings),
        asks_credit=any(value == DRAW_PILE_EMPTY for value, _ in endings) and terms.awards == "winner-takes",
        players=hands,
        pad_keys=_keys(terms),
        problems=[Placed(problem.message, _id_of(problem, seats)) for problem in problems],
        errors={
            name: [problem.message for problem in placed if problem.field.startswith(name)]
            for name in ("ended", "went_out", "last_card", "credited_to")
        },
    )


def _hand_view(
    seat: Seated, form: RoundForm | None, problems: Sequence[Problem], entry: Mapping[str, object]
) -> HandView:
    errors = [problem.message for problem in problems if _belongs(problem, seat)]
    if form is not None:
        return HandView(
            seat.player_id,
            seat.name,
            form.hand(seat).data or "",
            form.cards_left(seat).data or "",
            seat.player_id in (form.sat_out.data or ()),
            seat.player_id in (form.credited_to.data or ()),
            errors,
        )
    if not entry:
        return HandView(seat.player_id, seat.name)
    hands, counts, sat_out, credited = (entry[name] or () for name in ("hands", "cards_left", "sat_out", "credited_to"))
    hand = hands.get(seat.name, ()) if isinstance(hands, Mapping) else ()
    text = f"={hand}" if isinstance(hand, int) else " ".join(hand)
    count = counts.get(seat.name, "") if isinstance(counts, Mapping) else ""
    return HandView(
        seat.player_id,
        seat.name,
        text,
        str(count),
        seat.name in sat_out,  # type: ignore[operator]
        seat.name in credited,  # type: ignore[operator]
        errors,
    )


def _id_of(problem: Problem, seats: Sequence[Seated]) -> str:
    seat = next((seat for seat in seats if _belongs(problem, seat)), None)
    if seat is not None:
        return f"hand-{seat.player_id}"
    return "went_out" if problem.field in ("went_out", "hands") else ""


def _keys(terms: Terms) -> list[PadKey]:
    points, box = terms.card_points(), terms.box
    return [
        PadKey(str(face), face.label, words.SHORT.get(face, ""), points.get(face, 0), box.face_count(face))
        for face in box.faces
        if face in points or face in (Face.BLANK,)
    ]


# -- one round and its history -----------------------------------------------------------------------------------------


def _edit_page(match: Match, played: Round) -> str:
    sheet = load_sheet(guards.records(), match, last=1)
    view = _correction_view(match, played, sheet)
    return render_template(
        "score/round.html", form_view=view, history=_history(match, played), **_striking(match, played)
    )


def _striking(match: Match, played: Round | None) -> dict[str, object]:
    if played is None:
        return {}
    endpoint = "score.restore" if played.struck else "score.strike"
    return {
        "struck": played.struck,
        "strike_address": url_for(endpoint, match_id=match.id, round_id=played.id),
    }


def _history(match: Match, played: Round) -> list[VersionLine]:
    versions = round_history(guards.records(), match, played)
    return [_version_line(version, versions[index - 1] if index else None) for index, version in enumerate(versions)]


def _version_line(version: VersionView, before: VersionView | None) -> VersionLine:
    if before is None:
        title = "Recorded"
    elif version.struck != before.struck:
        title = "Struck" if version.struck else "Brought back"
    else:
        title = "Corrected"
    points = ", ".join(f"{name} {points}" for name, points in version.points.items())
    out = version.entry["went_out"]
    return VersionLine(
        title=title,
        when=f"{words.day(version.entered_at)}, {version.entered_at:%H:%M} UTC",
        by=version.entered_by or "",
        text=f"{out + ' went out' if out else 'Nobody went out'}: {points}.",
    )
