"""Totals typed instead of cards, and whether any cards make them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from referee.rules.text.words import say

HIGHEST_TOTAL = 100_000
"""More than any hand is worth, and as high as a target may be."""
LONGEST_SUM = 200
_FACTORS = re.compile(r"\d{1,6}|[1-9]\d{0,5}[*×xX]\d{1,6}")


class NotATotal(ValueError):
    """A text that is not a sum of points; the message says what would be."""


def parse_total(text: str) -> int:
    """Read a typed total: a whole number or a sum such as ``20+20+50``, where ``3×20`` may stand for thrice 20.

    Raises `NotATotal`. Nothing is ever evaluated as code.
    """
    if len(text) > LONGEST_SUM:
        raise NotATotal(say("problems.total-long", most=LONGEST_SUM))
    compact = "".join(text.split())
    if not compact:
        raise NotATotal(say("problems.total-missing"))
    if compact[0] in "-−":
        raise NotATotal(say("problems.total-negative"))
    if re.search(r"\d[.,]\d", compact):
        raise NotATotal(say("problems.total-whole"))
    total = 0
    for part in compact.split("+"):
        if not _FACTORS.fullmatch(part):
            raise NotATotal(say("problems.total-unread", text=text.strip()[:40]))
        factors = [int(factor) for factor in re.split(r"[*×xX]", part)]
        total += factors[0] * (factors[1] if len(factors) > 1 else 1)
    if total > HIGHEST_TOTAL:
        raise NotATotal(say("problems.total-high", most=HIGHEST_TOTAL))
    return total


def makeable(worths: Iterable[int], cards: int | None = None) -> int:
    """Find every total that some of these cards make, or exactly `cards` of them.

    `worths` are the points of each single card there is. Returns a set of totals as bits: bit n is
    set when n can be made. (The subset-sum recurrence, one shift a card.)
    """
    if cards is None:
        sums = 1
        for worth in worths:
            sums |= sums << worth
        return sums
    by_count = [1] + [0] * cards
    for worth in worths:
        for count in range(cards, 0, -1):
            by_count[count] |= by_count[count - 1] << worth
    return by_count[cards]


def makeable_of_any(worths: Iterable[int], most: int, cards: int | None = None) -> int:
    """Find every total that up to `most` cards make, or exactly `cards`, each worth as often as needed."""
    each = set(worths)
    reached = sums = 1
    for _ in range(most if cards is None else cards):
        longer = 0
        for worth in each:
            longer |= sums << worth
        sums = longer
        reached |= sums
    return reached if cards is None else sums


def can_make(total: int, sums: int) -> bool:
    """Return whether `total` is among the sums that `makeable` found."""
    return 0 <= total < sums.bit_length() and bool(sums >> total & 1)


def nearest(total: int, sums: int) -> tuple[int, ...]:
    """Return the nearest makeable totals below and above, where they exist."""
    if not sums:
        return ()
    highest = sums.bit_length() - 1
    if total > highest:
        return (highest,)
    below = (sums & ((1 << total) - 1)).bit_length() - 1
    above = sums >> (total + 1)
    return tuple(
        near for near, there in ((below, below >= 0), (total + (above & -above).bit_length(), above > 0)) if there
    )
