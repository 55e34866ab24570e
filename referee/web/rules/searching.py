"""Look a rule up: a page without script, results as one types with it."""

from __future__ import annotations

from typing import Any

from flask import render_template, request, url_for
from werkzeug.wrappers import Response

from referee.records.agreements import terms_at
from referee.records.models import Match
from referee.rules.library import rulebooks
from referee.rules.lookup import look_up
from referee.rules.problem import Impossible, Problem
from referee.rules.rulebook import TOPICS, Rulebook
from referee.web.page import layout
from referee.web.rulebooks import available, find_to_read
from referee.web.rules import presenter
from referee.web.rules.room import blueprint
from referee.web.server import guards, rate_limits
from referee.web.words import say

Page = str | Response | tuple[str, int]


@blueprint.get("/rules")
def index() -> Page:
    """Look up a rule in all rulebooks, the one named first; 422, 429."""
    problems: list[Problem] = []
    rulebook = find_rulebook(problems)
    return _look_up(rulebook, None, problems)


@blueprint.get("/matches/<match_id>/rules")
def at_match(match_id: str) -> Page:
    """Look up a rule, those of a match first, with its house rules; 401, 403, 404, 422, 429."""
    match = guards.get_match(match_id)
    terms = terms_at(guards.records(), match)
    return _look_up(terms.rulebook, match, [])


def find_rulebook(problems: list[Problem], name: str = "rulebook") -> Rulebook | None:
    """Find the rulebook a parameter names, with the house rules of the address; None where it names none."""
    id = request.args.get(name, "")
    if not id:
        return None
    found = find_to_read(id)
    if found is None:
        problems.append(Problem(name, say("case.no-rulebook", id=id[:40], choices=", ".join(rulebooks()))))
        return None
    return found


def _look_up(rulebook: Rulebook | None, match: Match | None, problems: list[Problem]) -> Page:
    query = request.args.get("q", "")
    page: dict[str, Any] = {
        "action": url_for("rules.at_match", match_id=match.id) if match else url_for("rules.index"),
        "query": query,
        "asked_most": presenter.asked_most(rulebook),
        "topics": presenter.topic_links(TOPICS, rulebook),
        "rulebooks": presenter.rulebook_links(),
    }
    if match is not None and rulebook is not None:
        page |= {"sheet": url_for("score.sheet", match_id=match.id), "title": rulebook.title}
        page["house_rules"] = rulebook.in_force
    else:
        page |= {"books": list(available().values()), "led": rulebook.id if rulebook else ""}
    if query:
        try:
            rate_limits.count_lookup()
            page["found"] = presenter.found_view(look_up(query, rulebook), rulebook)
        except Impossible as error:
            problems += error.problems
    page["error"] = problems[0].message if problems else ""
    status = 422 if problems else 200
    if layout.wants_fragments():
        return layout.fragments({"found": render_template("rules/_found.html", page=page)}, status=status)
    return render_template("rules/index.html", page=page), status
