"""What people ask under UNO Flip!, answered from its sheet or said to stand nowhere in it."""

from __future__ import annotations

from referee.rules.books.library import boxes, get_rulebook
from referee.rules.lookup.lookup import look_up
from tools.lookup.measure import read

SILENT = {
    "stacking-mixed": "can I stack draw five",
    "start-card-flip": "what if the first card is a flip",
}


def test_what_people_ask_is_answered_from_the_sheet() -> None:
    first, shown = [], []
    asked = read("first")["flip"]
    for query, clause in asked.items():
        found = look_up(query, get_rulebook("flip"))
        assert found.answered, query
        assert {hit.rulebook for hit in found.hits} == {"flip"}, query
        ids = [hit.clause.id for hit in found.hits[:3]]
        first += [query] if ids[0] != clause else []
        shown += [query] if clause not in ids else []
    assert len(asked) >= 40
    assert len(first) <= 0.1 * len(asked), first
    assert shown == []


def test_what_the_sheet_leaves_open_is_said_to_be_open() -> None:
    for question, query in SILENT.items():
        found = look_up(query, get_rulebook("flip"))
        assert (found.answered, found.silent, found.box) == (False, True, None), query
        assert getattr(found.asked, "id", None) == question, query


def test_under_the_classic_box_a_question_about_flip_names_it() -> None:
    for query in ("what does skip everyone do", "which side of a flip counts", "points of draw five in uno flip"):
        found = look_up(query, get_rulebook("classic-500"))
        assert found.box == boxes()["flip"], query
    assert boxes()["flip"].known
