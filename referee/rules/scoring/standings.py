"""Standings: who leads, how far it is to the target, when a match is over and who has won; and what its course shows.

A course is a sequence of tables: the first before any round, then one after each. A player stands only in the tables
of the time they sat at the match.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from types import MappingProxyType
from typing import Literal, TypeVar

from referee.rules.scoring.round_entry import Table
from referee.rules.scoring.terms import Terms, Wins, partners_of

Ending = Literal["target", "time-limit", "rounds", "by-hand"]


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the table.

    Equal totals share a rank, and the next rank is left out (1, 2, 2, 4). `needs` are the points that
    are missing to the target: to win where the highest total wins, until the match is over where the
    lowest does, or until one's own end where it puts a player out. They are None when the match is open-ended, and
    for who is out.
    """

    player: str
    total: int
    rank: int
    needs: int | None
    out: bool = False
    """out of the match, where reaching the target puts a player out"""
    out_since: int | None = None
    """the number of the round that did so, where that was told"""
    team: int | None = None
    """which of the teams of the match, counted from 0"""
    team_total: int | None = None
    """what the team has together, by which it ranks and reaches the target"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a match ended, and the seats of those who won it.

    They are several in a tie and none where neither the text nor the table says which total wins.
    """

    ending: Ending
    winners: tuple[int, ...]


def standings(
    terms: Terms, totals: Mapping[int, int], table: Table, *, out_since: Mapping[int, int] = MappingProxyType({})
) -> tuple[Standing, ...]:
    """Order seats by their totals, best first; equal ones keep their order.

    `out_since` are the numbers of the rounds that put players out of the match.
    """
    out, counted = out_of_match(terms, totals), side_totals(terms, totals)
    return tuple(
        Standing(
            player=table[seat],
            total=totals[seat],
            rank=rank,
            needs=None if terms.target is None or seat in out else max(0, terms.target - counted[seat]),
            out=seat in out,
            out_since=out_since.get(seat) if seat in out else None,
            team=team_of(terms, seat) if terms.teams else None,
            team_total=counted[seat] if terms.teams else None,
        )
        for seat, rank in _ranked(terms, totals).items()
    )


def ranks(terms: Terms, totals: Mapping[int, int]) -> dict[int, int]:
    """Rank seats by their totals, 1 for the best; empty if nothing says which total wins the match."""
    return _ranked(terms, totals) if terms.wins else {}


def _ranked(terms: Terms, totals: Mapping[int, int]) -> dict[int, int]:
    """Return ranks by what leads, best first; those who are out of the match come after all others."""
    sign = -1 if terms.leads == "highest" else 1
    counted = side_totals(terms, totals).items()
    keys = {seat: (terms.eliminates and _reached(terms, total), sign * total) for seat, total in counted}
    order = sorted(keys[side[0]] for side in sides(terms, totals))
    ranks = {seat: order.index(key) + 1 for seat, key in keys.items()}
    return dict(sorted(ranks.items(), key=itemgetter(1)))


def side_totals(terms: Terms, totals: Mapping[int, int]) -> Mapping[int, int]:
    """Return by seat the total that decides: one's own, or that of the team."""
    if not terms.teams:
        return totals
    return {seat: sum(totals[mate] for mate in partners_of(terms, seat) if mate in totals) for seat in totals}


def by_sides(terms: Terms, totals: Mapping[int, int]) -> dict[int, int]:
    """Return what each side has together, by the first seat of its team, or by one's own."""
    together: dict[int, int] = {}
    for seat, total in totals.items():
        first = partners_of(terms, seat)[0]
        together[first] = together.get(first, 0) + total
    return together


def sides(terms: Terms, seats: Iterable[int]) -> list[tuple[int, ...]]:
    """Part seats into those who stand and fall together: teams, or each alone."""
    here = tuple(seats)
    if not terms.teams:
        return [(seat,) for seat in here]
    return list(dict.fromkeys(tuple(mate for mate in partners_of(terms, seat) if mate in here) for seat in here))


def team_of(terms: Terms, seat: int) -> int | None:
    """Return the team that a seat belongs to, counted from 0; None where there are no teams."""
    return next((place for place, team in enumerate(terms.teams or ()) if seat in team), None)


def _reached(terms: Terms, total: int) -> bool:
    return terms.target is not None and total >= terms.target


def out_of_match(terms: Terms, totals: Mapping[int, int]) -> tuple[int, ...]:
    """Return the seats that play no more because their total reached the target; none where that ends the match."""
    if not terms.eliminates:
        return ()
    return tuple(seat for seat, total in side_totals(terms, totals).items() if _reached(terms, total))


def is_over(terms: Terms, totals: Mapping[int, int]) -> bool:
    """Return whether someone's total has reached the target, or all but one have where it puts a player out."""
    counted = side_totals(terms, totals)
    all_sides = sides(terms, totals)
    reached = sum(_reached(terms, counted[side[0]]) for side in all_sides)
    return reached >= max(1, len(all_sides) - 1) if terms.eliminates else bool(reached)


def leading(terms: Terms, totals: Mapping[int, int]) -> list[tuple[int, ...]]:
    """Return the sides that have the best total so far, even if nothing says which total wins the match."""
    return sides(terms, (seat for seat, rank in _ranked(terms, totals).items() if rank == 1))


def winners(terms: Terms, totals: Mapping[int, int]) -> tuple[int, ...]:
    """Return the seats with the best total; none if nothing says which total wins."""
    return tuple(seat for seat, rank in ranks(terms, totals).items() if rank == 1)


def outcome(
    terms: Terms,
    totals: Mapping[int, int],
    *,
    rounds: int = 0,
    fewest_cards: Sequence[int] = (),
    by_hand: bool = False,
) -> Outcome | None:
    """Decide whether the match is over after so many rounds, how it ended and who won; None while it goes on.

    `fewest_cards` are the winners that a round ended by the time limit named (`RoundScore.winners`):
    they win whatever the totals are. `by_hand` ends a match that the table finishes early.
    """
    if fewest_cards:
        won = {mate for seat in fewest_cards for mate in partners_of(terms, seat)}
        return Outcome("time-limit", tuple(seat for seat in totals if seat in won) or tuple(fewest_cards))
    if is_over(terms, totals):
        return Outcome("target", winners(terms, totals))
    if terms.rounds_to_play and rounds >= terms.rounds_to_play:
        return Outcome("rounds", winners(terms, totals))
    return Outcome("by-hand", winners(terms, totals)) if by_hand else None


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
