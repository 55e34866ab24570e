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
from typing import NamedTuple

VERSION = 1
"""Stored with each draw: raise it with any change that makes other tables of the same number."""
CHAINS = 6
"""Fresh starts, of which the best is taken."""
STEPS = 60_000
"""Swaps that each of them tries."""
ODDS = (1.0, 0.08, 0.005)
"""Of accepting a swap that costs 0, 1 or 2 more."""

Player = str
Table = tuple[Player, ...]
Meetings = Mapping[frozenset[Player], int]


@dataclass(frozen=True)
class DrawnRound:
    """The tables of a round, large ones first, and who meets again at them."""

    tables: tuple[Table, ...]
    again: tuple[tuple[Player, Player, int], ...] = ()  # two players, and how often they have met before
    sitting_out: tuple[Player, ...] = ()  # only someone who is alone


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


def draw(players: Collection[Player], size: int, number: int, met: Meetings) -> DrawnRound:
    """Draw one round without regard to those after it."""
    return plan(players, size, 1, number, met)[0]


def plan(players: Collection[Player], size: int, rounds: int, number: int, met: Meetings) -> tuple[DrawnRound, ...]:
    """Draw several rounds together, so that the next doesn't spoil those after it. Only the next is meant to be kept.

    A meeting costs the square of the meetings before it, so a third is dearer than three seconds. Of plans that cost
    the same, the one that shares repeats out most evenly is taken, and its rounds with the fewest repeats come first,
    as someone may leave before the others. Where nobody has met, the first round is by lot alone.
    """
    people = sorted(set(players))
    place = {player: index for index, player in enumerate(people)}
    before = [[0] * len(people) for _ in people]
    for (one, other), times in met.items():
        if one in place and other in place:
            before[place[one]][place[other]] += times
            before[place[other]][place[one]] += times
    lot = Random(number).random
    best = _Seating(before, sizes(len(people), size), rounds, lot).annealed(lot)
    for _ in range(CHAINS - 1):
        if best.cost:
            best = min(best, _Seating(before, sizes(len(people), size), rounds, lot).annealed(lot))
    return _in_order([[tuple(people[p] for p in table) for table in tables] for tables in best.rounds], people, met)


def advice(players: Collection[Player], size: int, rounds: int, number: int, met: Meetings) -> dict[int, int]:
    """Return how many meet again in so many rounds: by the wanted size, then by each smaller one that spares repeats.

    Larger tables never spare any, and tables of two are no evening together, so three is the smallest size advised.
    """
    repeats = {size: _repeats(plan(players, size, rounds, number, met))}
    for smaller in range(size - 1, 2, -1):
        fewest = min(repeats.values())
        if fewest and sizes(len(players), smaller) != sizes(len(players), size):
            found = _repeats(plan(players, smaller, rounds, number, met))
            if found < fewest:
                repeats[smaller] = found
    return repeats


def _repeats(draws: Iterable[DrawnRound]) -> int:
    return sum(len(draw.again) for draw in draws)


def _in_order(rounds: list[list[Table]], people: list[Player], met: Meetings) -> tuple[DrawnRound, ...]:
    """Take whichever round repeats least after those taken already, and note who meets again."""
    draws: list[DrawnRound] = []
    so_far = Counter(met)
    while rounds:
        tables = min(rounds, key=lambda tables: sum(so_far[pair] > 0 for pair in meetings(tables)))
        rounds.remove(tables)
        pairs = sorted(tuple(sorted(pair)) for pair in meetings(tables) if so_far[pair])
        again = tuple((one, other, so_far[frozenset((one, other))]) for one, other in pairs)
        draws.append(DrawnRound(tuple(tables), again, () if tables else tuple(people)))
        so_far.update(meetings(tables))
    return tuple(draws)


class _Best(NamedTuple):
    cost: int
    uneven: int  # a sum of squares: the smaller, the more evenly the repeats are shared
    rounds: list[list[list[int]]]


class _Seating:
    """Where everyone sits in each round, by place in the list of players, and how often each two have met then."""

    def __init__(self, before: list[list[int]], shape: tuple[int, ...], rounds: int, lot: Callable[[], float]) -> None:
        # the first round to be swapped in: where nobody has met, lot alone decides the very first
        self.first = 0 if any(map(any, before)) else 1
        self.met = [row[:] for row in before]
        self.repeats = [sum(times - 1 for times in row if times > 1) for row in before]
        self.cost = 0
        self.rounds = [_dealt(len(before), shape, lot) for _ in range(rounds)]
        for one, other in (pair for tables in self.rounds for table in tables for pair in combinations(table, 2)):
            self.meet(one, other, 1)

    def meet(self, one: int, other: int, times: int) -> None:
        """Let two meet once more, or once less."""
        earlier = self.met[one][other] - (times < 0)
        self.met[one][other] += times
        self.met[other][one] += times
        if earlier:
            self.cost += times * earlier * earlier
            self.repeats[one] += times
            self.repeats[other] += times

    def best(self) -> _Best:
        return _Best(self.cost, self.uneven(), [[table[:] for table in tables] for tables in self.rounds])

    def uneven(self) -> int:
        return sum(repeats * repeats for repeats in self.repeats)

    def annealed(self, lot: Callable[[], float]) -> _Best:
        """Swap two players at a time and return the best seating on the way."""
        met, players = self.met, len(self.met)
        seats = [{p: table for table in tables for p in table} for tables in self.rounds]
        best = self.best()
        for _ in range(STEPS if players and len(self.rounds[0]) > 1 else 0):
            if not self.cost:
                break
            seat = seats[self.first + int(lot() * (len(seats) - self.first))]
            p = int(lot() * players)
            here = seat[p]
            spared = _paid(met[p], here, p)
            if not spared:
                continue
            q = int(lot() * players)
            there = seat[q]
            if here is there:
                continue
            change = _due(met[q], here, p) + _due(met[p], there, q) - spared - _paid(met[q], there, q)
            if change > 0 and (change >= len(ODDS) or lot() >= ODDS[change]):
                continue
            for table, leaver, comer in ((here, p, q), (there, q, p)):
                table.remove(leaver)
                for other in table:
                    self.meet(leaver, other, -1)
                    self.meet(comer, other, 1)
                table.append(comer)
                seat[comer] = table
            if self.cost <= best.cost and (self.cost, self.uneven()) < best[:2]:
                best = self.best()
        return best


def _due(met: list[int], table: list[int], leaver: int) -> int:
    """Return what a newcomer's meetings at this table would cost, after someone has left it."""
    return sum([met[other] * met[other] for other in table if other != leaver])


def _paid(met: list[int], table: list[int], player: int) -> int:
    """Return what a player's meetings at this table cost."""
    return sum([(met[other] - 1) * (met[other] - 1) for other in table if other != player])


def _dealt(players: int, shape: tuple[int, ...], lot: Callable[[], float]) -> list[list[int]]:
    """Deal the players to tables of these sizes, by a shuffle that no version of Python changes."""
    order = list(range(players))
    for last in range(players - 1, 0, -1):
        other = int(lot() * (last + 1))
        order[last], order[other] = order[other], order[last]
    dealt = iter(order)
    return [list(islice(dealt, size)) for size in shape]
