"""Standings, and ends of a match but those by its target, which are with the cases of ``tests/cases/boxes.toml``."""

from typing import Any

import pytest

from referee.rules.books.library import rulebooks
from referee.rules.scoring.scoring import furthest_behind, is_over, outcome, standings, turning_point, winners
from referee.rules.scoring.terms import Terms, Wins

ADA, BO, CY, DI = range(4)
TABLE = {ADA: "Ada", BO: "Bo", CY: "Cy", DI: "Di"}


def terms(rulebook: str, *house_rules: str, **agreed: Any) -> Terms:
    return Terms.agree(rulebooks()[rulebook], house_rules, **agreed)


def lines(agreed: Terms, totals: dict[int, int]) -> list[tuple[str, int, int, int | None]]:
    return [(line.player, line.total, line.rank, line.needs) for line in standings(agreed, totals, TABLE)]


def test_the_highest_total_leads_where_the_highest_wins_and_needs_what_is_missing_to_win() -> None:
    totals = {ADA: 120, BO: 310, CY: 120, DI: 0}
    first, *others = lines(terms("classic-500"), totals)
    assert first == ("Bo", 310, 1, 190)
    assert others == [("Ada", 120, 2, 380), ("Cy", 120, 2, 380), ("Di", 0, 4, 500)]


def test_the_lowest_total_leads_where_the_lowest_wins_and_needs_what_is_left_until_the_end() -> None:
    assert lines(terms("duo-200"), {ADA: 150, BO: 40}) == [("Bo", 40, 1, 160), ("Ada", 150, 2, 50)]


def test_an_open_ended_match_needs_nothing_and_is_never_over() -> None:
    agreed = terms("two-player", players=2)
    assert lines(agreed, {ADA: 9000, BO: 0}) == [("Ada", 9000, 1, None), ("Bo", 0, 2, None)]
    assert not is_over(agreed, {ADA: 9000, BO: 0})
    assert outcome(agreed, {ADA: 9000, BO: 0}) is None


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


# -- the course of a match ---------------------------------------------------------------------------------------------


def course(*totals: tuple[int, int]) -> list[dict[str, int]]:
    return [{"Ada": ada, "Bo": bo} for ada, bo in ((0, 0), *totals)]


@pytest.mark.parametrize(
    ("totals", "leads", "turned"),
    [
        (((5, 0), (9, 3)), "highest", 1),
        (((0, 5), (9, 5), (9, 8)), "highest", 2),
        (((5, 0), (5, 9), (12, 9), (14, 9)), "highest", 3),
        (((5, 0), (5, 5), (9, 5), (9, 6)), "highest", 3),
        (((5, 0), (5, 5), (9, 5)), "highest", None),
        (((0, 5), (3, 5), (5, 5)), "highest", None),
        (((0, 5), (3, 9)), "highest", None),
        (((0, 5), (3, 9)), "lowest", 1),
        (((5, 0), (5, 9), (6, 9)), "lowest", 2),
        ((), "highest", None),
    ],
    ids=[
        "led from the first round", "took the lead once", "lost it and took it back", "a level round in between",
        "the last round turns nothing", "ends level", "lost", "the lowest leads", "overtook where the lowest leads",
        "nothing played",
    ],
)  # fmt: skip
def test_the_turning_point_is_the_round_after_which_the_winner_led_alone(
    totals: tuple[tuple[int, int], ...], leads: Wins, turned: int | None
) -> None:
    assert turning_point(course(*totals), leads, "Ada") == turned


def test_who_joined_late_led_from_then_on() -> None:
    tables = [{"Ada": 0, "Bo": 0}, {"Ada": 4, "Bo": 0}, {"Ada": 4, "Bo": 0, "Cy": 9}]
    tables.append(tables[-1])
    assert turning_point(tables, "highest", "Cy") == 2


@pytest.mark.parametrize(
    ("leads", "player", "gap"), [("highest", "Ada", 5), ("highest", "Bo", 6), ("lowest", "Ada", 6), ("lowest", "Bo", 5)]
)
def test_the_furthest_behind_is_measured_from_the_best_total(leads: Wins, player: str, gap: int) -> None:
    assert furthest_behind(course((0, 5), (11, 5)), leads, player) == gap


def test_nobody_is_behind_before_the_first_round() -> None:
    assert furthest_behind([{"Ada": 10, "Bo": 0}], "lowest", "Ada") == 0
