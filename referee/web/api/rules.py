"""The rule look-up: a question in players' words, answered by clauses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from referee.rules.lookup import LONGEST_QUERY, Hit, check_query, look_up
from referee.rules.problem import Impossible, Problem
from referee.rules.rulebook import Clause
from referee.web.api.endpoint import Answer, Request, Resource
from referee.web.api.schemas import Word
from referee.web.rulebooks import find_rulebook
from referee.web.server import rate_limits

resource = Resource("rules")


class LookupQuery(Request):
    """The question, and the rulebook to put first."""

    q: Annotated[str, Field(max_length=LONGEST_QUERY, description="a question or a few words")]
    rulebook: Annotated[Word | None, Field(description="the id of the rulebook in force")] = None


class FoundClause(Answer):
    """A clause that answers, and what the other rulebooks say about the same question."""

    rulebook: str
    clause: str
    topic: str
    title: str
    text: str
    cite: str
    url: str
    score: Annotated[float, Field(description="how well the query matches the question answered, 0 to 1")]
    others: list[FoundClause]


class AskedQuestion(Answer):
    """The question that was understood."""

    id: str
    topic: str
    text: str


class OtherBox(Answer):
    """A box of the Uno family that is not among those searched."""

    id: str
    title: str


class LookupDocument(Answer):
    """What was found; `asked` is null if nothing matches, and `suggested_topics` are the closest ones."""

    query: str
    answered: bool
    silent: bool
    asked: AskedQuestion | None
    results: list[FoundClause]
    suggested_topics: list[str]
    corrected: Annotated[dict[str, str], Field(description="corrected words: as typed, and as understood")]
    box: Annotated[OtherBox | None, Field(description="the other box that the question is about")]


@resource.endpoint("GET", "/rules", access="anyone", query=LookupQuery, answer=LookupDocument)
def look_up_rule(query: LookupQuery) -> Mapping[str, Any]:
    """Find the clause that answers a question in plain words."""
    rulebook = None
    problems: list[Problem] = []
    try:
        check_query(query.q)
    except Impossible as error:
        problems += error.problems
    try:
        rulebook = find_rulebook(query.rulebook) if query.rulebook else None
    except Impossible as error:
        problems += error.problems
    if problems:
        raise Impossible(problems)
    rate_limits.count_lookup()
    found = look_up(query.q, rulebook)
    asked = found.asked
    return {
        "query": found.query,
        "answered": found.answered,
        "silent": found.silent,
        "asked": asked and {"id": asked.id, "topic": asked.topic, "text": asked.text},
        "results": [_result(hit) for hit in found.hits],
        "suggested_topics": list(found.suggested_topics),
        "corrected": dict(found.corrected),
        "box": found.box and {"id": found.box.id, "title": found.box.title},
    }


def _result(hit: Hit) -> dict[str, Any]:
    others = [_clause(rulebook, clause, hit.score) for rulebook, clause in hit.others]
    return _clause(hit.rulebook, hit.clause, hit.score) | {"others": others}


def _clause(rulebook: str, clause: Clause, score: float) -> dict[str, Any]:
    return {
        "rulebook": rulebook,
        "clause": clause.id,
        "topic": clause.topic,
        "title": clause.title,
        "text": clause.text,
        "cite": clause.cite,
        "url": f"/rules/{rulebook}#{clause.id}",
        "score": round(score, 3),
        "others": [],
    }
