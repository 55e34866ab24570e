"""Standings, ends of a match, and ties."""

from __future__ import annotations

from typing import Any

import pytest

from referee.rules.books.library import rulebooks
from referee.rules.scoring.standings import is_over, outcome, standings, winners
from referee.rules.scoring.terms import Terms

ADA, BO, CY, DI = range(4)
TABLE = {ADA: "Ada", BO: "Bo", CY: "Cy", DI: "Di"}


def terms(rulebook: str, *house_rules: str, **agreed: Any) -> Terms:
    return Terms.agree(rulebooks()[rulebook], house_rules, **agreed)


def lines(agreed: Terms, totals: dict[int, int]) -> list[tuple[str, int, int, int | None]]:
    return [(line.player, line.total, line.rank, line.needs) for line in standings(agreed, totals, TABLE)]


def test_the_highest_total_leads_where_the_highest_wins_and_needs_what_is_missing_to_win() -> None:
    totals = {ADA: 120, BO: 310, CY: 120, DI: 0}
    assert lines(terms("classic-500"), totals) == [
        ("Bo", 310, 1, 190),
        ("Ada", 120, 2, 380),
        ("Cy", 120, 2, 380),
        ("Di", 0, 4, 500),
    ]


def test_the_lowest_total_leads_where_the_lowest_wins_and_needs_what_is_left_until_the_end() -> None:
    assert lines(terms("duo-200"), {ADA: 150, BO: 40}) == [("Bo", 40, 1, 160), ("Ada", 150, 2, 50)]


def test_an_open_ended_match_needs_nothing_and_is_never_over() -> None:
    agreed = terms("two-player", players=2)
    assert lines(agreed, {ADA: 9000, BO: 0}) == [("Ada", 9000, 1, None), ("Bo", 0, 2, None)]
    assert not is_over(agreed, {ADA: 9000, BO: 0})
    assert outcome(agreed, {ADA: 9000, BO: 0}) is None


@pytest.mark.parametrize(
    ("rulebook", "agreed", "totals", "expected"),
    [
        ("classic-500", {}, {ADA: 499, BO: 0}, None),
        ("classic-500", {}, {ADA: 500, BO: 499}, (ADA,)),
        ("classic-500", {}, {ADA: 510, BO: 530, CY: 3}, (BO,)),
        ("classic-500", {}, {ADA: 510, BO: 510, CY: 3}, (ADA, BO)),
        ("classic-500", {"target": 100}, {ADA: 100, BO: 0}, (ADA,)),
        ("online-100-200", {"players": 2}, {ADA: 100, BO: 0}, (ADA,)),
        ("online-100-200", {"players": 3}, {ADA: 199, BO: 0, CY: 0}, None),
        ("online-100-200", {"players": 4}, {ADA: 200, BO: 0, CY: 0, DI: 0}, (ADA,)),
        ("duo-200", {}, {ADA: 200, BO: 199}, (BO,)),
        ("duo-200", {}, {ADA: 260, BO: 230}, (BO,)),
        ("duo-200", {}, {ADA: 230, BO: 230}, (ADA, BO)),
        ("speluitslagen", {}, {ADA: 9000, BO: 0}, None),
        ("speluitslagen", {"target": 300}, {ADA: 300, BO: 12, CY: 80}, (BO,)),
        ("speluitslagen", {"target": 300}, {ADA: 310, BO: 305, CY: 305}, (BO, CY)),
        ("two-player", {"target": 250}, {ADA: 249, BO: 250}, (BO,)),
        ("official", {}, {ADA: 500, BO: 20}, (ADA,)),
        ("classic-500", {"count": "rounds", "target": 3}, {ADA: 2, BO: 3}, (BO,)),
        ("duo-200", {"count": "rounds", "target": 3}, {ADA: 1, BO: 3}, (BO,)),
        ("classic-500", {"count": "rounds"}, {ADA: 700, BO: 3}, None),
    ],
)
def test_a_match_ends_at_its_target_and_the_right_player_wins(
    rulebook: str, agreed: dict[str, Any], totals: dict[int, int], expected: tuple[int, ...] | None
) -> None:
    end = outcome(terms(rulebook, **agreed), totals)
    assert (None if end is None else (end.ending, end.winners)) == (None if expected is None else ("target", expected))


def test_by_house_rule_the_lowest_total_wins_when_one_reaches_five_hundred() -> None:
    for rulebook in ("official", "flip"):  # F17 of the sheet of UNO Flip!
        agreed = terms(rulebook, "own-points-500")
        assert outcome(agreed, {ADA: 250, BO: 130, CY: 135}) is None
        end = outcome(agreed, {ADA: 310, BO: 510, CY: 135})
        assert end is not None
        assert end.winners == (CY,)


def test_a_match_ended_by_hand_is_won_by_the_leader() -> None:
    end = outcome(terms("two-player"), {ADA: 80, BO: 90}, by_hand=True)
    assert end is not None
    assert (end.ending, end.winners) == ("by-hand", (BO,))


def test_where_nobody_said_which_total_wins_nobody_does() -> None:
    agreed = terms("speluitslagen")
    assert winners(agreed, {ADA: 80, BO: 90}) == ()
    end = outcome(agreed, {ADA: 80, BO: 90}, by_hand=True)
    assert end is not None
    assert end.winners == ()
    assert [line.player for line in standings(agreed, {ADA: 90, BO: 80}, TABLE)] == ["Bo", "Ada"]


def test_the_fewest_cards_win_when_the_time_is_up_whatever_the_totals() -> None:
    agreed = terms("two-player", "time-limit", target=500)
    end = outcome(agreed, {ADA: 480, BO: 20}, fewest_cards=(BO,))
    assert end is not None
    assert (end.ending, end.winners) == ("time-limit", (BO,))
