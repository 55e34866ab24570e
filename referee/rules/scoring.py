"""Scoring one round: what each hand is worth and what each total grows by, with reasons, or all problems.

The worth of a card, who takes the points and how a round may end are read from the rulebook's
clauses, so that the steps say which clause gave which number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from referee.rules import settings as setting
from referee.rules.hearing import Reading, Step
from referee.rules.problem import Impossible
from referee.rules.round_checks import (
    asks_last_card,
    box_problems,
    cards_held,
    company_problems,
    count_problems,
    ending_problems,
    hand_problems,
    in_words,
    last_card_problems,
    last_card_reminder,
    named_in,
    seat_problems,
    table_problems,
    who_plays,
)
from referee.rules.round_entry import DRAW_PILE_EMPTY, TIME_LIMIT, WENT_OUT, Hand, RoundEntry
from referee.rules.ruling import cards_count
from referee.rules.terms import Terms

__all__ = ["Hand", "RoundEntry", "RoundScore", "Terms", "asks_last_card", "last_card_reminder", "score_round"]

LONGEST_SPELLED_HAND = 8
"""Cards of a hand whose points the reasons add up one by one."""


@dataclass(frozen=True)
class RoundScore:
    """What a round comes to.

    `hands` is what each hand is worth, `points` what each total grows by, for all who sit at the
    table; `cards_left` how many cards each hand had, where that is known. `winners` are those who win
    the match by the way this round ended, empty where its totals decide.
    """

    hands: Mapping[str, int]
    points: Mapping[str, int]
    credited_to: tuple[str, ...]
    cards_left: Mapping[str, int]
    winners: tuple[str, ...]
    steps: tuple[Step, ...]


def score_round(
    terms: Terms, entry: RoundEntry, players: Sequence[str] | None = None, *, box: bool = True
) -> RoundScore:
    """Score one round under the terms of its match.

    `players` are the names at the table in their order; without them everyone whom the entry names
    sits there, and their number must fit the rulebook. `box` holds all hands together against the
    box, which what was played long ago is spared. Raises `Impossible` with every problem.
    """
    seated = named_in(entry) if players is None else tuple(players)
    problems = [*entry.unread]
    problems += company_problems(terms, entry) if players is None else seat_problems(seated)
    problems += table_problems(entry, seated)
    problems += ending_problems(terms, entry)
    problems += hand_problems(terms, entry, seated)
    problems += last_card_problems(terms, entry, seated)
    problems += count_problems(terms, entry, seated)
    if box and not entry.unread:
        problems += box_problems(terms, entry)
    if problems:
        raise Impossible(dict.fromkeys(problems))
    return _score(terms, entry, seated)


def _score(terms: Terms, entry: RoundEntry, seated: Sequence[str]) -> RoundScore:
    reading = Reading(terms.rulebook)
    _note(reading, _how_it_ended(entry))
    if entry.ended == DRAW_PILE_EMPTY:
        reading.read(setting.DRAW_PILE_ENDS_ROUND)
    playing = who_plays(entry, seated)
    hands = {name: _worth(terms, name, entry.hands[name], reading) for name in playing if name in entry.hands}
    drawn = last_card_reminder(terms, entry.last_card) if entry.ended == WENT_OUT else 0
    if drawn:
        reading.read(setting.LAST_CARD_COUNTS)
        _note(reading, f"The next player still drew {cards_count(drawn)}, which count in the hand.")
    cards_left = cards_held(entry, playing)
    winners: tuple[str, ...] = ()
    if entry.ended == TIME_LIMIT:
        reading.read(setting.TIME_LIMIT_WINNER)
        winners = fewest(cards_left)
        _note(reading, f"{in_words(winners)} held the fewest cards: {min(cards_left.values())}.")
        gains: dict[str, int] = {}
        credited: tuple[str, ...] = ()
    else:
        gains, credited = _gains(terms, entry, playing, hands, reading)
    return RoundScore(
        hands=MappingProxyType(hands),
        points=MappingProxyType({name: gains.get(name, 0) for name in seated}),
        credited_to=credited,
        cards_left=MappingProxyType(cards_left),
        winners=winners,
        steps=tuple(reading.steps),
    )


def fewest(cards_left: Mapping[str, int]) -> tuple[str, ...]:
    """Name the players who hold the fewest cards."""
    return tuple(name for name, count in cards_left.items() if count == min(cards_left.values()))


def _gains(
    terms: Terms, entry: RoundEntry, playing: Sequence[str], hands: Mapping[str, int], reading: Reading
) -> tuple[dict[str, int], tuple[str, ...]]:
    """Say whose total grows by how much, and who is credited."""
    if terms.count == "points" and reading.read(setting.AWARDS) == "own-points":
        own = {name: hands[name] for name in playing if name in hands and name != entry.went_out}
        return own, tuple(own)
    if entry.ended == WENT_OUT and entry.went_out:
        credited: tuple[str, ...] = (entry.went_out,)
    else:
        credited = entry.credited_to or ()
        who = f"the table credits {in_words(credited)}" if credited else "nobody is credited"
        _note(reading, f"Nobody went out, and the text does not say who then takes the points: {who}.")
    if terms.count == "rounds":
        _note(reading, "This table counts rounds won, not points.")
        return dict.fromkeys(credited, 1), credited
    return {name: sum(worth for other, worth in hands.items() if other != name) for name in credited}, credited


def _worth(terms: Terms, name: str, hand: Hand, reading: Reading) -> int:
    if isinstance(hand, int):
        _note(reading, f"{name}’s hand was typed as a total: {hand}.")
        return hand
    worths = [terms.worth(card.face, reading) for card in hand]
    if len(worths) in range(2, LONGEST_SPELLED_HAND + 1):
        _note(reading, f"{name}’s hand: {' + '.join(map(str, worths))} = {sum(worths)}.")
    elif worths:
        _note(reading, f"{name}’s hand of {cards_count(len(worths))}: {sum(worths)}.")
    return sum(worths)


def _how_it_ended(entry: RoundEntry) -> str:
    if entry.ended == WENT_OUT:
        return f"{entry.went_out} went out" + (f" on a {entry.last_card.label}." if entry.last_card else ".")
    return {DRAW_PILE_EMPTY: "The draw pile was used up.", TIME_LIMIT: "The time was up."}[entry.ended]


def _note(reading: Reading, text: str) -> None:
    reading.steps.append(Step("answer", text))
