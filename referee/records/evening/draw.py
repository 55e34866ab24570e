"""Draw the tables of an evening so that nobody meets twice as long as that can be.

Pairing libraries know pairs only, and the solvers that could seat five weigh 30 MB, so this is ours, by annealing: seat
everyone by lot, then swap two who sit at different tables wherever that spares repeats, and now and then where it costs
one.

Anyone can check a draw: the same people, size, earlier meetings and number make the same tables in every Python: people
are taken in order of id, chance is `random()` alone, whose sequence Python promises, and steps are counted.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations, islice
from random import Random

VERSION = 1
"""Stored with each draw: raise it with any change that makes other tables of the same number."""
CHAINS = 6
"""Fresh starts, of which the best is taken."""
STEPS = 60_000
"""Swaps that each of them tries."""
ODDS = (1.0, 0.08, 0.005)
"""Of accepting a swap that costs 0, 1 or 2 more."""
HELPLESS = 0.75
"""Cost for each player from which on meeting again can't be helped; one on the way to nothing costs less. Such a draw
is taken from two starts that cost the same, each ended after so many `IDLE` swaps: else 12 would wait a second."""
IDLE = 30_000

Player = str
Table = tuple[Player, ...]
Meetings = Mapping[frozenset[Player], int]


@dataclass(frozen=True)
class DrawnRound:
    """The tables of a round, large ones first, and who meets again at them."""

    tables: tuple[Table, ...]
    again: tuple[tuple[Player, Player, int], ...] = ()  # two players, and how often they have met before


def sizes(players: int, size: int) -> tuple[int, ...]:
    """Return how many sit at each table, large tables first.

    There are as few tables as hold everyone at no more than `size`, as even as can be. Where that would leave one of
    two (of one, where twos are wanted), there are fewer and larger ones: 5 at 4 is one table of 5. So a table has two
    to five players and everyone sits, except someone who is alone; nobody needs to sit out for the numbers.
    """
    if players < 2:
        return ()
    tables = max(1, min(-(-players // size), players // min(size, 3)))
    return tuple(players // tables + (table < players % tables) for table in range(tables))


def meetings(tables: Iterable[Collection[Player]]) -> Counter[frozenset[Player]]:
    """Count how often each two have sat at one of these tables."""
    return Counter(frozenset(pair) for table in tables for pair in combinations(table, 2))


def plan(players: Collection[Player], size: int, rounds: int, number: int, met: Meetings) -> tuple[DrawnRound, ...]:
    """Draw several rounds together, so that the next doesn't spoil those after it. Only the next is meant to be kept.

    A meeting costs the square of the meetings before it, so a third is dearer than three seconds. Of plans that cost
    the same, the one that shares repeats out most evenly is taken, and its rounds with the fewest repeats come first,
    as someone may leave before the others. Where nobody has met, the first round is by lot alone.
    """
    people, lot = sorted(set(players)), Random(number).random
    before = [[met.get(frozenset((one, other)), 0) for other in people] for one in people]
    best, enough = _annealed(before, sizes(len(people), size), rounds, lot), False
    for _ in range(CHAINS - 1):
        if best[0] and not enough:
            found = _annealed(before, sizes(len(people), size), rounds, lot)
            enough = found[0] == best[0] >= HELPLESS * len(people)
            best = min(best, found)
    planned = [[tuple(people[place] for place in table) for table in tables] for tables in best[2]]
    draws: list[DrawnRound] = []
    so_far = Counter(met)
    while planned:
        tables = min(planned, key=lambda tables: sum(so_far[pair] > 0 for pair in meetings(tables)))
        planned.remove(tables)
        again = sorted((min(pair), max(pair), so_far[pair]) for pair in meetings(tables) if so_far[pair])
        draws.append(DrawnRound(tuple(tables), tuple(again)))
        so_far.update(meetings(tables))
    return tuple(draws)


def advice(players: Collection[Player], size: int, rounds: int, number: int, met: Meetings) -> dict[int, int]:
    """Return how many meet again in so many rounds: by the wanted size, then by each smaller one that spares repeats.

    Larger tables never spare any, and tables of two are no evening together, so three is the smallest size advised.
    """
    repeats: dict[int, int] = {}
    for tried in (size, *range(size - 1, 2, -1)):
        fewest = min(repeats.values(), default=0)
        if tried == size or (fewest and sizes(len(players), tried) != sizes(len(players), size)):
            found = sum(len(draw.again) for draw in plan(players, tried, rounds, number, met))
            if tried == size or found < fewest:
                repeats[tried] = found
    return repeats


def _annealed(
    before: list[list[int]], shape: tuple[int, ...], rounds: int, lot: Callable[[], float]
) -> tuple[int, int, list[list[list[int]]]]:
    """Seat players by lot, then swap two at a time; return the best seating on the way, by their places in `before`.

    In front of it stand what it costs, and how unevenly repeats are shared: a sum of squares.
    """
    players, met = len(before), [row[:] for row in before]
    repeats = [sum(times - 1 for times in row if times > 1) for row in before]

    def meet(one: int, other: int, times: int) -> None:
        earlier = met[one][other] - (times < 0)
        met[one][other] += times
        met[other][one] += times
        if earlier:
            repeats[one] += times
            repeats[other] += times

    seating = [_dealt(players, shape, lot) for _ in range(rounds)]
    seats = [{player: table for table in tables for player in table} for tables in seating]
    for one, other in (pair for tables in seating for table in tables for pair in combinations(table, 2)):
        meet(one, other, 1)
    pairs = (pair for earlier, by_now in zip(before, met, strict=True) for pair in zip(earlier, by_now, strict=True))
    cost = sum(times * times for pair in pairs for times in range(*pair)) // 2
    best = cost, sum(n * n for n in repeats), [[table[:] for table in tables] for tables in seating]
    # the first round to be swapped in: where nobody has met, lot alone decides the very first
    first = 0 if any(map(any, before)) else 1
    latest = 0
    for step in range(STEPS if len(shape) > 1 else 0):
        if not cost or (step - latest > IDLE and best[0] >= HELPLESS * players):
            break
        seat = seats[first + int(lot() * (len(seats) - first))]
        p = int(lot() * players)
        here = seat[p]
        spared = _cost(met[p], here, p, 1)
        if not spared:
            continue
        q = int(lot() * players)
        there = seat[q]
        if here is there:
            continue
        change = _cost(met[q], here, p, 0) + _cost(met[p], there, q, 0) - spared - _cost(met[q], there, q, 1)
        if change > 0 and (change >= len(ODDS) or lot() >= ODDS[change]):
            continue
        cost += change
        for table, leaver, comer in ((here, p, q), (there, q, p)):
            table.remove(leaver)
            for other in table:
                meet(leaver, other, -1)
                meet(comer, other, 1)
            table.append(comer)
            seat[comer] = table
        if cost <= best[0] and (cost, uneven := sum(n * n for n in repeats)) < best[:2]:
            best, latest = (cost, uneven, [[table[:] for table in tables] for tables in seating]), step
    return best


def _cost(met: list[int], table: list[int], leaver: int, now: int) -> int:
    """Return what a player's meetings at a table cost, `leaver` apart; `now` is 1 where they are counted already."""
    return sum([(times := met[other] - now) * times for other in table if other != leaver])


def _dealt(players: int, shape: tuple[int, ...], lot: Callable[[], float]) -> list[list[int]]:
    """Deal the players to tables of these sizes, by a shuffle that no version of Python changes."""
    order = list(range(players))
    for last in range(players - 1, 0, -1):
        other = int(lot() * (last + 1))
        order[last], order[other] = order[other], order[last]
    dealt = iter(order)
    return [list(islice(dealt, size)) for size in shape]
