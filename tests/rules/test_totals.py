"""Typed totals: read without ever being evaluated, and held against what cards can make."""

from contextlib import suppress
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.rules.cards.cards import NotATotal, can_make, makeable, nearest, parse_total


@pytest.mark.parametrize(
    ("text", "total"),
    [
        ("0", 0), ("35", 35), ("007", 7), ("20+20+50", 90), (" 20 + 20 + 50 ", 90), ("3×20+7", 67), ("3*20", 60),
        ("2x50", 100), ("٣٥", 35), ("100000", 100_000),
    ],
)  # fmt: skip
def test_a_typed_total_is_a_number_or_a_sum(text: str, total: int) -> None:
    assert parse_total(text) == total


@pytest.mark.parametrize(
    "text",
    ["", "  ", "+", "20+", "+20", "20++20", "-5", "−5", "20-5", "7.5", "7,5", "1e3", "0x10", "²", "½", "nan", "12a",
     "__import__('os')", "(1+2)", "9**9", "9*9*9", "1_000", "1\u00002", "100001", "99999+99999", "1+" * 5000 + "1"],
)  # fmt: skip
def test_anything_else_is_refused_with_what_would_be_right(text: str) -> None:
    with pytest.raises(NotATotal) as refusal:
        parse_total(text)
    assert 10 < len(str(refusal.value)) < 120


@given(st.lists(st.integers(0, 999), min_size=1, max_size=30))
def test_a_typed_sum_is_the_sum_of_its_parts(parts: list[int]) -> None:
    assert parse_total(" + ".join(map(str, parts))) == sum(parts)


@given(st.text(max_size=60))
def test_no_text_whatever_breaks_the_reader(text: str) -> None:
    with suppress(NotATotal):
        assert 0 <= parse_total(text) <= 100_000


@given(st.lists(st.integers(0, 20), max_size=8), st.none() | st.integers(0, 9))
def test_sums_are_exactly_those_of_all_choices_of_cards(worths: list[int], cards: int | None) -> None:
    sizes = range(len(worths) + 1) if cards is None else [cards]
    truth = {sum(chosen) for size in sizes for chosen in combinations(worths, size)}
    sums = makeable(worths, cards)
    assert {total for total in range(200) if can_make(total, sums)} == truth


@given(st.sets(st.integers(0, 60), min_size=1), st.integers(0, 80))
def test_the_nearest_sums_are_the_neighbors_on_both_sides(totals: set[int], wanted: int) -> None:
    found = nearest(wanted, sum(1 << total for total in totals))
    below = [total for total in totals if total < wanted]
    above = [total for total in totals if total > wanted]
    assert list(found) == ([max(below)] if below else []) + ([min(above)] if above else [])
