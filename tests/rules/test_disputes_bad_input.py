"""Facts that cannot be: every problem at once, each naming its field."""

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


def test_an_endless_hand_and_nothing_for_a_truth_are_refused() -> None:
    """What else cannot be stands in ``tests/cases/refused-hearings.toml``."""
    assert problems_of("can-i-play", {"hand": ["red-1"] * 200}) == ["facts.hand"]
    assert problems_of("uno-call", {"caught": None}) == ["facts.caught"]


def test_problems_of_dispute_rulebook_and_house_rules_come_together() -> None:
    assert problems_of("coin-toss", {}, rulebook="chess") == ["dispute", "rulebook"]
    agreed = ("open-hands", "silent-uno", "open-hands")
    wrong = problems_of("uno-call", {"said": "no"}, house_rules=agreed)
    assert wrong == ["house_rules[1]", "house_rules[2]", "facts.said"]


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
