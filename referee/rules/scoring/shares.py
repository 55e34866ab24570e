"""How a round's hands become points, as plain factors that an offline phone multiplies and adds.

The factors are found by scoring small rounds with the engine itself, so that no rule stands here a second time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from referee.rules.books.rulebook import TABLE_SIZES
from referee.rules.scoring.round_entry import DRAW_PILE_EMPTY, LAST_ONE_LEFT, TIME_LIMIT, WENT_OUT, RoundEntry
from referee.rules.scoring.scoring import score_round
from referee.rules.scoring.terms import Terms
from referee.rules.text.problem import Impossible

TAKER, HOLDER, THIRD = 0, 1, 2
"""Seats of those who play those rounds."""
SMALL, LARGE = 5, 7
"""Hands of different value, whether or not the box can make them."""


@dataclass(frozen=True)
class Share:
    """What a round scores: `fixed` points for the taker, and factors for the others' hands and one's own.

    The taker is who went out, or who is credited when nobody did.
    """

    fixed: int
    others: int
    own: int
    knocked_out: int = 0
    """points for the taker for each player knocked out"""
    ranks: tuple[tuple[int, ...], ...] = ()
    """points of each rank, best first, for one hand there, for two alike and so on; the factors are 0 then"""

    def to_json(self) -> dict[str, Any]:
        """Return the factors as JSON for the phone."""
        factors: dict[str, Any] = {"fixed": self.fixed, "others": self.others, "own": self.own}
        factors |= {"knockedOut": self.knocked_out} if self.knocked_out else {}
        return factors | {"ranks": [list(points) for points in self.ranks]} if self.ranks else factors


def shares(terms: Terms) -> Mapping[str, Share]:
    """Return the factors for every way a round may end under these terms."""
    by_ending: dict[str, Share] = {}
    terms = replace(terms, teams=None)  # whose hands count is for the phone to say, as it knows who went out
    for ended in (WENT_OUT, DRAW_PILE_EMPTY, TIME_LIMIT):
        small, large = _points(terms, ended, SMALL), _points(terms, ended, LARGE)
        if small and large and terms.rank_points and terms.count == "points" and ended != TIME_LIMIT:
            by_ending[ended] = Share(0, 0, 0, knocked_out=_knock_out(terms, ended), ranks=_ranks(terms))
        elif small and large:
            others = (large[TAKER] - small[TAKER]) // (LARGE - SMALL)
            by_ending[ended] = Share(
                fixed=small[TAKER] - others * SMALL,
                others=others,
                own=(large[HOLDER] - small[HOLDER]) // (LARGE - SMALL),
                knocked_out=_knock_out(terms, ended),
            )
    lone, both = (_scored(terms, RoundEntry(LAST_ONE_LEFT, knocked_out=out)) for out in ((HOLDER,), (HOLDER, THIRD)))
    if lone and both:
        each = both[TAKER] - lone[TAKER]
        by_ending[LAST_ONE_LEFT] = Share(fixed=lone[TAKER] - each, others=0, own=0, knocked_out=each)
    return MappingProxyType(by_ending)


def _ranks(terms: Terms) -> tuple[tuple[int, ...], ...]:
    most = TABLE_SIZES[-1]
    return tuple(
        tuple(terms.points_of_ranks(first, count) for count in range(1, most - first + 1)) for first in range(most)
    )


def _knock_out(terms: Terms, ended: str) -> int:
    """Return what the taker gets for a player knocked out."""
    without, knocked = _points(terms, ended, SMALL), _points(terms, ended, SMALL, knocked_out=(THIRD,))
    return knocked[TAKER] - without[TAKER] if knocked and without else 0


def _points(terms: Terms, ended: str, worth: int, knocked_out: tuple[int, ...] = ()) -> Mapping[int, int] | None:
    scored = (_scored(terms, replace(entry, knocked_out=knocked_out)) for entry in _entries(ended, worth))
    return next((points for points in scored if points is not None), None)


def _scored(terms: Terms, entry: RoundEntry) -> Mapping[int, int] | None:
    """Score a round of as many players as it has, whatever hands the box can give; None where it cannot be."""
    names = {TAKER: "taker", HOLDER: "holder", THIRD: "third"}
    table = names if THIRD in entry.knocked_out else {seat: names[seat] for seat in (TAKER, HOLDER)}
    try:
        return score_round(terms, entry, table, check_box=False).points
    except Impossible:
        return None


def _entries(ended: str, worth: int) -> Iterator[RoundEntry]:
    """Return rounds that end so, in which one player holds a hand of this worth; not every text takes each."""
    if ended == WENT_OUT:
        yield RoundEntry(ended=ended, went_out=TAKER, hands={HOLDER: worth})
    elif ended == DRAW_PILE_EMPTY:
        yield RoundEntry(ended=ended, hands={TAKER: (), HOLDER: worth}, credited_to=(TAKER,))
        yield RoundEntry(ended=ended, hands={TAKER: (), HOLDER: worth})
    else:
        yield RoundEntry(ended=ended, cards_left={TAKER: 2, HOLDER: worth})
