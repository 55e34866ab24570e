"""Read rulebooks: whole, by topic, clause by clause, two side by side, and as a first lesson."""

from __future__ import annotations

from flask import render_template, request, url_for

from referee.records.errors import NotFound
from referee.rules.library import every_question, questions, rulebooks
from referee.rules.problem import Impossible, Problem
from referee.rules.rulebook import TOPICS, Rulebook
from referee.web.rulebooks import available, find_to_read
from referee.web.rules import comparison, presenter
from referee.web.rules.room import blueprint
from referee.web.rules.searching import find_rulebook
from referee.web.rules.topics import TOPIC_TITLES
from referee.web.sharing.wording import qr_code


@blueprint.get("/rules/topics/<topic_id>")
def topic(topic_id: str) -> tuple[str, int]:
    """Show what all rulebooks say on a topic, side by side; 404."""
    if topic_id not in TOPICS:
        raise NotFound("topic")
    problems: list[Problem] = []
    rulebook = find_rulebook(problems)
    books = presenter.led_by(rulebook)
    every = [question for question in every_question().values() if question.topic == topic_id]
    page = {
        "title": TOPIC_TITLES[topic_id],
        "back": presenter.search_address(rulebook),
        "compares": True,
        "asked": [presenter.asked_of_all(one, books) for one in every if any(one.id in book.clauses for book in books)],
    }
    return render_template("rules/topic.html", page=page, problems=problems), 422 if problems else 200


@blueprint.get("/rules/compare")
def compare() -> tuple[str, int]:
    """Compare two rulebooks, or one with and without house rules, clause by clause; 422."""
    problems: list[Problem] = []
    left = find_rulebook(problems, "left") or next(iter(rulebooks().values()))
    right = find_rulebook(problems, "right") or (left if "house_rule" in request.args else _another(left))
    changed = _with_house_rules(right, problems)
    page = render_template(
        "rules/compare.html",
        compared=comparison.compare(left, changed),
        choices=comparison.by_box(available()),
        problems=problems,
    )
    return page, 422 if problems else 200


def _another(book: Rulebook) -> Rulebook:
    """Give the first rulebook that is not this one: to compare a book with itself says nothing."""
    return next(other for other in rulebooks().values() if other.id != book.id)


@blueprint.get("/rules/<rulebook_id>")
def rulebook(rulebook_id: str) -> tuple[str, int]:
    """Show a whole rulebook, every clause with its anchor, house rules of the address in force; 404, 422."""
    problems: list[Problem] = []
    book = _with_house_rules(_find(rulebook_id), problems)
    page = {
        "title": book.title,
        "sentence": book.sentence,
        "source": book.source,
        "back": presenter.search_address(book),
        "sections": presenter.sections(book),
    }
    shown = render_template("rules/rulebook.html", page=page, rulebook=book, problems=problems)
    return shown, 422 if problems else 200


@blueprint.get("/rules/<rulebook_id>/how-to-play")
def how_to_play(rulebook_id: str) -> tuple[str, int]:
    """Teach the game by the clauses of one rulebook; 404, 422."""
    problems: list[Problem] = []
    book = _with_house_rules(_find(rulebook_id), problems)
    page = render_template("rules/how_to_play.html", rulebook=book, lessons=presenter.lessons(book), problems=problems)
    return page, 422 if problems else 200


@blueprint.get("/rules/<rulebook_id>/<clause_id>")
def clause(rulebook_id: str, clause_id: str) -> tuple[str, int]:
    """Show what one rulebook says on a question, what the others say, and its QR code; 404, 422."""
    problems: list[Problem] = []
    book = _with_house_rules(_find(rulebook_id), problems)
    question = presenter.find_question(book, clause_id)
    if question is None or (clause_id not in book.clauses and clause_id not in questions()):
        raise NotFound("clause")
    house_rules = list(book.in_force) or None
    address = url_for("rules.clause", rulebook_id=book.id, clause_id=clause_id, house_rule=house_rules, _external=True)
    back = url_for("rules.rulebook", rulebook_id=book.id, house_rule=house_rules, _anchor=clause_id)
    asked = presenter.asked_of_all(question, presenter.led_by(book))
    changed_by = asked.leading.clause.house_rule if asked.leading.clause else ""
    page = {
        "back": back,
        "question": question,
        "leading": asked.leading,
        "house_rule": book.house_rules[changed_by].title if changed_by else "",
        "around": presenter.section(book, question.topic).around(question.id),
        "otherwise": asked.otherwise,
        "alike": asked.alike,
        "silent": asked.silent,
        "link": address,
        "qr": qr_code(address),
    }
    return render_template("rules/clause.html", page=page, problems=problems), 422 if problems else 200


def _find(rulebook_id: str) -> Rulebook:
    found = find_to_read(rulebook_id)
    if found is None:
        raise NotFound("rulebook")
    return found


def _with_house_rules(book: Rulebook, problems: list[Problem]) -> Rulebook:
    try:
        return book.with_house_rules(request.args.getlist("house_rule")[: len(book.house_rules) + 1])
    except Impossible as error:
        problems += error.problems
        return book
