"""The rule look-up at the JSON interface."""

from typing import Any
from urllib.parse import quote

import pytest
from flask import Flask

from referee.rules.books.library import get_rulebook, rulebooks
from referee.rules.cards.decks import decks
from referee.rules.lookup.lookup import MOST_RESULTS
from referee.web.api.rulebook_resource import DeckDocument, LookupDocument, deck_document
from tests.web.api.conftest import Api


@pytest.fixture
def api(app: Flask) -> Api:
    """The interface, called without a key."""
    return Api(app)


def look_up(api: Api, query: str, **parameters: str) -> dict[str, Any]:
    """Look a rule up; the answer has the form that is described to machines."""
    answer = api("GET", "/rules", query_string={"q": query} | parameters, status=200)
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


def test_a_silent_rulebook_answers_nothing_and_shows_the_others(api: Api) -> None:
    found = look_up(api, "draw pile empty", rulebook="speluitslagen")
    assert (found["answered"], found["silent"]) == (False, True)
    assert found["asked"]["id"] == "draw-pile-empty"
    assert "speluitslagen" not in [found["results"][0]["rulebook"]]


def test_a_question_that_a_hearing_decides_has_its_ruling(api: Api) -> None:
    found = look_up(api, "can i challenge a +4", rulebook="official")
    heard = found["hearing"]
    assert (heard["dispute"], heard["facts"]["played"]) == ("draw-four-challenge", "wild-draw-four")
    assert (heard["rulebook"], heard["status"], heard["verdict"]) == ("official", "ruled", "Allowed")
    assert heard["summary"] == "The next player can challenge the Wild Draw Four."
    assert heard["other_rulebooks"] == []
    silent = look_up(api, "can i go out on a skip", rulebook="classic-500")["hearing"]
    assert silent["status"] == "silent"
    assert {other["status"] for other in silent["other_rulebooks"]} == {"ruled", "silent"}
    assert (found["answered"], found["unsure"]) == (True, False)
    assert look_up(api, "how many points is a wild")["hearing"] is None


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
    answer = api("GET", f"/rules?{query_string}", status=422)
    assert answer.mimetype == "application/problem+json"
    assert [problem["field"] for problem in answer.get_json()["errors"]] == fields


# -- decks -------------------------------------------------------------------------------------------------------------


def test_a_rulebook_gives_its_deck_with_every_face(app: Flask) -> None:
    given: dict[str, DeckDocument] = {}
    for id in rulebooks():
        found: dict[str, Any] = Api(app)("GET", f"/rulebooks/{id}").get_json()
        deck = given[id] = DeckDocument.model_validate(found["deck"])
        sides: list[str | None] = [*(deck.sides or [])] or [None]
        for side in sides:
            counts = [face.count for face in deck.faces if face.side in (None, side)]
            assert None in counts if not deck.certain else sum(filter(None, counts)) == deck.cards, (id, side)
        points = {face.id: face.points for face in deck.faces if face.points is not None}
        assert points.items() <= found["card_points"].items()
    faces = given["classic-500"].faces
    assert [(face.label, face.sign, face.kind) for face in faces if face.id == "draw-two"] == [
        ("Draw Two", "+2", "action")
    ]


def test_every_deck_has_a_document_with_sides_and_counts_where_they_are_known() -> None:
    written = {id: DeckDocument.model_validate(deck_document(deck, {})) for id, deck in decks().items()}
    flip = written["flip"]
    assert flip.sides == ["light", "dark"]
    assert flip.colors == {"light": ["blue", "green", "red", "yellow"], "dark": ["pink", "teal", "orange", "purple"]}
    assert {face.id: face.side for face in flip.faces if face.kind == "wild"} == {
        "wild": None, "wild-draw-two": "light", "wild-draw-color": "dark",
    }  # fmt: skip
    assert [face.count for face in flip.faces if face.id in ("7", "wild")] == [8, 4]
    assert {face.count for face in written["no-mercy"].faces} == {None}
    assert written["all-wild"].colors == {"": []}
