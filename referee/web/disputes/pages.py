"""The pages of a hearing: the list, one question at a time, and the ruling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from flask import redirect, render_template, request
from werkzeug.wrappers import Response

from referee.records.ids import new_id
from referee.records.rulings import PRIVATE
from referee.rules.disputes import Dispute
from referee.rules.facts import Fact, WrongAnswer
from referee.rules.library import rulebooks
from referee.rules.problem import Impossible, Problem
from referee.web.disputes import asking, presenter, tapping
from referee.web.disputes.context import (
    CAST,
    LONGEST_ANSWER,
    Context,
    DisputeState,
    context_of,
    find_dispute,
    find_rulebook,
    read_case,
)
from referee.web.disputes.room import blueprint
from referee.web.score import words
from referee.web.score.sheet import may_write
from referee.web.server import guards, limits

Page = str | Response | tuple[str, int]


@blueprint.get("/disputes")
def index() -> str:
    """List the disputes; 422 never: a rulebook that there is not is simply not chosen. 429."""
    rulebook = rulebooks().get(request.args.get("rulebook", ""))
    if rulebook:
        limits.count_hearing()
    lines = presenter.dispute_lines(Context(rulebook) if rulebook else None)
    return render_template("disputes/index.html", disputes=lines, match=None, rulebook=rulebook)


@blueprint.get("/matches/<match_id>/disputes")
def at_match(match_id: str) -> str:
    """List the disputes, to be settled under the rules of a match; 401, 403, 404."""
    match = guards.get_match(match_id)
    context = context_of(match)
    title = words.title_of(match, [seat.name for seat in context.seats])
    return render_template(
        "disputes/index.html",
        disputes=presenter.dispute_lines(context),
        match=match,
        title=title,
        rulebook=context.rulebook,
    )


@blueprint.route("/disputes/<dispute_id>", methods=["GET", "POST"])
def hear_anywhere(dispute_id: str) -> Page:
    """Hear a dispute under a rulebook that the address names; 404, 422."""
    dispute = find_dispute(dispute_id)
    problems: list[Problem] = []
    rulebook = find_rulebook(request.values, problems)
    if rulebook is None:
        return _choose(dispute, problems)
    return _hear(Context(rulebook), dispute, problems)


@blueprint.route("/matches/<match_id>/disputes/<dispute_id>", methods=["GET", "POST"])
def hear_at_match(match_id: str, dispute_id: str) -> Page:
    """Hear a dispute under what a match agreed on; nothing is written. 401, 403, 404, 422."""
    match = guards.get_match(match_id)
    return _hear(context_of(match), find_dispute(dispute_id), [])


def _choose(dispute: Dispute, problems: list[Problem]) -> tuple[str, int]:
    given = {key: value for key, value in request.args.items() if key in dispute.known_facts and key not in PRIVATE}
    lines = [(book, DisputeState(Context(book), dispute, given).address) for book in rulebooks().values()]
    page = render_template("disputes/choose.html", dispute=dispute, rulebooks=lines, problems=problems)
    return page, 422 if problems else 200


def _hear(context: Context, dispute: Dispute, problems: list[Problem]) -> Page:
    """Answer with the next question or the ruling; what a form brings that is not private goes to an address; 429."""
    limits.count_hearing()
    values = request.form if request.method == "POST" else request.args
    case = read_case(context, dispute, values, problems)
    if case.private and request.method == "GET" and context.match:
        problems.append(
            Problem(("facts", "hand"), "A hand is private: at a match it is tapped in, never in an address.")
        )
    if (undo := values.get("undo", "")) in case.given:
        return _go_on(case.before(undo), problems)
    answers = dict(parse_qsl(values.get("answer", "")[:LONGEST_ANSWER]))
    tap = tapping.read(case, values, problems)
    if tap.finished:
        answers[tap.key] = tap.text
    known = dispute.known_facts
    case = case.answered({key: value for key, value in answers.items() if key in known or key.startswith(CAST)})
    if not problems and not tap.open and (answers or request.method == "POST"):
        return _go_on(case, problems)
    return _show(case, tap, problems)


def _go_on(case: DisputeState, problems: list[Problem]) -> Page:
    """Send the browser to the address of the case, or show it right here where it is private."""
    if case.private and request.method == "POST":
        return _show(case, tapping.NOTHING, problems)
    return redirect(case.address, 303)


def _show(case: DisputeState, tap: tapping.Tap, problems: list[Problem]) -> Page:
    """Show what comes next: who it is about, the cards, a question, or the ruling."""
    if problems:
        return _question(case, None, tap, problems)
    if (wanted := case.needs_cast()) is not None:
        return _question(case, asking.ask_cast(case, wanted))
    try:
        facts = case.read()
    except Impossible as error:
        return _question(case, None, problems=error.problems)
    if tap.open:
        return _question(case, None, tap)
    try:
        heard = case.rule(facts)
    except Impossible as error:
        return _question(case, None, problems=error.problems)
    if isinstance(heard, Fact):
        question = asking.ask(case, heard, facts)
        return _question(case, question, tapping.opened(case, heard) if question.typed_as_cards else tapping.NOTHING)
    view = presenter.ruling_view(case, heard)
    told = list(presenter.others(case, facts, heard))
    return render_template("disputes/ruling.html", ruling=view, others=told, **_surroundings(case))


def _question(
    case: DisputeState,
    question: asking.Question | None,
    tap: tapping.Tap = tapping.NOTHING,
    problems: Sequence[Problem] = (),
) -> tuple[str, int]:
    page = render_template(
        "disputes/hearing.html", question=question, tap=tap, problems=problems, **_surroundings(case)
    )
    return page, 422 if problems else 200


def _surroundings(case: DisputeState) -> dict[str, Any]:
    """Give what every page of a hearing shows: where it is heard, and what was answered."""
    return {
        "case": case,
        "match": case.context.match,
        "may_write": case.context.match is not None and may_write(),
        "posting": case.private and request.method == "POST",
        "rulebook": case.context.rulebook,
        "answers": [Answered(key, _statement(case, key)) for key in case.given],
        "once": new_id(),
    }


@dataclass(frozen=True)
class Answered:
    """What was answered, and the fact to take it back by."""

    key: str
    text: str


def _statement(case: DisputeState, key: str) -> str:
    fact = case.dispute.worded(key, case.names)
    try:
        return fact.statement(fact.parse(case.given[key]))
    except WrongAnswer:
        return fact.text
