"""POST /api/v1/matches/{id}/rulings."""

from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from referee.rules.books.library import rulebooks
from referee.rules.books.settings import PARTNERS
from referee.web.api.shapes import RulingDocument

CASE: dict[str, Any] = {
    "dispute": "draw-four-challenge",
    "facts": {"challenged": True, "challenger": "target", "held_color": False},
    "players": {"offender": "Ada", "target": "Bo"},
    "accepted": True,
}


class Table:
    """A club with a match under a rulebook, of four where it seats so many."""

    def __init__(self, client: FlaskClient, rulebook: str = "classic-500") -> None:
        self.client = client
        club = client.post("/api/v1/clubs", json={"name": "Thursdays"}).get_json()
        self.scorekeeper = {"Authorization": f"Bearer {club['scorekeeper_key']}"}
        self.spectator = {"Authorization": f"Bearer {club['spectator_key']}"}
        players = ["Ada", "Bo", "Cy", "Di"][: rulebooks()[rulebook].players[-1]]
        plan: dict[str, Any] = {"players": players, "rulebook": rulebook, "count": "rounds"}
        if rulebooks()[rulebook].value(PARTNERS, False):
            plan["teams"] = [["Ada", "Cy"], ["Bo", "Di"]]
        self.match = client.post("/api/v1/matches", json=plan, headers=self.scorekeeper).get_json()
        self.address = f"/api/v1/matches/{self.match['id']}/rulings"

    def give(self, case: Any) -> Any:
        return self.client.post(self.address, json=case, headers=self.scorekeeper)


@pytest.fixture
def table(app: Flask) -> Table:
    return Table(app.test_client())


def test_a_ruling_is_given_and_stands_in_the_match(table: Table) -> None:
    answer = table.give(CASE)
    ruling = answer.get_json()
    assert answer.status_code == 201
    RulingDocument.model_validate(ruling, strict=True)
    assert ruling["verdict"] == "Draw 6"
    assert "Bo draws 6 cards and is skipped." in ruling["summary"]
    assert ruling["players"]["offender"] == "Ada"
    match = table.client.get(f"/api/v1/matches/{table.match['id']}", headers=table.spectator)
    assert match.get_json()["rulings"] == [ruling]
    assert match.headers["ETag"] == answer.headers["ETag"]


def test_a_ruling_on_any_card_of_a_box_is_given(app: Flask) -> None:
    for id, book in rulebooks().items():
        table = Table(app.test_client(), id)
        for face in book.deck.faces:
            answer = table.give({"dispute": "played-card-effect", "facts": {"played": str(face)}})
            assert answer.status_code == 201, (id, answer.text)
            assert answer.get_json()["summary"], (id, face)


@pytest.mark.parametrize(
    ("change", "field"),
    [({"dispute": 7}, "dispute"), ({"facts": {"hand": ["red-99"], "challenged": True}}, "facts.hand[0]"),
     ({"facts": []}, "facts"), ({"players": {"offender": 3}}, "players.offender"), ({"accepted": "yes"}, "accepted"),
     ({"verdict": "mine"}, "verdict")],
)  # fmt: skip
def test_bad_input_is_named_by_field(table: Table, change: dict[str, Any], field: str) -> None:
    answer = table.give(CASE | change)
    assert answer.status_code == 422
    assert field in {error["field"] for error in answer.get_json()["errors"]}


def test_a_stack_falls_on_whoever_sits_after_the_one_who_answered(app: Flask) -> None:
    table = Table(app.test_client())
    agreed = {"players": ["Ada", "Bo", "Cy"], "rulebook": "classic-500", "house_rules": ["stack-draw-two"]}
    match = table.client.post("/api/v1/matches", json=agreed, headers=table.scorekeeper).get_json()
    table.address = f"/api/v1/matches/{match['id']}/rulings"
    facts = {"on_pile": "red-draw-two", "response": "blue-draw-two", "total_so_far": 2}
    case = {"dispute": "stacking", "facts": facts, "players": {"stacker": "Ada", "responder": "Bo"}}
    ruling = table.give(case).get_json()
    assert ruling["summary"] == "Yes, you can stack it. Cy must stack a Draw Two or draw 4."
    assert "Bo stacks a blue Draw Two." in [step["text"] for step in ruling["steps"]]
