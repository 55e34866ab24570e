"""Matches of UNO Flip! over several rounds, from the checked cases of its sheet."""

from __future__ import annotations

import pytest

from referee.rules.books.library import rulebooks
from referee.rules.scoring.standings import outcome
from referee.rules.scoring.terms import Terms
from tests.ground.rounds import score

SEATS = ("A", "B", "C")


def played(terms: Terms, *caught: tuple[int, int, int]) -> list[tuple[dict[str, int], str | None, list[str]]]:
    """Score rounds by what each was caught with; give the totals, how the match ended and who won, after each."""
    totals = dict.fromkeys(SEATS, 0)
    told: list[tuple[dict[str, int], str | None, list[str]]] = []
    for number, hands in enumerate(caught, 1):
        out = SEATS[hands.index(0)]
        held = {name: points for name, points in zip(SEATS, hands, strict=True) if name != out}
        found = score(terms, {"went_out": out, "side": "light", "hands": held}, SEATS)
        totals = {name: totals[name] + found.points[name] for name in SEATS}
        end = outcome(terms, {seat: totals[name] for seat, name in enumerate(SEATS)}, rounds=number)
        told.append((totals, end.ending if end else None, [SEATS[seat] for seat in end.winners] if end else []))
    return told


@pytest.mark.parametrize(
    ("before", "caught", "total", "ended"),
    [
        pytest.param(495, 3, 498, None, id="F14: 498 is not 500"),
        pytest.param(498, 1, 499, None, id="F15: 499 is not 500"),
        pytest.param(498, 2, 500, "target", id="F16: 500 wins"),
    ],
)
def test_the_winner_is_whoever_first_reaches_500(before: int, caught: int, total: int, ended: str | None) -> None:
    terms = Terms.agree(rulebooks()["flip"])
    totals = {0: before + caught, 1: 20}
    end = outcome(terms, totals, rounds=9)
    assert (totals[0], end and end.ending) == (total, ended)
    assert end is None or end.winners == (0,)


def test_rounds_add_up_for_whoever_went_out() -> None:
    first, second = played(Terms.agree(rulebooks()["flip"]), (0, 130, 90), (45, 0, 300))
    assert first == ({"A": 220, "B": 0, "C": 0}, None, [])
    assert second == ({"A": 220, "B": 345, "C": 0}, None, [])


def test_f17_by_the_other_way_to_score_the_lowest_wins_when_somebody_reaches_500() -> None:
    terms = Terms.agree(rulebooks()["flip"], ["own-points-500"])
    *_, before, last = played(terms, (0, 130, 90), (250, 0, 45), (60, 380, 0))
    assert before == ({"A": 250, "B": 130, "C": 135}, None, [])
    assert last == ({"A": 310, "B": 510, "C": 135}, "target", ["C"])
