"""What one match is worth to each who played it, so that tables of three and of five weigh alike."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from referee.records.models import MatchResult


class Count(StrEnum):
    """What a match is counted by."""

    PLACE = "place"
    """100 for the first place, 0 for the last, the others evenly between them"""
    WINS = "wins"
    """100 for a win, shared in a tie, and 0 for all others"""


class Ended(NamedTuple):
    """What decides about points of how a finished match ended for one player."""

    team: int | None
    rank: int | None
    won: bool


def match_points(results: Iterable[MatchResult], count: Count = Count.PLACE) -> dict[str, float]:
    """Return the points of everyone in a finished match, by player id; none where it doesn't count.

    By place: 100 · (n − place) / (n − 1) for n who played, late comers and leavers too. Those who tie take the mean of
    their places; who left is last, at 0; a team is one, and its players all have its points. A match doesn't count
    where nobody was named the winner, nor one against nobody.
    """
    lines = list(results)
    points = points_of(tuple(Ended(line.team, line.rank, line.won) for line in lines), count)
    return {line.player_id: worth for line, worth in zip(lines, points, strict=True)} if points else {}


@lru_cache(4096)
def points_of(ended: Sequence[Ended], count: Count) -> tuple[float, ...]:
    """Return the points of each, in order; empty where the match doesn't count. Cached: few ways to end come up."""
    sides = [("team", one.team) if one.team is not None else ("seat", at) for at, one in enumerate(ended)]
    came: dict[tuple[str, int], tuple[bool, int] | None] = dict.fromkeys(sides)
    for side, one in zip(sides, ended, strict=True):
        if one.rank is not None:  # else the player left; a team goes on with the others
            came[side] = (not one.won, one.rank)
    order = sorted(place for place in came.values() if place is not None)
    if len(came) < 2 or not any(one.won for one in ended):
        return ()
    worth: dict[tuple[bool, int] | None, float] = {None: 0.0}
    for place in order:
        tied, better = order.count(place), bisect_left(order, place)
        if count == Count.PLACE:
            mean = better + (tied + 1) / 2
            worth[place] = 100 * (len(came) - mean) / (len(came) - 1)
        else:
            worth[place] = 0.0 if place[0] else 100 / tied
    return tuple(worth[came[side]] for side in sides)
