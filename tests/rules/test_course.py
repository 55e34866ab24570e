"""What can be told from everybody's total after each round."""

from __future__ import annotations

import pytest

from referee.rules.scoring.standings import furthest_behind, turning_point
from referee.rules.scoring.terms import Wins


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
