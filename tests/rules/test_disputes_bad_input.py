"""Facts that cannot be: every problem at once, each naming its field."""

from __future__ import annotations

from typing import Any

import pytest

from referee.rules.books.library import rulebooks
from referee.rules.disputes import DISPUTES, answer
from referee.rules.text.problem import Impossible


def problems_of(
    dispute: str, facts: dict[str, Any], *, rulebook: str = "classic-500", house_rules: tuple[str, ...] = ()
) -> list[str]:
    with pytest.raises(Impossible) as caught:
        answer(dispute, rulebook, house_rules, facts)
    assert all(" " in problem.message for problem in caught.value.problems)
    return list(dict.fromkeys(problem.field for problem in caught.value.problems))


@pytest.mark.parametrize(
    ("dispute", "facts", "fields"),
    [
        pytest.param("uno-call", {"cards_lft": 1}, ["facts.cards_lft"], id="a fact of no such name"),
        pytest.param(
            "uno-call", {"said": "loudly", "cards_left": -1}, ["facts.said", "facts.cards_left"], id="choices"
        ),
        pytest.param("uno-call", {"cards_left": 1.5}, ["facts.cards_left"], id="half a card"),
        pytest.param("uno-call", {"cards_left": True}, ["facts.cards_left"], id="a truth for a number"),
        pytest.param("uno-call", {"caught": 1}, ["facts.caught"], id="a number for a truth"),
        pytest.param("uno-call", {"caught": None}, ["facts.caught"], id="nothing for a truth"),
        pytest.param("can-i-play", {"card": "purple-3"}, ["facts.card"], id="an unknown card"),
        pytest.param("can-i-play", {"card": {"color": "red"}}, ["facts.card"], id="an object for a card"),
        pytest.param("can-i-play", {"hand": ["red-1", "skip", 7]}, ["facts.hand[1]", "facts.hand[2]"], id="hand"),
        pytest.param("can-i-play", {"hand": ["red-1"] * 200}, ["facts.hand"], id="an endless hand"),
        pytest.param("can-i-play", {"hand": ["red-0", "red-0"]}, ["facts.hand"], id="two of the one red 0"),
        pytest.param("can-i-play", {"top_card": "red-0", "card": "red-0"}, ["facts.card"], id="one card in two places"),
        pytest.param(
            "can-i-play",
            {"hand": ["red-1", "red-1", "red-1"], "top_card": "blue-3", "card": "blue-4"},
            ["facts.hand"],
            id="three of two cards, whatever fact comes last",
        ),
        pytest.param(
            "can-i-play",
            {"top_card": "red-1", "color_in_play": "blue"},
            ["facts.color_in_play"],
            id="two colors in play",
        ),
        pytest.param(
            "can-i-play",
            {"drawn_this_turn": True, "from_hand_after_drawing": True},
            ["facts.from_hand_after_drawing"],
            id="the drawn card and another",
        ),
        pytest.param(
            "draw-four-challenge",
            {"color_in_play": "red", "held_color": False, "hand": ["red-1"]},
            ["facts.held_color"],
            id="held no such color, yet the hand shows it",
        ),
        pytest.param("draw-four-challenge", {"hand": ["wild-draw-four"] * 4}, ["facts.hand"], id="a fifth Draw Four"),
        pytest.param(
            "draw-four-challenge", {"last_card": True, "hand": ["red-1"]}, ["facts.last_card"], id="last and not last"
        ),
        pytest.param("wild-with-match", {"hand": ["wild"] * 4}, ["facts.hand"], id="a fifth Wild"),
        pytest.param("stacking", {"on_pile": "red-7"}, ["facts.on_pile"], id="a number that draws"),
        pytest.param("stacking", {"response": "nothing"}, ["facts.response"], id="an answer that is no card"),
        pytest.param("stacking", {"total_so_far": 0}, ["facts.total_so_far"], id="nothing is due"),
        pytest.param(
            "stacking",
            {"can_respond": False, "response": "red-draw-two"},
            ["facts.can_respond"],
            id="could not, yet did",
        ),
        pytest.param(
            "draft", {"kept_first": True, "rejects_second": True}, ["facts.rejects_second"], id="no second card"
        ),
        pytest.param(
            "reverse-run", {"hand": ["red-reverse"], "played": ["red-reverse", "red-2"]}, ["facts.played[1]"], id="run"
        ),
        pytest.param("jump-in", {"played": ["red-1", "red-1"]}, ["facts.played"], id="two jump in"),
        pytest.param("play-doubles", {"played": ["red-1"]}, ["facts.played"], id="half a double"),
        pytest.param("who-starts", {"drawn": [{"player": "Ada", "card": "red-7"}]}, ["facts.drawn"], id="one draws"),
        pytest.param(
            "who-starts",
            {"drawn": [{"player": "Ada", "card": "red-7"}, {"player": "Ada", "card": "x"}, "Bo"]},
            ["facts.drawn[1].player", "facts.drawn[1].card", "facts.drawn[2]"],
            id="drawn twice",
        ),
        pytest.param("who-starts", {"drawn": 7}, ["facts.drawn"], id="a number for a list"),
        pytest.param(
            "who-starts",
            {"players": 3, "drawn": [{"player": "Ada", "card": "1"}, {"player": "Bo", "card": "2"}]},
            ["facts.players"],
            id="two of three draw",
        ),
        pytest.param("deal", {"players": 11}, ["facts.players"], id="eleven players"),
    ],
)
def test_each_problem_names_its_fact(dispute: str, facts: dict[str, Any], fields: list[str]) -> None:
    assert problems_of(dispute, facts) == fields


def test_problems_of_dispute_rulebook_and_house_rules_come_together() -> None:
    assert problems_of("coin-toss", {}, rulebook="chess") == ["dispute", "rulebook"]
    assert problems_of("uno-call", {"said": "no"}, house_rules=("open-hands", "silent-uno", "open-hands")) == [
        "house_rules[1]",
        "house_rules[2]",
        "facts.said",
    ]


@pytest.mark.parametrize("dispute", [each.id for each in DISPUTES if each.id != "deal"])
def test_players_are_taken_by_every_dispute_and_held_against_the_rulebook(dispute: str) -> None:
    answer(dispute, "online-100-200", (), {"players": 4})
    assert problems_of(dispute, {"players": 5}, rulebook="online-100-200") == ["facts.players"]


def test_the_deal_rules_on_a_number_of_players_that_does_not_fit() -> None:
    assert answer("deal", "online-100-200", (), {"players": 5})["outcome"]["allowed"] is False


DRAWN = [{"player": "Ada", "card": "red-9"}, {"player": "Bo", "card": "skip"}, {"player": "Cy", "card": "5"}]


@pytest.mark.parametrize("rulebook", ["two-player", "duo-200"])
def test_more_players_than_a_text_is_for_are_refused(rulebook: str) -> None:
    assert problems_of("who-starts", {"drawn": DRAWN, "players": 3}, rulebook=rulebook) == ["facts.players"]


def test_other_rulebooks_fit_those_who_drew_a_card() -> None:
    heard = answer("who-starts", "official", (), {"drawn": DRAWN})
    others = {other["rulebook"] for other in heard["other_rulebooks"]}
    assert others >= {"classic-500", "online-100-200", "speluitslagen"}
    assert others.isdisjoint({"official", "two-player", "duo-200"})


def test_two_decks_hold_every_card_twice_as_often() -> None:
    facts = {"top_card": "red-0", "played": "red-0"}
    assert problems_of("jump-in", facts, house_rules=("jump-in",)) == ["facts.played"]
    assert answer("jump-in", "classic-500", ("jump-in", "two-decks"), facts)["outcome"]["legal"] is True


def test_the_number_of_players_is_not_asked_where_only_one_fits() -> None:
    assert answer("played-card-effect", "two-player", (), {"played": "red-skip"})["status"] == "ruled"
    assert answer("played-card-effect", "classic-500", (), {"played": "red-skip"})["question"]["key"] == "players"


def test_the_number_of_players_is_not_asked_where_the_text_is_silent_for_any() -> None:
    facts = {"turned_card": "red-reverse"}
    assert answer("start-card", "online-100-200", (), facts)["status"] == "silent"
    assert answer("start-card", "classic-500", (), facts)["question"]["key"] == "players"


def test_given_facts_are_told_back_with_the_question() -> None:
    asked = answer("draw-four-challenge", "duo-200", (), {"challenged": "yes", "top_card": "Red-5"})
    assert (asked["question"]["key"], asked["answered"]) == ("held_color", {"challenged": True, "top_card": "red-5"})


def test_other_rulebooks_are_those_that_the_players_fit() -> None:
    facts = {"challenged": True, "challenger": "target", "held_color": True, "players": 4}
    four = answer("draw-four-challenge", "classic-500", (), facts)
    others = [other["rulebook"] for other in four["other_rulebooks"]]
    assert {*others} >= {"official", "online-100-200", "speluitslagen"}
    assert {*others}.isdisjoint({"classic-500", "two-player", "duo-200"})
    assert others == [id for id in rulebooks() if id in others]
    two = answer("played-card-effect", "duo-200", (), {"played": "red-reverse"})
    others = [other["rulebook"] for other in two["other_rulebooks"]]
    assert {*others} >= {"classic-500", "official", "two-player", "online-100-200", "speluitslagen"}
    assert "duo-200" not in others


def test_a_house_rule_shows_the_clause_it_replaces_beside_the_new_one() -> None:
    facts = {"on_pile": "red-draw-two", "response": "blue-draw-two", "total_so_far": 2}
    said = answer("stacking", "classic-500", ("stack-draw-two",), facts)
    step = next(step for step in said["steps"] if step["clause"] == "stacking-draw-two")
    assert step["replaces"]["clause"] == "stacking-draw-two"
    assert step["replaces"]["text"] != step["text"]
