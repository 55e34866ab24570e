"""What people ask under UNO Flip!, answered from its sheet or said to stand nowhere in it."""

from __future__ import annotations

from referee.rules.books.boxes import boxes
from referee.rules.books.library import get_rulebook
from referee.rules.lookup.lookup import look_up

ANSWERED = {
    "points-actions": [
        "how many points is draw five", "how much is a draw one worth", "is skip everyone 30", "points of a flip",
    ],
    "points-wild": ["wild draw color points", "how many points is a wild", "what is a wild draw two worth"],
    "round-end": [
        "what happens when a flip is the last card", "which side counts at the end", "flip as the last card",
        "does the dark side count",
    ],
    "last-card-action": ["can i go out on a draw five", "may the last card be a flip"],
    "last-card-draws": ["do the drawn cards count if the last card is a draw five"],
    "matching": ["can you put a draw one on a draw one", "may I put a flip on a flip"],
    "card-wild-draw-color": [
        "does wild count for wild draw color", "what if there is none left of the color for wild draw color",
        "what happens when we run out of the color with wild draw color", "wild draw color",
    ],
    "card-flip": ["what does the flip card do", "do we flip our hands too", "turn everything to the other side"],
    "card-skip-everyone": ["what does skip everyone do", "skip everyone with two players"],
    "card-draw-five": ["draw five how does it work", "who draws for a draw 5"],
    "draw-four-when": ["when can i play wild draw color", "can i play a wild draw two any time"],
    "challenge-guilty": ["what happens if i am caught with a wrong wild draw two"],
    "challenge-innocent": ["how many cards if the challenge fails"],
    "challenge-who": ["can anybody challenge a wild draw two"],
    "challenge-shown": ["who sees the hand when i challenge"],
    "start-card-draw-one": ["first card draw one"],
    "start-card-wild-draw-two": ["what if the first card is a wild draw two"],
    "special-cards": ["which side do we start with", "can they see the other side of my cards"],
    "deck-size": ["how many cards are in uno flip"],
    "deck-composition": ["is there a zero card"],
    "wild-same-color": ["can i name the same color again"],
    "draw-one": ["do i draw one card if nothing fits"],
    "target": ["how much to win"],
    "players": ["how many can play"],
    "reverse-two": ["what does reverse do with two players"],
}  # fmt: skip
SILENT = {
    "stacking-mixed": "can I stack draw five",
    "start-card-flip": "what if the first card is a flip",
}


def test_what_people_ask_is_answered_from_the_sheet() -> None:
    first, shown = [], []
    asked = [(clause, query) for clause, group in ANSWERED.items() for query in group]
    for clause, query in asked:
        found = look_up(query, get_rulebook("flip"))
        assert found.answered, query
        assert {hit.rulebook for hit in found.hits} == {"flip"}, query
        ids = [hit.clause.id for hit in found.hits[:3]]
        first += [query] if ids[0] != clause else []
        shown += [query] if clause not in ids else []
    assert len(asked) >= 40
    assert len(first) <= 0.15 * len(asked), first
    assert len(shown) <= 0.05 * len(asked), shown


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
