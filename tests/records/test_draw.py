"""The draw of an evening's tables, held against a model that only counts who has met."""

import time
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.records.evening.draw import advice, meetings, plan, sizes


def people(count: int) -> list[str]:
    return [f"{number:016d}" for number in range(count)]


@pytest.mark.parametrize(
    ("players", "size", "tables"),
    [
        (0, 4, ()), (1, 4, ()), (2, 4, (2,)), (3, 4, (3,)), (4, 4, (4,)), (5, 4, (5,)), (6, 4, (3, 3)),
        (7, 4, (4, 3)), (8, 4, (4, 4)), (9, 4, (3, 3, 3)), (11, 4, (4, 4, 3)), (12, 4, (4, 4, 4)),
        (13, 4, (4, 3, 3, 3)), (17, 4, (4, 4, 3, 3, 3)), (18, 4, (4, 4, 4, 3, 3)),
        (4, 3, (4,)), (5, 3, (5,)), (7, 3, (4, 3)), (8, 3, (4, 4)), (10, 3, (4, 3, 3)), (12, 3, (3, 3, 3, 3)),
        (3, 2, (3,)), (5, 2, (3, 2)), (6, 2, (2, 2, 2)), (7, 2, (3, 2, 2)),
        (5, 5, (5,)), (6, 5, (3, 3)), (9, 5, (5, 4)), (11, 5, (4, 4, 3)), (16, 5, (4, 4, 4, 4)), (17, 5, (5, 4, 4, 4)),
    ],
)  # fmt: skip
def test_tables_are_fair_and_nobody_sits_alone(players: int, size: int, tables: tuple[int, ...]) -> None:
    assert sizes(players, size) == tables


@settings(max_examples=25, deadline=None)
@given(st.integers(5, 40), st.integers(3, 5), st.integers(1, 4), st.integers(0, 999_999), st.data())
def test_a_draw_is_what_a_model_that_counts_meetings_says(
    count: int, size: int, rounds: int, number: int, data: st.DataObject
) -> None:
    here, met = people(count), Counter[frozenset[str]]()
    for played in range(rounds):
        late = data.draw(st.integers(0, 3))
        here = here[data.draw(st.integers(0, min(2, len(here) - 3))) :] + [
            f"x{played}{one:014d}" for one in range(late)
        ]
        drawn = plan(here, size, 1, number + played, met)[0]
        assert sorted(player for table in drawn.tables for player in table) == sorted(here)
        assert tuple(map(len, drawn.tables)) == sizes(len(here), size)
        assert (drawn,) == plan(list(reversed(here)), size, 1, number + played, met)
        again = {(one, other): times for one, other, times in drawn.again}
        pairs = [tuple(sorted(pair)) for table in drawn.tables for pair in combinations(table, 2)]
        assert again == {pair: met[frozenset(pair)] for pair in pairs if met[frozenset(pair)]}
        met.update(meetings(drawn.tables))
        if not played:
            assert not drawn.again


def repeats(players: int, size: int, rounds: int) -> int:
    return sum(len(drawn.again) for drawn in plan(people(players), size, rounds, 7, {}))


@pytest.mark.parametrize(
    ("players", "size", "rounds", "most"),
    [(12, 4, 3, 9), (12, 3, 3, 0), (16, 4, 5, 0), (20, 4, 5, 0), (40, 4, 6, 0), (17, 4, 5, 7)],
)
def test_nobody_meets_twice_as_long_as_that_can_be(players: int, size: int, rounds: int, most: int) -> None:
    assert repeats(players, size, rounds) <= most


@pytest.mark.extended
@pytest.mark.parametrize(("rounds", "fewest"), [(5, 16), (6, 25)])
def test_hardly_anyone_meets_twice_in_five_or_six_rounds(rounds: int, fewest: int) -> None:
    assert sum(repeats(players, 4, rounds) for players in range(fewest, 41)) <= 1, (
        "one pair, of one of all these evenings"
    )


def test_advice_names_the_size_that_spares_repeats() -> None:
    assert advice(people(12), 4, 3, 7, {}) == {4: 9, 3: 0}
    assert advice(people(16), 4, 5, 7, {}) == {4: 0}


def test_two_hundred_are_drawn_by_counted_steps() -> None:
    began = time.process_time()
    assert repeats(200, 4, 6) == 0
    assert time.process_time() - began < 60, "bounded by steps; what it really takes stands in the benchmarks"
