"""The factors by which a phone adds up: the same points as scoring gives, whatever the hands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.rules.library import rulebooks
from referee.rules.problem import Impossible
from referee.rules.round_entry import DRAW_PILE_EMPTY, TIME_LIMIT, WENT_OUT, RoundEntry
from referee.rules.scoring import score_round
from referee.rules.shares import shares
from referee.rules.terms import Terms

BOOKS = [pytest.param(id, id=id) for id in rulebooks()]
COUNTS = ["points", "rounds"]
worth = st.integers(min_value=3, max_value=60)


def added_up(terms: Terms, entry: RoundEntry, takers: tuple[str, ...], hands: dict[str, int]) -> dict[str, int]:
    """Do as the phone does: multiply and add."""
    share = shares(terms)[entry.ended]
    everything = sum(hands.values())
    return {
        name: share.own * hands.get(name, 0)
        + (share.fixed + share.others * (everything - hands.get(name, 0)) if name in takers else 0)
        for name in ("Ada", "Bo")
    }


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("book", BOOKS)
@given(worth)
def test_a_round_that_somebody_wins_adds_up_as_it_is_scored(book: str, count: str, hand: int) -> None:
    terms = Terms.agree(rulebooks()[book], count=count)
    entry = RoundEntry(went_out="Ada", hands={"Bo": hand})
    try:
        scored = score_round(terms, entry, ("Ada", "Bo")).points
    except Impossible:
        return  # no cards make this total
    assert dict(scored) == added_up(terms, entry, ("Ada",), {"Bo": hand})


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("book", BOOKS)
def test_a_round_that_the_draw_pile_ends_adds_up_as_it_is_scored(book: str, count: str) -> None:
    terms = Terms.agree(rulebooks()[book], ["end-when-draw-pile-empty"], count=count)
    met = 0
    for credited in (("Ada",), ("Ada", "Bo"), None):
        entry = RoundEntry(ended=DRAW_PILE_EMPTY, hands={"Ada": 6, "Bo": 29}, credited_to=credited)
        try:
            scored = score_round(terms, entry, ("Ada", "Bo")).points
        except Impossible:
            continue
        assert dict(scored) == added_up(terms, entry, credited or (), {"Ada": 6, "Bo": 29})
        met += 1
    assert met


def test_only_the_endings_that_were_agreed_on_have_factors() -> None:
    plain, timed = (Terms.agree(rulebooks()["classic-500"], rules) for rules in ([], ["time-limit"]))
    assert set(shares(plain)) == {WENT_OUT}
    assert set(shares(timed)) == {WENT_OUT, TIME_LIMIT}
