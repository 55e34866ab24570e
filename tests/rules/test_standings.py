"""Standings, ends of a match, ties, and whose turn it is to deal."""

from __future__ import annotations

from typing import Any

import pytest

from referee.rules.library import rulebooks
from referee.rules.standings import is_over, opening, outcome, standings, winners
from referee.rules.terms import Terms


def terms(rulebook: str, *house_rules: str, **agreed: Any) -> Terms:
    return Terms.agree(rulebooks()[rulebook], house_rules, **agreed)


def lines(agreed: Terms, totals: dict[str, int]) -> list[tuple[str, int, int, int | None]]:
    return [(line.player, line.total, line.rank, line.needs) for line in standings(agreed, totals)]


def test_the_highest_total_leads_where_the_highest_wins_and_needs_what_is_missing_to_win() -> None:
    totals = {"Ada": 120, "Bo": 310, "Cy": 120, "Di": 0}
    assert lines(terms("classic-500"), totals) == [
        ("Bo", 310, 1, 190),
        ("Ada", 120, 2, 380),
        ("Cy", 120, 2, 380),
        ("Di", 0, 4, 500),
    ]


def test_the_lowest_total_leads_where_the_lowest_wins_and_needs_what_is_left_until_the_end() -> None:
    assert lines(terms("duo-200"), {"Ada": 150, "Bo": 40}) == [("Bo", 40, 1, 160), ("Ada", 150, 2, 50)]


def test_an_open_ended_match_needs_nothing_and_is_never_over() -> None:
    agreed = terms("two-player", players=2)
    assert lines(agreed, {"Ada": 9000, "Bo": 0}) == [("Ada", 9000, 1, None), ("Bo", 0, 2, None)]
    assert not is_over(agreed, {"Ada": 9000, "Bo": 0})
    assert outcome(agreed, {"Ada": 9000, "Bo": 0}) is None


@pytest.mark.parametrize(
    ("rulebook", "agreed", "totals", "expected"),
    [
        ("classic-500", {}, {"Ada": 499, "Bo": 0}, None),
        ("classic-500", {}, {"Ada": 500, "Bo": 499}, ("Ada",)),
        ("classic-500", {}, {"Ada": 510, "Bo": 530, "Cy": 3}, ("Bo",)),
        ("classic-500", {}, {"Ada": 510, "Bo": 510, "Cy": 3}, ("Ada", "Bo")),
        ("classic-500", {"target": 100}, {"Ada": 100, "Bo": 0}, ("Ada",)),
        ("online-100-200", {"players": 2}, {"Ada": 100, "Bo": 0}, ("Ada",)),
        ("online-100-200", {"players": 3}, {"Ada": 199, "Bo": 0, "Cy": 0}, None),
        ("online-100-200", {"players": 4}, {"Ada": 200, "Bo": 0, "Cy": 0, "Di": 0}, ("Ada",)),
        ("duo-200", {}, {"Ada": 200, "Bo": 199}, ("Bo",)),
        ("duo-200", {}, {"Ada": 260, "Bo": 230}, ("Bo",)),
        ("duo-200", {}, {"Ada": 230, "Bo": 230}, ("Ada", "Bo")),
        ("speluitslagen", {}, {"Ada": 9000, "Bo": 0}, None),
        ("speluitslagen", {"target": 300}, {"Ada": 300, "Bo": 12, "Cy": 80}, ("Bo",)),
        ("speluitslagen", {"target": 300}, {"Ada": 310, "Bo": 305, "Cy": 305}, ("Bo", "Cy")),
        ("two-player", {"target": 250}, {"Ada": 249, "Bo": 250}, ("Bo",)),
        ("official", {}, {"Ada": 500, "Bo": 20}, ("Ada",)),
        ("classic-500", {"count": "rounds", "target": 3}, {"Ada": 2, "Bo": 3}, ("Bo",)),
        ("duo-200", {"count": "rounds", "target": 3}, {"Ada": 1, "Bo": 3}, ("Bo",)),
        ("classic-500", {"count": "rounds"}, {"Ada": 700, "Bo": 3}, None),
    ],
)
def test_a_match_ends_at_its_target_and_the_right_player_wins(
    rulebook: str, agreed: dict[str, Any], totals: dict[str, int], expected: tuple[str, ...] | None
) -> None:
    end = outcome(terms(rulebook, **agreed), totals)
    assert (None if end is None else (end.ending, end.winners)) == (None if expected is None else ("target", expected))


def test_by_house_rule_the_lowest_total_wins_when_one_reaches_five_hundred() -> None:
    agreed = terms("official", "own-points-500")
    end = outcome(agreed, {"Ada": 512, "Bo": 90, "Cy": 77})
    assert end is not None
    assert end.winners == ("Cy",)
    cited = {step.clause.id: step.clause for step in end.steps if step.clause}
    assert cited["match-winner"].replaces is not None


def test_a_tie_names_all_and_says_that_the_text_is_silent() -> None:
    end = outcome(terms("classic-500"), {"Ada": 500, "Bo": 500, "Cy": 1})
    assert end is not None
    assert end.tied
    assert any("Ada and Bo" in step.text and "does not say" in step.text for step in end.steps)


def test_a_single_winner_is_no_tie() -> None:
    end = outcome(terms("classic-500"), {"Ada": 500, "Bo": 0})
    assert end is not None
    assert not end.tied
    assert [step.clause.id for step in end.steps if step.clause] == ["target", "match-winner"]


def test_a_match_ended_by_hand_is_won_by_the_leader() -> None:
    end = outcome(terms("two-player"), {"Ada": 80, "Bo": 90}, by_hand=True)
    assert end is not None
    assert (end.ending, end.winners) == ("by-hand", ("Bo",))


def test_where_nobody_said_which_total_wins_nobody_does() -> None:
    agreed = terms("speluitslagen")
    assert winners(agreed, {"Ada": 80, "Bo": 90}) == ()
    end = outcome(agreed, {"Ada": 80, "Bo": 90}, by_hand=True)
    assert end is not None
    assert end.winners == ()
    assert any("does not say who wins" in step.text for step in end.steps)
    assert [line.player for line in standings(agreed, {"Ada": 90, "Bo": 80})] == ["Bo", "Ada"]


def test_the_fewest_cards_win_when_the_time_is_up_whatever_the_totals() -> None:
    agreed = terms("two-player", "time-limit", target=500)
    end = outcome(agreed, {"Ada": 480, "Bo": 20}, fewest_cards=("Bo",))
    assert end is not None
    assert (end.ending, end.winners) == ("time-limit", ("Bo",))
    assert [step.clause.id for step in end.steps if step.clause] == ["time-limit"]


@pytest.mark.parametrize(("rounds", "dealer"), [(0, "Bo"), (1, "Cy"), (2, "Di"), (3, "Ada"), (4, "Bo"), (41, "Cy")])
def test_the_deal_moves_on_clockwise_and_the_app_says_that_it_is_a_courtesy(rounds: int, dealer: str) -> None:
    turn = opening(terms("classic-500"), ["Ada", "Bo", "Cy", "Di"], "Bo", rounds)
    assert (turn.dealer, turn.drafter) == (dealer, None)
    assert turn.step.clause is None
    assert "does not say" in turn.step.text


@pytest.mark.parametrize(("rounds", "drafter"), [(0, "Ada"), (1, "Bo"), (2, "Ada")])
def test_in_duo_nobody_deals_and_the_drafter_alternates_as_the_text_says(rounds: int, drafter: str) -> None:
    turn = opening(terms("duo-200"), ["Ada", "Bo"], "Ada", rounds)
    assert (turn.dealer, turn.drafter) == (None, drafter)
    assert turn.step.clause is not None
    assert turn.step.clause.id == "next-starter"
