"""The deck of a rulebook at the JSON interface."""

from __future__ import annotations

from typing import Any

from flask import Flask

from referee.rules.books.library import rulebooks
from referee.rules.cards.decks import decks
from referee.web.api.rulebook_resource import DeckDocument, deck_document
from tests.web.api.conftest import Api


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
