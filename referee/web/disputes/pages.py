"""The pages of a hearing: the list, one question at a time, and the ruling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qsl

from flask import redirect, render_template, request, url_for
from flask_wtf.csrf import generate_csrf
from werkzeug.wrappers import Response

from referee.records.ids import new_id
from referee.records.rulings import PRIVATE
from referee.rules.disputes import Dispute
from referee.rules.disputes.base import Facts
from referee.rules.facts import Fact
from referee.rules.problem import Impossible, Problem
from referee.rules.ruling import Ruling
from referee.web.disputes import asking, choosing, presenter, tapping
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
from referee.web.page.elements import Link
from referee.web.rulebooks import available, find_to_read
from referee.web.score import summaries
from referee.web.server import guards, rate_limits
from referee.web.words import say

Page = str | Response | tuple[str, int]


@blueprint.get("/disputes")
def index() -> str:
    """List the disputes; 422 never: a rulebook that there is not is simply not chosen. 429."""
    rulebook = find_to_read(request.args.get("rulebook", ""))
    if rulebook:
        rate_limits.count_hearing()
    page = {
        "rulebook": rulebook.title if rulebook else "",
        "search": url_for("rules.index"),
        **choosing.dispute_groups(Context(rulebook) if rulebook else None),
    }
    return render_template("disputes/index.html", page=page)


@blueprint.get("/matches/<match_id>/disputes")
def at_match(match_id: str) -> str:
    """List the disputes, to be settled under the rules of a match; 401, 403, 404."""
    match = guards.get_match(match_id)
    context = context_of(match)
    title = summaries.title_of(match, [seat.name for seat in context.seats])
    page = {
        "match": title,
        "sheet": url_for("score.sheet", match_id=match.id),
        "rulebook": context.rulebook.title,
        "agreed": True,
        "search": url_for("rules.at_match", match_id=match.id),
        **choosing.dispute_groups(context),
    }
    return render_template("disputes/index.html", page=page)


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
    books = [
        Link(book.title, DisputeState(Context(book), dispute, given).address, book.sentence)
        for book in available().values()
    ]
    head = {"title": dispute.title, "list": url_for("disputes.index")}
    page = render_template("disputes/choose.html", page=head, rulebooks=books, problems=problems)
    return page, 422 if problems else 200


def _hear(context: Context, dispute: Dispute, problems: list[Problem]) -> Page:
    """Answer with the next question or the ruling; what a form brings that is not private goes to an address; 429."""
    rate_limits.count_hearing()
    values = request.form if request.method == "POST" else request.args
    case = read_case(context, dispute, values, problems)
    if case.private and request.method == "GET" and context.match:
        problems.append(Problem(("facts", "hand"), say("case.private")))
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
    return _ruling(case, facts, heard)


def _question(
    case: DisputeState,
    question: asking.Question | None,
    tap: tapping.Tap = tapping.NOTHING,
    problems: Sequence[Problem] = (),
) -> tuple[str, int]:
    """Show a question, the keys to tap, or what is wrong."""
    page, posting = _head(case), _is_posting(case)
    if question:
        goes = request.args.get("direction", "")
        page["question"] = presenter.question_view(case, question, posting=posting, goes=goes)
    rulebook = case.context.rulebook
    shown = render_template(
        "disputes/hearing.html",
        page=page,
        tap=tap,
        form=_form(case, post=posting or tap.private),
        problems=problems,
        match=case.context.match,
        rulebook=rulebook,
        house_rules=not (case.context.match or posting or tap.open or case.given) and rulebook.house_rules,
    )
    return shown, 422 if problems else 200


def _ruling(case: DisputeState, facts: Facts, heard: Ruling) -> str:
    """Show a ruling, and at a match the form that writes it down."""
    page, match = _head(case), case.context.match
    page |= {
        "ruling": presenter.ruling_view(case, heard),
        "others": list(presenter.others(case, facts, heard)),
        "hand": case.private and ("match" if match else "anywhere"),
        "share": case.address if case.private and not match else "",
    }
    if match and guards.may_write():
        page["writes"] = {
            "address": url_for("disputes.write_down", match_id=match.id, dispute_id=case.dispute.id),
            "fields": [*_form(case, post=True).fields, ("once", new_id())],
            "asks_hand": case.private,
        }
    return render_template("disputes/ruling.html", page=page)


def _head(case: DisputeState) -> dict[str, Any]:
    """Give what every page of a hearing shows: where it is heard, and what was answered."""
    posting, context = _is_posting(case), case.context
    anywhere = "" if context.match else url_for("disputes.hear_anywhere", dispute_id=case.dispute.id)
    return {
        "title": case.dispute.heading(context.rulebook).title,
        "list": presenter.list_address(context),
        "rules": presenter.rules_of(context.rulebook),
        "change_rules": anywhere,
        "answers": presenter.answers_view(case, posting=posting),
        "form": _form(case, post=True) if posting else None,
    }


def _is_posting(case: DisputeState) -> bool:
    """Tell whether every further step is posted, since a hand was given that no address shows."""
    return case.private and request.method == "POST"


def _form(case: DisputeState, *, post: bool) -> presenter.FormView:
    fields = case.parameters()
    if post:
        return presenter.FormView(case.place, "post", [("csrf_token", generate_csrf()), *fields])
    return presenter.FormView(case.place, "get", fields)
