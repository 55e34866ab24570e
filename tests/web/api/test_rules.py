"""The rule look-up at the JSON interface."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest
from flask import Flask

from referee.rules.books.boxes import searched
from referee.rules.books.library import get_rulebook, rulebooks
from referee.rules.lookup.lookup import MOST_RESULTS
from referee.web.api.rulebook_resource import LookupDocument
from tests.web.api.conftest import Api


@pytest.fixture
def api(app: Flask) -> Api:
    """The interface, called without a key."""
    return Api(app)


def look_up(api: Api, query: str, **parameters: str) -> dict[str, Any]:
    """Look a rule up; the answer has the form that is described to machines."""
    answer = api("GET", "/rules", query_string={"q": query} | parameters)
    assert answer.status_code == 200, answer.json
    document: dict[str, Any] = LookupDocument.model_validate(answer.json).model_dump()
    return document


def test_a_question_is_answered_by_a_clause_and_its_source(api: Api) -> None:
    found = look_up(api, "can you stack +2 on +2??")
    assert found["query"] == "can you stack +2 on +2??"
    assert (found["answered"], found["silent"]) == (True, False)
    best = found["results"][0]
    clause = get_rulebook(best["rulebook"]).clauses[best["clause"]]
    assert best["topic"] == "stacking"
    assert (best["title"], best["text"], best["cite"]) == (clause.title, clause.text, clause.cite)
    assert best["url"] == f"/rules/{best['rulebook']}#{clause.id}"
    assert {other["clause"] for other in best["others"]} == {clause.id}
    assert len(found["results"]) <= MOST_RESULTS


def test_the_rulebook_given_leads(api: Api) -> None:
    for id in rulebooks():
        best = look_up(api, "how many points is a wild", rulebook=id)["results"][0]
        assert best["rulebook"] == id
        assert id not in [other["rulebook"] for other in best["others"]]
        assert {other["rulebook"] for other in best["others"]} == set(searched(get_rulebook(id))) - {id}


def test_a_silent_rulebook_answers_nothing_and_shows_the_others(api: Api) -> None:
    found = look_up(api, "draw pile empty", rulebook="speluitslagen")
    assert (found["answered"], found["silent"]) == (False, True)
    assert found["asked"]["id"] == "draw-pile-empty"
    assert "speluitslagen" not in [found["results"][0]["rulebook"]]


def test_what_is_no_rule_question_gets_topics_instead_of_an_answer(api: Api) -> None:
    found = look_up(api, "who will win the football match")
    assert (found["answered"], found["silent"], found["asked"], found["results"]) == (False, False, None, [])
    assert found["box"] is None


def test_a_question_about_another_box_names_the_box(api: Api) -> None:
    found = look_up(api, "what does skip everyone do", rulebook="classic-500")
    assert found["box"] == {"id": "flip", "title": "Uno Flip"}
    assert (found["answered"], found["silent"], found["asked"], found["results"]) == (False, False, None, [])
    assert found["suggested_topics"]


@pytest.mark.parametrize(
    ("query_string", "fields"),
    [
        pytest.param("", ["q"], id="nothing asked"),
        pytest.param("q=", ["q"], id="empty"),
        pytest.param("q=%20%09", ["q"], id="white space"),
        pytest.param("q=" + quote("\x00\x07\x1b"), ["q"], id="control characters"),
        pytest.param("q=" + "stack+" * 1700, ["q"], id="10,000 characters"),
        pytest.param("q=stack&rulebook=hoyle", ["rulebook"], id="unknown rulebook"),
        pytest.param("q=&rulebook=hoyle", ["q", "rulebook"], id="both"),
        pytest.param("q=stack&page=2", ["page"], id="unknown parameter"),
    ],
)
def test_a_bad_query_names_every_field(api: Api, query_string: str, fields: list[str]) -> None:
    answer = api("GET", f"/rules?{query_string}")
    assert answer.status_code == 422
    assert answer.mimetype == "application/problem+json"
    assert [problem["field"] for problem in answer.get_json()["errors"]] == fields


@pytest.mark.parametrize("query", ["\ufffd\ufffe stack", "%00", "<script>", "🃏", "../../etc/passwd", "{{7*7}}"])
def test_odd_characters_are_a_query_like_any_other(api: Api, query: str) -> None:
    assert look_up(api, query)["query"] == query


def test_bytes_that_are_no_text_are_no_server_error(api: Api) -> None:
    assert api("GET", "/rules?q=%ff%fe%80stack").status_code in (200, 422)
