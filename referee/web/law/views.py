"""Our law: what a club decided where its rules are silent, to be searched, forgotten and added to without a quarrel."""

from collections.abc import Sequence

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from referee.records.club.precedents import (
    Precedent,
    draft_rule_of_ours,
    forget_or_restore,
    keep_rule_of_ours,
    load_precedents,
    make_rule,
    newest_of_each,
    own_on_base,
)
from referee.records.errors import Repeated
from referee.records.ids import new_id
from referee.records.match.agreements import terms_at
from referee.records.match.history import list_matches
from referee.records.models import Ruling
from referee.records.names import LONGEST_LINE
from referee.rules.books.library import every_question
from referee.rules.books.rulebook import TOPICS, Rulebook
from referee.rules.disputes import DISPUTES_BY_ID
from referee.rules.disputes.open_points import Decision
from referee.rules.disputes.tree import open_case, open_questions
from referee.rules.text.problem import Impossible, Problem, fold
from referee.web.disputes.forms import Context, DisputeState, read_decision
from referee.web.disputes.wording import open_points, rules_of
from referee.web.page import layout
from referee.web.page.layout import Link
from referee.web.page.rulebooks import available, find_rulebook
from referee.web.server import guards, local_time, rate_limits
from referee.web.server.database import save
from referee.web.words import say

blueprint = Blueprint("law", __name__)


@blueprint.get("/club/law")
def index() -> str:
    """List what the club decided, with these words in it; 401, 403."""
    club = guards.get_club()
    q = request.args.get("q", "")[:LONGEST_LINE]
    entries: dict[tuple[str, str], list[Precedent]] = {}  # by dispute and question, the newest first
    for one in load_precedents(guards.records(), club.id, q=q):
        entries.setdefault((one.ruling.dispute, one.decision.clause), []).append(one)
    shown = {"entries": entries.values(), "q": q, "may_write": guards.may_write(), "day": local_time.day}
    return render_template("club/law.html", **shown)


UNDONE = {"forget": "again", "again": "forget"}
"""What takes a change back."""


@blueprint.post("/club/law/<ruling_id>/<any(forget,again,rule):what>")
def change(ruling_id: str, what: str) -> Response:
    """Forget a decision, take that back, or make it a rule of the club's own rulebook; 401, 403, 404."""

    def write() -> str:
        session, club = guards.records(), guards.get_club(write=True)
        if what == "rule":
            row = make_rule(session, club, ruling_id, guards.get_key(write=True))
            return say("our-law.ruled", rulebook=row.document["title"])
        forget_or_restore(session, club.id, ruling_id, kept=what == "again")
        return say("our-law.again" if what == "again" else "our-law.forgotten")

    try:
        said, undo = save(write), UNDONE.get(what)
    except Impossible as error:
        said, undo = error.problems[0].message, None
    layout.announce(said, undo=url_for("law.change", ruling_id=ruling_id, what=undo) if undo else "")
    address = url_for("law.index")
    if layout.wants_fragments():
        return layout.fragments({"messages": layout.messages()}, address=address)
    return layout.go(address)


def _rulebook() -> Rulebook:
    """Return the rulebook of the newest match, as it agreed on it, or another that the request names."""
    id, club = request.values.get("rulebook", ""), guards.get_club(write=True)
    rate_limits.count_hearing()  # all of them are heard to find what is open
    for match in list_matches(guards.records(), club, limit=1).matches:
        if id in ("", match.rulebook):
            return terms_at(guards.records(), match).rulebook
    return find_rulebook(id) if id else next(iter(available().values()))


@blueprint.get("/club/law/open")
def list_open() -> str:
    """List what the club's rules leave open, by topic; 401, 403, 422, 429."""
    rulebook, q = _rulebook(), request.args.get("q", "")[:LONGEST_LINE]
    counts = newest_of_each(load_precedents(guards.records(), guards.get_club().id))
    ours = {(one.ruling.dispute, one.decision.clause): one.decision.say() for one in counts}
    topics: dict[str, list[Link]] = {}
    for dispute, clause in open_questions(rulebook):
        question, title = every_question()[clause], DISPUTES_BY_ID[dispute].heading(rulebook).title
        if all(word in fold(f"{question.text} {title}") for word in fold(q).split()):
            address = url_for("law.decide", dispute_id=dispute, clause=clause, rulebook=rulebook.id)
            hint = " · ".join(filter(None, (title, ours.get((dispute, clause)))))
            topics.setdefault(question.topic, []).append(Link(question.text, address, hint))
    own = own_on_base(guards.records(), guards.get_club().id, rulebook.base or rulebook.id, rulebook.id)
    new = url_for("own_rulebooks.new", base=rulebook.base or rulebook.id)
    words = url_for("own_rulebooks.edit", own_id=own[0].id) if own else new
    books = {rulebook.id: rulebook.title} | {id: book.title for id, book in available().items()}
    shown = {"topics": sorted(topics.items(), key=lambda one: TOPICS.index(one[0])), "q": q, "words": words}
    return render_template("club/open.html", rulebook=rulebook, books=books.items(), **shown)


@blueprint.route("/club/law/open/<dispute_id>/<clause>", methods=["GET", "POST"])
def decide(dispute_id: str, clause: str) -> str | Response | tuple[str, int]:
    """Show what an open question may be decided by, or keep what the club decides; 401, 403, 409, 422, 429."""
    rulebook = _rulebook()
    facts, ruling = open_case(rulebook, dispute_id, clause)
    problems = _keep(rulebook, dispute_id, clause) if request.method == "POST" else ()
    if problems is None:
        return layout.go(url_for("law.index"))
    session, club = guards.records(), guards.get_club()
    case = DisputeState(Context(rulebook), DISPUTES_BY_ID[dispute_id])
    law = load_precedents(session, club.id, dispute=dispute_id)
    (point,) = open_points(case, facts, ruling, law)
    point["lines"] = [line | {"here": ""} for line in point["lines"]]  # without names it says the same again
    page = {
        "point": point,
        "heard": [case.dispute.heading(rulebook).title, *rules_of(rulebook)],
        "back": url_for("law.list_open", rulebook=rulebook.id),
        "fields": [("rulebook", rulebook.id), ("once", new_id()), ("standing", law[0].ruling.id if law else "")],
        "words": request.form.get("words", ""),
    }
    return render_template("club/decide.html", page=page, problems=problems), 422 if problems else 200


def _keep(rulebook: Rulebook, dispute_id: str, clause: str) -> Sequence[Problem] | None:
    """Keep what the form decides; return what is wrong with it, None where it is kept."""
    tapped = read_decision(request.form.get("decided", ""))
    decided = tapped or Decision(clause, text=request.form.get("words", ""))

    def draft() -> Ruling:
        return draft_rule_of_ours(guards.records(), rulebook, dispute_id, decided, guards.get_key(write=True))

    def write(given: Ruling) -> None:
        keep_rule_of_ours(guards.records(), given, rulebook, request.form.get("standing", ""))

    try:
        kept = save(draft, write, guards.once_of_form("once"))
    except Repeated:
        return None
    except Impossible as error:
        return error.problems
    layout.announce(say("our-law.kept"), undo=url_for("law.change", ruling_id=kept.id, what="forget"))
    return None
