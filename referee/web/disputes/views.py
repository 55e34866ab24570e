"""Settle a dispute: choose one, answer question by question, get the ruling, save it to the match."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

from flask import Blueprint, redirect, render_template, request, url_for
from flask_wtf.csrf import generate_csrf
from werkzeug.wrappers import Response

from referee.records.club.precedents import load_precedents, offered
from referee.records.deletion.incoming import forget
from referee.records.errors import Repeated
from referee.records.ids import new_id
from referee.records.match.agreements import frozen_rulebook
from referee.records.match.rulings import PRIVATE, Case, draft_ruling, get_ruling, write_ruling
from referee.records.match.seating import load_seating
from referee.records.models import Match, RemovedText
from referee.records.models import Ruling as SavedRuling
from referee.rules.disputes import Dispute
from referee.rules.disputes.base import Facts
from referee.rules.disputes.facts import Fact
from referee.rules.disputes.open_points import Decision
from referee.rules.disputes.ruling import Ruling
from referee.rules.text.problem import Impossible, Problem
from referee.web.disputes import forms, questions, wording
from referee.web.page import layout, match_wording
from referee.web.page.changes import answer_change
from referee.web.page.layout import Link
from referee.web.page.rulebooks import available, find_to_read
from referee.web.server import guards, local_time, rate_limits
from referee.web.server.database import save
from referee.web.words import say

blueprint = Blueprint("disputes", __name__)


Page = str | Response | tuple[str, int]


@blueprint.get("/disputes")
def index() -> str:
    """List the disputes. An unknown rulebook is ignored (no 422); 429 when rate-limited."""
    rulebook = find_to_read(request.args.get("rulebook", ""))
    if rulebook:
        rate_limits.count_hearing()
    page = {
        "rulebook": rulebook.title if rulebook else "",
        "search": url_for("rules.index"),
        **wording.dispute_groups(forms.Context(rulebook) if rulebook else None),
    }
    return render_template("disputes/index.html", page=page)


@blueprint.get("/matches/<match_id>/disputes")
def at_match(match_id: str) -> str:
    """List the disputes under the rules of a match; 401, 403, 404."""
    match = guards.get_match(match_id)
    context = forms.context_of(match)
    title = match_wording.title_of(match, [seat.name for seat in context.seats])
    page = {
        "match": title,
        "sheet": url_for("score.sheet", match_id=match.id),
        "rulebook": context.rulebook.title,
        "agreed": True,
        "search": url_for("rules.at_match", match_id=match.id),
        **wording.dispute_groups(context),
    }
    return render_template("disputes/index.html", page=page)


@blueprint.route("/disputes/<dispute_id>", methods=["GET", "POST"])
def hear_anywhere(dispute_id: str) -> Page:
    """Decide a dispute under the rulebook in the address; 404, 422."""
    dispute = forms.find_dispute(dispute_id)
    problems: list[Problem] = []
    rulebook = forms.find_rulebook(request.values, problems)
    if rulebook is None:
        return _choose(dispute, problems)
    return _hear(forms.Context(rulebook), dispute, problems)


@blueprint.route("/matches/<match_id>/disputes/<dispute_id>", methods=["GET", "POST"])
def hear_at_match(match_id: str, dispute_id: str) -> Page:
    """Decide a dispute under the rules of a match, without saving anything; 401, 403, 404, 422."""
    match = guards.get_match(match_id)
    return _hear(forms.context_of(match), forms.find_dispute(dispute_id), [])


def _choose(dispute: Dispute, problems: list[Problem]) -> tuple[str, int]:
    given = {key: value for key, value in request.args.items() if key in dispute.known_facts and key not in PRIVATE}
    books = [
        Link(book.title, forms.DisputeState(forms.Context(book), dispute, given).address, book.sentence)
        for book in available().values()
    ]
    head = {"title": dispute.title, "list": url_for("disputes.index")}
    page = render_template("disputes/choose.html", page=head, rulebooks=books, problems=problems)
    return page, 422 if problems else 200


def _hear(context: forms.Context, dispute: Dispute, problems: list[Problem]) -> Page:
    """Return the next question or the ruling; an answer that isn't private redirects to its own address. 429."""
    rate_limits.count_hearing()
    values = request.form if request.method == "POST" else request.args
    case = forms.read_case(context, dispute, values, problems)
    if case.private and request.method == "GET" and context.match:
        problems.append(Problem(("facts", "hand"), say("case.private")))
    if (undo := values.get("undo", "")) in case.given:
        return _go_on(case.before(undo), problems)
    answers = dict(parse_qsl(values.get("answer", "")[: forms.LONGEST_ANSWER]))
    tap = forms.read_tap(case, values, problems)
    if tap.finished:
        answers[tap.key] = tap.text
    known = dispute.known_facts
    case = case.answered({key: value for key, value in answers.items() if key in known or key.startswith(forms.CAST)})
    if not problems and not tap.open and (answers or request.method == "POST"):
        return _go_on(case, problems)
    return _show(case, tap, problems)


def _go_on(case: forms.DisputeState, problems: list[Problem]) -> Page:
    """Redirect to the address of the case; show a private one right here."""
    if case.private and request.method == "POST":
        return _show(case, forms.NO_TAP, problems)
    return redirect(case.address, 303)


def _show(case: forms.DisputeState, tap: forms.Tap, problems: list[Problem]) -> Page:
    """Return the next page: who it is about, the cards, a question, or the ruling."""
    if problems:
        return _question(case, None, tap, problems)
    if (wanted := case.needs_cast()) is not None:
        return _question(case, questions.ask_cast(case, wanted))
    try:
        facts = case.read()
        heard = None if tap.open else case.rule(facts)
    except Impossible as error:
        return _ask_again(case, error.problems)
    if heard is None:
        return _question(case, None, tap)
    return _ask(case, heard, facts) if isinstance(heard, Fact) else _ruling(case, facts, heard)


def _ask(case: forms.DisputeState, fact: Fact[Any], facts: Facts, problems: Sequence[Problem] = ()) -> Page:
    """Return the page that asks for a fact."""
    question = questions.ask(case, fact, facts)
    tapped = question.typed and question.kind in ("card", "cards")
    return _question(case, question, forms.open_keys(case, fact) if tapped else forms.NO_TAP, problems)


def _ask_again(case: forms.DisputeState, problems: Sequence[Problem]) -> Page:
    """Return the page that says what is wrong, with the first question that was answered wrongly."""
    wrong = {problem.path[1] for problem in problems if problem.path[:1] == ("facts",) and problem.path[1:]}
    if (first := next((key for key in case.given if key in wrong), None)) is not None:
        before = case.before(first)
        with suppress(Impossible):
            facts = before.read()
            heard = before.rule(facts)
            if isinstance(heard, Fact) and heard.key == first:
                return _ask(before, heard, facts, problems)
    return _question(case, None, problems=problems)


def _question(
    case: forms.DisputeState,
    question: questions.Question | None,
    tap: forms.Tap = forms.NO_TAP,
    problems: Sequence[Problem] = (),
) -> tuple[str, int]:
    """Return the page of a question, of the keys to tap, or of what is wrong."""
    page, posting = _head(case), _is_posting(case)
    if question:
        goes = request.args.get("direction", "")
        page["question"] = wording.question_view(case, question, posting=posting, goes=goes)
    rulebook = case.context.rulebook
    key = question.key if question else tap.key
    shown = render_template(
        "disputes/hearing.html",
        page=page,
        at_stake=wording.clauses_at_stake(case, key),
        tap=tap,
        form=_form(case, post=posting or tap.private),
        problems=problems,
        match=case.context.match,
        rulebook=rulebook,
        house_rules=not (case.context.match or posting or tap.open or case.given) and rulebook.house_rules,
    )
    return shown, 422 if problems else 200


def _ruling(case: forms.DisputeState, facts: Facts, heard: Ruling) -> str:
    """Return the page of a ruling, at a match with what could be decided and the form that saves it."""
    page, match = _head(case), case.context.match
    law = load_precedents(guards.records(), match.club_id, dispute=case.dispute.id) if match else ()
    page |= {
        "ruling": wording.ruling_view(case, heard),
        "open": wording.open_points(case, facts, heard, law) if match else (),
        "decided": [one.say() for one in case.decided],
        "undecided": "" if case.private else replace(case, decided=()).address,
        "decides": _form(case, post=case.private) if match and guards.may_record() else None,
        "others": list(wording.others(case, facts, heard)),
        "hand": case.private and ("match" if match else "anywhere"),
        "picture": case.picture,
        "picture_in": guards.picture_language() if match and case.picture else "",
        "share": case.address if case.private and not match else "",
    }
    if match and guards.may_record():
        newest = [found[0].decision for found in offered(law, [one.clause for one in case.decided]).values()]
        page["writes"] = {
            "address": url_for("disputes.write_down", match_id=match.id, dispute_id=case.dispute.id),
            "fields": [
                *_form(case, post=True).fields, ("once", new_id()), ("standing", law[0].ruling.id if law else "")
            ],
            "asks_hand": case.private,
            "decides": bool(case.decided),
            "keeps": guards.may_write()
            and (any(one not in newest for one in case.decided) if case.decided else bool(heard.open)),
        }  # fmt: skip
    return render_template("disputes/ruling.html", page=page)


def _head(case: forms.DisputeState) -> dict[str, Any]:
    """Return what every page of a hearing shows: the rules, and the answers so far."""
    posting, context = _is_posting(case), case.context
    anywhere = "" if context.match else url_for("disputes.hear_anywhere", dispute_id=case.dispute.id)
    return {
        "title": case.dispute.heading(context.rulebook).title,
        "list": wording.list_address(context),
        "rules": wording.rules_of(context.rulebook),
        "change_rules": anywhere,
        "answers": wording.answers_view(case, posting=posting),
        "form": _form(case, post=True) if posting else None,
    }


def _is_posting(case: forms.DisputeState) -> bool:
    """Return whether further steps are posted, since a hand was entered that no address may contain."""
    return case.private and request.method == "POST"


def _form(case: forms.DisputeState, *, post: bool) -> wording.FormView:
    fields = case.parameters()
    if post:
        return wording.FormView(case.start_address, "post", [("csrf_token", generate_csrf()), *fields])
    return wording.FormView(case.start_address, "get", fields)


@blueprint.post("/matches/<match_id>/disputes/<dispute_id>/ruling")
def write_down(match_id: str, dispute_id: str) -> Response:
    """Decide the case again and save the ruling to the match; 401, 403, 404, 422."""
    session, dispute = guards.records(), forms.find_dispute(dispute_id)
    decided, keep = request.form.get("table_decided", "").strip(), request.form.get("keep") == "always"

    def draft() -> tuple[Match, SavedRuling, list[RemovedText]]:
        match, by = guards.get_match(match_id, write=True, at_table=True), guards.get_key_for_ruling(keep=keep)
        problems: list[Problem] = []
        heard = forms.read_case(forms.context_of(match), dispute, request.form, problems)
        case = Case(
            dispute=dispute.id,
            facts=heard.given,
            players={str(role): name for role, name in heard.names.items()},
            accepted=not decided,
            table_decided=decided,
            keep_hand="keep_hand" in request.form,
            decided=_decided(heard, decided if keep else ""),
            keep=keep,
        )
        given = draft_ruling(session, match, case, by)
        waited = layout.wants_fragments()  # perhaps, on a phone, since before a name was deleted
        return match, given, forget(session, given, match) if waited else []

    def write(found: tuple[Match, SavedRuling, list[RemovedText]]) -> None:
        match, given, apart = found
        write_ruling(session, match, given, request.form.get("standing", ""))
        session.add_all(apart)

    try:
        match, saved, _ = save(draft, write, guards.once_of_form("once"))
    except Repeated:
        match = guards.get_match(match_id)
    else:
        undo = url_for("law.change", ruling_id=saved.id, what="forget") if saved.kept else ""
        layout.announce(say("our-law.kept" if saved.kept else "hearing.ruling-saved"), undo=undo)
    return answer_change(match)


def _decided(case: forms.DisputeState, words: str) -> Sequence[Decision]:
    """Return what the table decided of a case, with its words for the first question that is open."""
    heard = case.rule(case.read())
    points = heard.open if isinstance(heard, Ruling) and not case.decided else ()
    return (*case.decided, *(Decision(point.clause, text=words) for point in points[:1] if words))


@blueprint.get("/matches/<match_id>/rulings/<ruling_id>")
def show_ruling(match_id: str, ruling_id: str) -> str:
    """Show a saved ruling as it was made; 401, 403, 404."""
    match = guards.get_match(match_id)
    recorded = get_ruling(guards.records(), match, ruling_id)
    seating = load_seating(guards.records(), match)
    return render_template(
        "disputes/on_record.html",
        match=match,
        ruling=wording.recorded_view(match, recorded, seating),
        picture=url_for("pictures.saved_ruling", match_id=match.id, ruling_id=recorded.id),
        accepted=recorded.accepted,
        table_decided=recorded.table_decided,
        hand=recorded.facts.get("hand"),
        source=frozen_rulebook(guards.records(), match.club_id, recorded.rulebook_digest).source,
        when=local_time.minute(recorded.given_at),
    )
