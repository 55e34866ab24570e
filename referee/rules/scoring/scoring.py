"""Scoring one round: what each hand is worth and what each total gains, with reasons, or all problems.

The worth of a card, who takes the points and how a round may end are read from the rulebook's
clauses, so that the steps say which clause gave which number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from referee.rules.books import settings as setting
from referee.rules.cards.cards import side_name
from referee.rules.disputes.hearing import Reading, Step
from referee.rules.scoring.round_checks import (
    box_problems,
    cards_held,
    company_problems,
    count_problems,
    ending_problems,
    further_problems,
    hand_problems,
    last_card_problems,
    last_card_reminder,
    seat_problems,
    table_problems,
    takes_hand,
    who_plays,
)
from referee.rules.scoring.round_entry import (
    DRAW_PILE_EMPTY,
    LAST_ONE_LEFT,
    TIME_LIMIT,
    WENT_OUT,
    Hand,
    RoundEntry,
    Table,
)
from referee.rules.scoring.terms import Terms, partners_of
from referee.rules.text.problem import Impossible
from referee.rules.text.words import joined, say

__all__ = ["Hand", "RoundEntry", "RoundScore", "Terms", "last_card_reminder", "score_round"]

LONGEST_SPELLED_HAND = 8
"""How many cards of a hand the reasons list one by one."""


@dataclass(frozen=True)
class RoundScore:
    """The result of a round, by seat.

    `hands` is what each hand is worth, `points` what each total grows by, for all who sit at the
    table; `cards_left` how many cards each hand had, where that is known. `winners` are those who win
    the match by the way this round ended, empty where its totals decide.
    """

    hands: Mapping[int, int]
    points: Mapping[int, int]
    credited_to: tuple[int, ...]
    cards_left: Mapping[int, int]
    winners: tuple[int, ...]
    steps: tuple[Step, ...]

    def to_document(self) -> dict[str, Any]:
        """Return the result of a round, without the reasons, as JSON values, whose keys are text."""
        return {
            "hands": {str(seat): worth for seat, worth in self.hands.items()},
            "points": {str(seat): points for seat, points in self.points.items()},
            "credited_to": list(self.credited_to),
            "winners": list(self.winners),
        }


def score_round(
    terms: Terms, entry: RoundEntry, table: Table, *, company: bool = False, check_box: bool = True
) -> RoundScore:
    """Score one round under the terms of its match.

    `table` names those who sit there; a `company` that sits there because the entry names it has to
    fit the rulebook. `check_box` holds all hands together against the box, which what was played long ago
    is spared. Raises `Impossible` with every problem.
    """
    problems = [*entry.unread]
    problems += company_problems(terms, table) if company else seat_problems(table)
    for find in (ending_problems, further_problems, hand_problems, last_card_problems, count_problems):
        problems += find(terms, entry, table)
    problems += table_problems(entry, table)
    if check_box and not entry.unread:
        problems += box_problems(terms, entry, table)
    if problems:
        raise Impossible(dict.fromkeys(problems))
    return _score(terms, entry, table)


def _score(terms: Terms, entry: RoundEntry, table: Table) -> RoundScore:
    reading = Reading(terms.rulebook)
    _note_end(reading, entry, table)
    if entry.ended == DRAW_PILE_EMPTY:
        reading.read(setting.DRAW_PILE_ENDS_ROUND)
    playing = tuple(seat for seat in who_plays(entry, table) if seat not in entry.knocked_out)
    if entry.ended == LAST_ONE_LEFT:
        reading.read(setting.LAST_LEFT_WINS)
    if entry.knocked_out:
        reading.read(setting.KNOCKED_OUT_AT)
        _note(reading, "knocked-out", players=joined(table[seat] for seat in entry.knocked_out))
    if entry.side is not None:
        _note(reading, "side", side=side_name(entry.side))
    hands = {seat: _worth(terms, table[seat], entry.hands[seat], reading) for seat in playing if seat in entry.hands}
    drawn = last_card_reminder(terms, entry.last_card) if entry.ended == WENT_OUT else 0
    if drawn:
        reading.read(setting.LAST_CARD_COUNTS)
        if isinstance(drawn, int):
            _note(reading, "drawn-for-last", n=drawn)
        else:
            _note(reading, f"drawn-for-last-{drawn}")
    cards_left = cards_held(entry, playing)
    winners: tuple[int, ...] = ()
    if entry.ended == TIME_LIMIT:
        reading.read(setting.TIME_LIMIT_WINNER)
        fewest = min(cards_left.values())
        winners = tuple(seat for seat, count in cards_left.items() if count == fewest)
        _note(reading, "fewest-cards", players=joined(table[seat] for seat in winners), n=fewest)
        gains: dict[int, int] = {}
        credited: tuple[int, ...] = ()
    else:
        gains, credited = _gains(terms, entry, table, hands, reading)
    for each in entry.adjustments:
        gains[each.seat] = gains.get(each.seat, 0) + each.points
        key = "adjusted-up" if each.points > 0 else "adjusted-down"
        _note(reading, key, name=table[each.seat], n=abs(each.points), reason=each.reason)
    return RoundScore(
        hands=MappingProxyType(hands),
        points=MappingProxyType({seat: gains.get(seat, 0) for seat in table}),
        credited_to=credited,
        cards_left=MappingProxyType(cards_left),
        winners=winners,
        steps=tuple(reading.steps),
    )


def _gains(
    terms: Terms, entry: RoundEntry, table: Table, hands: Mapping[int, int], reading: Reading
) -> tuple[dict[int, int], tuple[int, ...]]:
    """Decide what each total gains, and who is credited."""
    awards = reading.read(setting.AWARDS) if terms.count == "points" else ""
    won = _won(entry, table)
    if awards in ("own-points", "own-points-off"):
        sign = -1 if awards == "own-points-off" else 1
        gains = {seat: sign * worth for seat, worth in hands.items() if seat != entry.went_out}
        credited = tuple(gains)
    elif awards == "by-rank":
        gains, credited = _by_rank(terms, won, hands, reading)
    else:
        gains, credited = _to_winner(terms, entry, table, won, hands, reading)
    takers = won or entry.credited_to or ()
    if entry.knocked_out and takers and terms.count == "points" and terms.rulebook.find(setting.KNOCK_OUT_BONUS):
        each = reading.read(setting.KNOCK_OUT_BONUS)
        bonus = each * len(entry.knocked_out)
        _note(reading, "knock-out-bonus", n=len(entry.knocked_out), each=each, points=bonus)
        gains |= {seat: gains.get(seat, 0) + bonus for seat in takers}
        credited = tuple(dict.fromkeys((*credited, *takers))) if bonus else credited
    return gains, credited


def _won(entry: RoundEntry, table: Table) -> tuple[int, ...]:
    """Return who won the round: whoever went out, or the last one left; nobody where it ended otherwise."""
    if entry.ended == LAST_ONE_LEFT:
        return tuple(seat for seat in who_plays(entry, table) if seat not in entry.knocked_out)
    return (entry.went_out,) if entry.ended == WENT_OUT and entry.went_out is not None else ()


def _to_winner(
    terms: Terms, entry: RoundEntry, table: Table, won: tuple[int, ...], hands: Mapping[int, int], reading: Reading
) -> tuple[dict[int, int], tuple[int, ...]]:
    """Return the round's points, or one, to whoever won it; else to whom the table credits."""
    credited = won or entry.credited_to or ()
    if not won and credited:
        _note(reading, "table-credits", players=joined(table[seat] for seat in credited))
    elif not won:
        _note(reading, "nobody-credited")
    if terms.count == "rounds":
        _note(reading, "counts-rounds")
    if terms.count == "rounds" or terms.awards == "one-point":
        return dict.fromkeys(credited, 1), credited
    taken = {seat: sum(worth for other, worth in hands.items() if takes_hand(terms, seat, other)) for seat in credited}
    for seat in credited if terms.teams else ():
        mates = [table[mate] for mate in partners_of(terms, seat) if mate != seat and mate in table]
        reading.read(setting.PARTNERS)
        counted = terms.rulebook.value(setting.PARTNER_HAND_COUNTS, False)
        _note(reading, "partner-counts" if counted else "partner-aside", players=joined(mates))
    return taken, credited


def _by_rank(
    terms: Terms, won: tuple[int, ...], hands: Mapping[int, int], reading: Reading
) -> tuple[dict[int, int], tuple[int, ...]]:
    """Rank the round's winner first, then the hands, the lightest first; the rules say what equal hands score."""
    reading.read(setting.RANK_POINTS)
    keys = {**hands, **dict.fromkeys(won, -1)}
    order = sorted(keys.values())
    if len(set(order)) < len(order) and terms.rulebook.find(setting.TIED_RANKS) is None:
        _note(reading, "tied-ranks")
    gains = {seat: terms.points_of_ranks(order.index(key), order.count(key)) for seat, key in keys.items()}
    return gains, tuple(seat for seat, gain in gains.items() if gain)


def _worth(terms: Terms, name: str, hand: Hand, reading: Reading) -> int:
    if isinstance(hand, int):
        _note(reading, "typed", name=name, points=hand)
        return hand
    worths = [terms.worth(card.face, reading) for card in hand]
    if len(worths) in range(2, LONGEST_SPELLED_HAND + 1):
        _note(reading, "hand-spelled", name=name, sum=" + ".join(map(str, worths)), points=sum(worths))
    elif worths:
        _note(reading, "hand", name=name, n=len(worths), points=sum(worths))
    return sum(worths)


def _note_end(reading: Reading, entry: RoundEntry, table: Table) -> None:
    if entry.went_out is None:
        _note(reading, entry.ended)
    elif entry.last_card is None:
        _note(reading, WENT_OUT, name=table[entry.went_out])
    else:
        _note(reading, "went-out-on", name=table[entry.went_out], card=entry.last_card.label)


def _note(reading: Reading, key: str, **places: object) -> None:
    reading.steps.append(Step("answer", say(f"scoring.{key}", **places)))
