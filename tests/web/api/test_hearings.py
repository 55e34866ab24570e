"""POST /api/v1/hearings: without a key, asking the next fact or ruling."""

from typing import Any

import pytest
from flask import Flask

from referee.rules.books.library import rulebooks
from referee.web.api.ruling_resource import HearingDocument
from tests.rules.test_disputes_cases import OWN as CASES


def hear(app: Flask, **case: Any) -> Any:
    return app.test_client().post("/api/v1/hearings", json=case)


def test_every_case_is_answered_in_the_form_that_is_described(app: Flask) -> None:
    for case in CASES:
        asked = {key: case[key] for key in ("dispute", "rulebook", "house_rules", "facts") if key in case}
        answer = hear(app, **asked)
        assert answer.status_code == 200, (asked, answer.json)
        HearingDocument.model_validate(answer.json)
        assert answer.json["status"] == case["status"]
        assert case["outcome"].items() <= answer.json["outcome"].items()


def test_an_open_hearing_asks_one_fact_and_tells_back_what_it_knows(app: Flask) -> None:
    answer = hear(app, dispute="uno-call", rulebook="classic-500", facts={"cards_left": 1})
    assert answer.json["status"] == "question"
    assert answer.json["question"]["key"] == "said"
    assert {"value": "never", "label": "Never"} in answer.json["question"]["choices"]
    assert answer.json["answered"] == {"cards_left": 1}
    HearingDocument.model_validate(answer.json)


def test_answering_what_is_asked_comes_to_a_ruling(app: Flask) -> None:
    table = {"challenged": True, "challenger": "target", "held_color": False}
    facts: dict[str, Any] = {"players": 4}
    while (answer := hear(app, dispute="draw-four-challenge", rulebook="classic-500", facts=facts).json)[
        "status"
    ] == "question":
        facts[answer["question"]["key"]] = table[answer["question"]["key"]]
    assert answer["outcome"]["challenger_draws"] == 6
    others = {other["rulebook"] for other in answer["other_rulebooks"]}
    of_box = [book for book in rulebooks().values() if book.deck.box == rulebooks()["classic-500"].deck.box]
    assert others == {book.id for book in of_box if 4 in book.players} - {"classic-500"}
    assert {"official", "online-100-200", "speluitslagen"} <= others
    assert not {"two-player", "duo-200"} & others


@pytest.mark.parametrize(
    ("case", "fields"),
    [
        ({"dispute": "x", "rulebook": "y"}, ["dispute", "rulebook"]),
        ({}, ["dispute", "rulebook"]),
        ({"dispute": "deal", "rulebook": "official", "facts": []}, ["facts"]),
        ({"dispute": "deal", "rulebook": "official", "fact": {}}, ["fact"]),
        ({"dispute": "uno-call", "rulebook": "official", "facts": {"said": [], "x": 1}}, ["facts.said", "facts.x"]),
        ({"dispute": "uno-call", "rulebook": "official", "facts": {"players": "4", "caught": "yes"}},
         ["facts.players", "facts.caught"]),  # words that an address would use
        ({"dispute": "jump-in", "rulebook": "official", "house_rules": ["jump-in", "chess"]}, ["house_rules[1]"]),
    ],
)  # fmt: skip
def test_each_problem_names_its_field(app: Flask, case: dict[str, Any], fields: list[str]) -> None:
    answer = hear(app, **case)
    assert answer.status_code == 422
    assert sorted(error["field"] for error in answer.json["errors"]) == sorted(fields)


def test_drawing_until_the_color_comes_is_an_amount_and_an_order_of_its_own(app: Flask) -> None:
    """As `docs/pages/program/api.md` has it: guilty draws until the color comes, a wrong challenger two more cards."""
    table = {"played": "wild-draw-color", "challenged": True, "challenger": "target", "players": 4}
    guilty = hear(app, dispute="draw-four-challenge", rulebook="flip", facts=table | {"held_color": True}).json
    assert guilty["outcome"]["offender_draws"] == "until-color"
    assert {"role": "offender", "action": "draw-until-color", "cards": None} in guilty["orders"]
    wrong = hear(app, dispute="draw-four-challenge", rulebook="flip", facts=table | {"held_color": False}).json
    assert wrong["outcome"]["challenger_draws"] == wrong["outcome"]["target_draws"] == "until-color+2"
    drawn = [(order["action"], order["cards"]) for order in wrong["orders"] if "draw" in order["action"]]
    assert drawn == [("draw-until-color", None), ("draw", 2)]
    page = app.test_client().get(
        "/disputes/draw-four-challenge?rulebook=flip&played=wild-draw-color&challenged=yes&challenger=target"
        "&players=4&held_color=no"
    )
    assert "draws 2 more cards." in page.text
    assert "draws 2 cards." not in page.text
    last = hear(app, dispute="going-out", rulebook="flip", facts={"last_card": "wild-draw-color"}).json
    assert last["outcome"] == {"legal": True, "next_player_draws": "until-color", "drawn_cards_count": True}
