"""Score the rounds of a match again: points by its rulebook, totals, and how it ended.

This needs no database. It validates matches that are imported, and checks stored ones, in time linear in their rounds.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from referee.records.match.agreements import Agreement
from referee.records.match.results import result_lines
from referee.records.match.seating import Seated, table_of
from referee.records.words import say
from referee.rules.books.rulebook import Rulebook
from referee.rules.cards.cards import UnknownCard
from referee.rules.disputes.hearing import Silent
from referee.rules.scoring.round_entry import WENT_OUT, RoundEntry
from referee.rules.scoring.scoring import best, outcome, score_round, side_totals
from referee.rules.scoring.terms import Terms, Wins, agreed
from referee.rules.text.problem import Impossible

Said = Mapping[str, Any]
"""An entry or a score by seat, as `referee.records.models.RoundVersion` stores them."""

WAYS: tuple[Wins, ...] = ("highest", "lowest")


class Sitting:
    """Who sat where at each place, in time linear in the seats."""

    def __init__(self, seats: Sequence[Seated]) -> None:
        self._seats = seats
        self._stay = [0] * len(seats)

    def at(self, place: int) -> tuple[Seated, ...]:
        """Return the seats taken in the round of a place; places must be asked for in order."""
        return tuple(seat for number, seat in enumerate(self._seats) if self._sits(number, seat, place))

    def _sits(self, number: int, seat: Seated, place: int) -> bool:
        while True:
            first, last = seat.stays[self._stay[number]]
            if last is None or place <= last or self._stay[number] + 1 == len(seat.stays):
                return first <= place and (last is None or place <= last)
            self._stay[number] += 1


class InForce:
    """Which agreement each round was played under, place after place."""

    def __init__(self, agreements: Sequence[Agreement]) -> None:
        self._agreements, self._now = agreements, 0

    def at(self, place: int) -> Agreement:
        """Return the agreement in force at a place; places must be asked for in order."""
        while self._now + 1 < len(self._agreements) and self._agreements[self._now + 1].from_place <= place:
            self._now += 1
        return self._agreements[self._now]


class AgreedTerms:
    """The terms of agreements, built once for each distinct agreement."""

    def __init__(self) -> None:
        self.rulebooks: dict[str, Rulebook] = {}
        """by digest"""
        self._terms: dict[Agreement, Terms] = {}

    def of(self, agreement: Agreement) -> Terms:
        """Return the terms of an agreement, whose rulebook is known."""
        kind = replace(agreement, from_place=1, note="", at="", by=None)
        if kind not in self._terms:
            self._terms[kind] = Terms(rulebook=self.rulebooks[kind.digest], **agreed(kind))
        return self._terms[kind]


@dataclass(frozen=True)
class Result:
    """How a finished match ended: the rows of `referee.records.models.MatchResult`, without ratings."""

    ended_by: str
    lines: Sequence[dict[str, Any]]


@dataclass
class Course:
    """The totals of a match, as its live rounds are added in order."""

    seats: Sequence[Seated]
    totals: dict[int, int] = field(init=False)
    behind: dict[int, dict[Wins, int]] = field(init=False)
    """the most that each total ever trailed the best one, by which total wins"""
    last: Said | None = None
    live: int = 0

    def __post_init__(self) -> None:
        self.totals = {seat.seat: seat.opening_total for seat in self.seats}
        self.behind = {seat.seat: dict.fromkeys(WAYS, 0) for seat in self.seats}

    def add(self, present: Sequence[Seated], entry: Said, score: Said, terms: Terms) -> None:
        """Count a live round, played under these terms."""
        self.last = score
        self.live += 1
        out = set(entry["sat_out"])
        for seat in present:
            if seat.seat not in out:
                self.totals[seat.seat] += score["points"].get(str(seat.seat), 0)
        table = side_totals(terms, {seat.seat: self.totals[seat.seat] for seat in present})
        for way in WAYS if table else ():
            first = best(table, way)
            for number, total in table.items():
                self.behind[number][way] = max(self.behind[number][way], abs(first - total))

    def end(self, terms: Terms, *, by_hand: bool) -> Result | None:
        """Return how the match ended and each player's result; None while it is in progress."""
        here = [seat for seat in self.seats if seat.here]
        totals = {seat.seat: self.totals[seat.seat] for seat in here}
        winners: tuple[int, ...] = ()
        if self.last is None:  # nobody wins without a round
            ended: str | None = "by-hand" if by_hand else None
        else:
            end = outcome(terms, totals, rounds=self.live, fewest_cards=self.last["winners"], by_hand=by_hand)
            ended, winners = (end.ending, end.winners) if end else (None, ())
        if ended is None:
            return None
        lines = result_lines(terms, self.seats, self.totals, winners, lambda seat: self.behind[seat][terms.leads])
        return Result(ended, lines)


def differences(terms: Terms, present: Sequence[Seated], entry: Said, score: Said) -> Iterator[str]:
    """Score an entry again and yield a sentence for each difference, or for why it can't be scored.

    Without hands, as in a match from paper, there is nothing to score.
    """
    if terms.count == "points" and entry["ended"] == WENT_OUT and not entry["hands"] and not score["hands"]:
        return
    try:
        anew = score_round(terms, RoundEntry.from_document(entry), table_of(present), check_box=False)
    except UnknownCard as error:
        yield str(error)
        return
    except Impossible as error:
        yield say("scored-anew.impossible", problem=error.problems[0].message)
        return
    except Silent:
        yield say("scored-anew.silent", rulebook=terms.rulebook.title)
        return
    for seat in present:
        has, should = score["points"].get(str(seat.seat), 0), anew.points.get(seat.seat, 0)
        if has != should:
            yield say("scored-anew.points", name=seat.name, has=has, should=should)
        worth, right = score["hands"].get(str(seat.seat)), anew.hands.get(seat.seat)
        if worth != right:
            key = "hand-missing" if worth is None else "hand-extra" if right is None else "hand"
            yield say(f"scored-anew.{key}", name=seat.name, has=worth, should=right)
    names = table_of(present)
    for key, right_ones in (("credited_to", anew.credited_to), ("winners", anew.winners)):
        for number in sorted(set(score[key]).symmetric_difference(right_ones)):
            name = names.get(number, f"seat {number}")
            yield say(f"scored-anew.{key}-{'extra' if number in score[key] else 'missing'}", name=name)
