"""What a rulebook brings with it: the one place that fails when a rulebook is added without."""

from __future__ import annotations

from collections import Counter

import pytest

from referee.rules.books.library import rulebooks
from tests.rules.test_disputes_cases import CASES as HEARINGS
from tests.rules.test_disputes_tree import COUNTED
from tests.rules.test_quotations import NO_TEXT, PHRASES
from tests.rules.test_scoring_cases import CASES as ROUNDS
from tests.rules.test_terms import WORTH

MOST_DISPUTED = {"draw-four-challenge": 12, "uno-call": 8}
"""The two great quarrels, and how many cases each has at least."""


@pytest.mark.parametrize("rulebook", rulebooks())
def test_a_rulebook_brings_its_cases(rulebook: str) -> None:
    heard = Counter(case["dispute"] for case in HEARINGS if case["rulebook"] == rulebook)
    few = {dispute: heard[dispute] for dispute, least in MOST_DISPUTED.items() if heard[dispute] < least}
    tables = {
        "tests/cases/hearings-*.toml": not few,
        "tests/cases/scoring*.toml": any(case["rulebook"] == rulebook for case in ROUNDS),
        "LEAVES, how its hearings end": rulebook in COUNTED,
        "WORTH, what its cards are worth": rulebook in WORTH,
        "PHRASES, where its text is, or NO_TEXT": rulebook in PHRASES or rulebook in NO_TEXT,
    }
    assert [table for table, there in tables.items() if not there] == [], few


def test_every_table_is_of_rulebooks_that_are_there() -> None:
    named = {case["rulebook"] for case in (*HEARINGS, *ROUNDS)} | {*COUNTED, *WORTH, *PHRASES, *NO_TEXT}
    assert named <= {*rulebooks()}
