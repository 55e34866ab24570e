"""Standings: who leads, what is missing, when a match is over and who has won it, and who deals next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from referee.rules import settings as setting
from referee.rules.hearing import Reading, Step
from referee.rules.round_checks import in_words
from referee.rules.terms import Terms, text_target

Ending = Literal["target", "time-limit", "by-hand"]


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the table.

    Equal totals share a rank, and the next rank is left out (1, 2, 2, 4). `needs` are the points that
    are missing to the target: to win where the highest total wins, until the match is over where the
    lowest does; None when the match is open-ended.
    """

    player: str
    total: int
    rank: int
    needs: int | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a match ended, who won it, and why.

    `winners` are several in a tie and none where neither the text nor the table says which total
    wins. `tied` tells that the totals (or the cards) do not part them; the texts are silent on ties.
    """

    ending: Ending
    winners: tuple[str, ...]
    tied: bool
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Opening:
    """Who deals a round, or drafts first where hands are drafted, and why."""

    dealer: str | None
    drafter: str | None
    step: Step


def standings(terms: Terms, totals: Mapping[str, int]) -> tuple[Standing, ...]:
    """Rank the players by their totals, best first; equal ones keep the order given."""
    best_first = -1 if terms.leads == "highest" else 1
    ranked = sorted(totals.items(), key=lambda item: item[1] * best_first)
    values = [total * best_first for _, total in ranked]
    return tuple(
        Standing(
            player=name,
            total=total,
            rank=values.index(total * best_first) + 1,
            needs=None if terms.target is None else max(0, terms.target - total),
        )
        for name, total in ranked
    )


def is_over(terms: Terms, totals: Mapping[str, int]) -> bool:
    """Tell whether somebody's total has reached the target."""
    return terms.target is not None and any(total >= terms.target for total in totals.values())


def winners(terms: Terms, totals: Mapping[str, int]) -> tuple[str, ...]:
    """Name those ranked first; nobody where it is not said which total wins."""
    if terms.wins is None:
        return ()
    return tuple(standing.player for standing in standings(terms, totals) if standing.rank == 1)


def outcome(
    terms: Terms, totals: Mapping[str, int], *, fewest_cards: Sequence[str] = (), by_hand: bool = False
) -> Outcome | None:
    """Decide whether the match is over, how, and who has won; None while it goes on.

    `fewest_cards` are the winners that a round ended by the time limit named (`RoundScore.winners`):
    they win whatever the totals are. `by_hand` ends a match that the table finishes early.
    """
    reading = Reading(terms.rulebook)
    ending: Ending
    if fewest_cards:
        reading.read(setting.TIME_LIMIT_WINNER)
        ending, first = "time-limit", tuple(fewest_cards)
    elif is_over(terms, totals):
        _note_target(terms, totals, reading)
        ending, first = "target", winners(terms, totals)
    elif by_hand:
        _note(reading, "The table ended the match.")
        ending, first = "by-hand", winners(terms, totals)
    else:
        return None
    if ending != "time-limit":
        _note_winner(terms, reading)
    tied = len(first) > 1
    if tied and terms.rulebook.clauses.get("tie") is None:
        _note(reading, f"{in_words(first)} are equal, and the text does not say who then wins: all of them do.")
    return Outcome(ending, first, tied, tuple(reading.steps))


def opening(terms: Terms, seats: Sequence[str], first: str, rounds: int) -> Opening:
    """Say who deals, or drafts first, after so many rounds.

    `seats` are the players in clockwise order, `first` the one who opened the first round. Where the
    text does not say who deals later rounds the deal moves on clockwise, as the app's own courtesy,
    and the step says so. Raises ValueError when `first` has no seat.
    """
    player = seats[(seats.index(first) + rounds) % len(seats)]
    clause = terms.rulebook.clauses.get(setting.NEXT_STARTER.question)
    task = "draft" if terms.drafted else "deal"
    if clause is not None and terms.rulebook.find(setting.NEXT_STARTER) is not None:
        step = Step("clause", clause.text, clause)
    else:
        step = Step(
            "answer", f"The text does not say who {task}s the later rounds; here the {task} moves on clockwise."
        )
    return Opening(None if terms.drafted else player, player if terms.drafted else None, step)


def _note_target(terms: Terms, totals: Mapping[str, int], reading: Reading) -> None:
    reached = [name for name, total in totals.items() if terms.target is not None and total >= terms.target]
    of_text = {text_target(terms.rulebook, players) for players in terms.rulebook.players}
    if terms.count == "points" and terms.target in of_text:
        reading.read(setting.TARGET)
    else:
        _note(reading, f"This table agreed on a target of {terms.target}.")
    _note(reading, f"{in_words(reached)} reached it.")


def _note_winner(terms: Terms, reading: Reading) -> None:
    if terms.count == "rounds":
        _note(reading, "The most rounds won win the match.")
    elif terms.rulebook.find(setting.WINS) is not None:
        reading.read(setting.WINS)
    elif terms.wins is not None:
        _note(
            reading,
            f"The text names no winner of the match; with a target of the table’s own the {terms.wins} total wins.",
        )
    else:
        _note(reading, "The text does not say who wins the match.")


def _note(reading: Reading, text: str) -> None:
    reading.steps.append(Step("answer", text))
