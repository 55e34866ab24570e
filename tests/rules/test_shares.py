"""The factors by which a phone adds up: the same points as scoring gives, whatever the hands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.rules.books.library import rulebooks
from referee.rules.scoring.round_entry import DRAW_PILE_EMPTY, TIME_LIMIT, WENT_OUT, RoundEntry
from referee.rules.scoring.scoring import score_round, shares
from referee.rules.scoring.terms import Terms
from referee.rules.text.problem import Impossible

BOOKS = [pytest.param(id, id=id) for id in rulebooks()]
COUNTS = ["points", "rounds"]
ADA, BO = 0, 1
TABLE = {ADA: "Ada", BO: "Bo"}
worth = st.integers(min_value=3, max_value=60)


def added_up(terms: Terms, entry: RoundEntry, takers: tuple[int, ...], hands: dict[int, int]) -> dict[int, int]:
    """Do as the phone does: multiply and add."""
    share = shares(terms)[entry.ended]
    everything = sum(hands.values())
    return {
        seat: share.own * hands.get(seat, 0)
        + (share.fixed + share.others * (everything - hands.get(seat, 0)) if seat in takers else 0)
        for seat in TABLE
    }


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("book", BOOKS)
@given(worth)
def test_a_round_that_somebody_wins_adds_up_as_it_is_scored(book: str, count: str, hand: int) -> None:
    terms = Terms.agree(rulebooks()[book], count=count)
    entry = RoundEntry(went_out=ADA, hands={BO: hand})
    try:
        scored = score_round(terms, entry, TABLE).points
    except Impossible:
        return  # no cards make this total
    assert dict(scored) == added_up(terms, entry, (ADA,), {BO: hand})


PILE_ENDS = [book.id for book in rulebooks().values() if "end-when-draw-pile-empty" in book.house_rules]


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("book", PILE_ENDS)
def test_a_round_that_the_draw_pile_ends_adds_up_as_it_is_scored(book: str, count: str) -> None:
    terms = Terms.agree(rulebooks()[book], ["end-when-draw-pile-empty"], count=count)
    met = 0
    for credited in ((ADA,), (ADA, BO), None):
        entry = RoundEntry(ended=DRAW_PILE_EMPTY, hands={ADA: 20, BO: 50}, credited_to=credited)
        try:
            scored = score_round(terms, entry, TABLE).points
        except Impossible:
            continue
        assert dict(scored) == added_up(terms, entry, credited or (), {ADA: 20, BO: 50})
        met += 1
    assert met


def test_only_the_endings_that_were_agreed_on_have_factors() -> None:
    plain, timed = (Terms.agree(rulebooks()["classic-500"], rules) for rules in ([], ["time-limit"]))
    assert set(shares(plain)) == {WENT_OUT}
    assert set(shares(timed)) == {WENT_OUT, TIME_LIMIT}
