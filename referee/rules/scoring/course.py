"""The course of a match: everybody's total after each round, and what follows from it.

A course is a sequence of tables: the first before any round, then one after each. A player stands
only in the tables of the time they sat at the match.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

from referee.rules.scoring.terms import Wins

P = TypeVar("P", bound=Hashable)


def best(table: Mapping[P, int], leads: Wins) -> int:
    """Return the best total of a table that has at least one."""
    return max(table.values()) if leads == "highest" else min(table.values())


def turning_point(course: Sequence[Mapping[P, int]], leads: Wins, winner: P) -> int | None:
    """Return the number of the round after which the winner led alone until the end; None if only after the last.

    1 means that the winner led from the first round on, even where that was the only one.
    """
    turned = None
    for number in range(len(course) - 1, 0, -1):
        table = course[number]
        if winner not in table or list(table.values()).count(best(table, leads)) > 1:
            break
        if table[winner] != best(table, leads):
            break
        turned = number
    return None if turned == len(course) - 1 > 1 else turned


def furthest_behind(course: Sequence[Mapping[P, int]], leads: Wins, player: P) -> int:
    """Return the most points by which a player ever trailed the best total after a round; 0 for one who never did."""
    gaps = [abs(best(table, leads) - table[player]) for table in course[1:] if player in table]
    return max(gaps, default=0)
