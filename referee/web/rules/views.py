"""Look up a rule, and read rulebooks: whole, by topic, clause by clause, side by side, and as a first lesson."""

from typing import Any

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from referee.records.club.precedents import with_law
from referee.records.errors import NotFound
from referee.records.match.agreements import terms_at
from referee.records.models import Match
from referee.rules.books.library import every_question, questions, rulebooks
from referee.rules.books.rulebook import TOPICS, Rulebook
from referee.rules.lookup.lookup import look_up
from referee.rules.text.problem import Impossible, Problem, attempt
from referee.web.page import layout
from referee.web.page.rulebooks import available, find_to_read
from referee.web.rules import wording
from referee.web.server import guards, rate_limits
from referee.web.sharing.wording import qr_code
from referee.web.words import say

blueprint = Blueprint("rules", __name__)


Page = str | Response | tuple[str, int]


@blueprint.get("/rules")
def index() -> Page:
    """Look up a rule in all rulebooks, the chosen one first; 422, 429."""
    problems: list[Problem] = []
    rulebook = find_rulebook(problems)
    return _look_up(rulebook, None, problems)


@blueprint.get("/matches/<match_id>/rules")
def at_match(match_id: str) -> Page:
    """Look up a rule in all rulebooks, those of a match first; 401, 403, 404, 422, 429."""
    match = guards.get_match(match_id)
    rulebook = terms_at(guards.records(), match).rulebook
    asked = with_law(guards.records(), match.club_id, rulebook) if request.args.get("q") else rulebook
    return _look_up(asked, match, [])


def find_rulebook(problems: list[Problem], name: str = "rulebook") -> Rulebook | None:
    """Return the rulebook a parameter names; None if it names none, or an unknown one, which is a problem."""
    id = request.args.get(name, "")
    if not id:
        return None
    rulebook = find_to_read(id)
    if rulebook is None:
        problems.append(Problem(name, say("case.unknown-rulebook", id=id[:40])))
        return None
    return rulebook


def _look_up(rulebook: Rulebook | None, match: Match | None, problems: list[Problem]) -> Page:
    query = request.args.get("q", "")
    page: dict[str, Any] = {
        "action": url_for("rules.at_match", match_id=match.id) if match else url_for("rules.index"),
        "query": query,
        "asked_most": wording.asked_most(rulebook),
        "topics": wording.topic_links(TOPICS, rulebook),
        "rulebooks": wording.rulebook_links(),
    }
    if match is not None and rulebook is not None:
        page |= {"sheet": url_for("score.sheet", match_id=match.id), "title": rulebook.title}
        page["house_rules"] = rulebook.in_force
    else:
        page |= {"books": list(available().values()), "led": rulebook.id if rulebook else ""}
    if query:
        try:
            rate_limits.count_lookup()
            page["found"] = wording.lookup_result_view(look_up(query, rulebook), rulebook, match)
        except Impossible as error:
            problems += error.problems
    page["error"] = problems[0].message if problems else ""
    status = 422 if problems else 200
    if layout.wants_fragments():
        return layout.fragments({"found": render_template("rules/_found.html", page=page)}, status=status)
    return render_template("rules/index.html", page=page), status


@blueprint.get("/rules/topics/<topic_id>")
def topic(topic_id: str) -> tuple[str, int]:
    """Show what all rulebooks say on a topic, side by side; 404."""
    if topic_id not in TOPICS:
        raise NotFound("topic")
    problems: list[Problem] = []
    rulebook = find_rulebook(problems)
    books = wording.led_by(rulebook)
    every = [question for question in every_question().values() if question.topic == topic_id]
    page = {
        "title": say(f"topic.{topic_id}"),
        "back": wording.search_address(rulebook),
        "compares": True,
        "asked": [
            wording.asked_of_all(each, books) for each in every if any(each.id in book.clauses for book in books)
        ],
    }
    return render_template("rules/topic.html", page=page, problems=problems), 422 if problems else 200


@blueprint.get("/rules/compare")
def compare() -> tuple[str, int]:
    """Compare two rulebooks, or one with and without house rules, clause by clause; 422."""
    problems: list[Problem] = []
    left = find_rulebook(problems, "left") or next(iter(rulebooks().values()))
    another = next(book for book in rulebooks().values() if book.id != left.id)  # a book with itself shows nothing
    right = find_rulebook(problems, "right") or (left if "house_rule" in request.args else another)
    changed = _with_house_rules(right, problems)
    page = render_template(
        "rules/compare.html",
        compared=wording.compare(left, changed),
        values=wording.values,
        choices=wording.by_box(available()),
        problems=problems,
    )
    return page, 422 if problems else 200


@blueprint.get("/rules/<rulebook_id>")
def rulebook(rulebook_id: str) -> tuple[str, int]:
    """Show a whole rulebook, with an anchor at each clause and the house rules of the address; 404, 422."""
    problems: list[Problem] = []
    book = _with_house_rules(_find(rulebook_id), problems)
    page = {
        "title": book.title,
        "sentence": book.sentence,
        "source": book.source,
        "back": wording.search_address(book),
        "sections": wording.sections(book),
    }
    shown = render_template("rules/rulebook.html", page=page, rulebook=book, problems=problems)
    return shown, 422 if problems else 200


@blueprint.get("/rules/<rulebook_id>/how-to-play")
def how_to_play(rulebook_id: str) -> tuple[str, int]:
    """Show a rulebook as a first lesson in the game; 404, 422."""
    problems: list[Problem] = []
    book = _with_house_rules(_find(rulebook_id), problems)
    page = render_template("rules/how_to_play.html", rulebook=book, lessons=wording.lessons(book), problems=problems)
    return page, 422 if problems else 200


@blueprint.get("/rules/<rulebook_id>/<clause_id>")
def clause(rulebook_id: str, clause_id: str) -> tuple[str, int]:
    """Show what one rulebook says on a question, what the others say, and its QR code; 404, 422."""
    problems: list[Problem] = []
    book = _with_house_rules(_find(rulebook_id), problems)
    question = wording.find_question(book, clause_id)
    if question is None or (clause_id not in book.clauses and clause_id not in questions()):
        raise NotFound("clause")
    house_rules = list(book.in_force) or None
    address = url_for("rules.clause", rulebook_id=book.id, clause_id=clause_id, house_rule=house_rules, _external=True)
    back = url_for("rules.rulebook", rulebook_id=book.id, house_rule=house_rules, _anchor=clause_id)
    asked = wording.asked_of_all(question, wording.led_by(book))
    changed_by = asked.leading.clause.house_rule if asked.leading.clause else ""
    page = {
        "back": back,
        "question": question,
        "leading": asked.leading,
        "house_rule": book.house_rules[changed_by].title if changed_by else "",
        "around": wording.section(book, question.topic).around(question.id),
        "otherwise": asked.otherwise,
        "alike": asked.alike,
        "silent": asked.silent,
        "link": address,
        "qr": qr_code(address),
    }
    return render_template("rules/clause.html", page=page, problems=problems), 422 if problems else 200


def _find(rulebook_id: str) -> Rulebook:
    rulebook = find_to_read(rulebook_id)
    if rulebook is None:
        raise NotFound("rulebook")
    return rulebook


def _with_house_rules(book: Rulebook, problems: list[Problem]) -> Rulebook:
    wanted = request.args.getlist("house_rule")[: len(book.house_rules) + 1]
    return attempt(problems, lambda: book.with_house_rules(wanted)) or book
