"""A question that a table asks of certain cards, as a hearing decides it: may one be the last, go on another, …?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from referee.rules.books.rulebook import Clause, Rulebook
from referee.rules.books.settings import OVERLOAD_BARS, STACKING
from referee.rules.cards.cards import Face
from referee.rules.disputes import draw_four_challenge, going_out, stacking
from referee.rules.disputes.base import SILENT, Dispute, read_facts
from referee.rules.disputes.deciding import rule
from referee.rules.disputes.hearing import Hearing, Silent, Unanswered
from referee.rules.disputes.ruling import Ruling
from referee.rules.disputes.wording import say_open
from referee.rules.text.problem import Impossible
from referee.rules.text.words import line

CHALLENGES: Mapping[str, Mapping[str, bool]] = {"challenge-who": {}, "last-card-challenge": {"last_card": True}}
"""The questions about a challenge, with what they tell."""
LAST_CARD = "last-card-action"


@dataclass(frozen=True, slots=True)
class Point:
    """A question on certain cards as a hearing under one rulebook decides it; `facts` are JSON values."""

    question: str
    dispute: Dispute
    facts: Mapping[str, str | bool]
    rulebook: Rulebook
    allowed: bool | None
    """None where the rulebook is silent"""
    verdict: str
    summary: str
    clauses: tuple[Clause, ...]

    @property
    def answers(self) -> Mapping[str, str]:
        """Return the facts as an address has them."""
        return {key: value if isinstance(value, str) else ("no", "yes")[value] for key, value in self.facts.items()}


def hear_point(question: str, cards: Sequence[Face], book: Rulebook) -> Point | None:
    """Return what a hearing under a rulebook decides of cards: of two, the first goes on the other.

    None if it is no question of a hearing, if the rulebook's box lacks a card, or if it takes more facts to tell.
    """
    facts: dict[str, str | bool] = {"last_card": str(cards[0])}
    if question in STACKING:
        dispute, key = stacking.DISPUTE, "legal"
        facts = {"on_pile": str(cards[-1]), "response": str(cards[0])}
    elif question == LAST_CARD:
        dispute, key = going_out.DISPUTE, "legal"
        facts |= {"overloads": False} if book.find(OVERLOAD_BARS) else {}
    elif question in CHALLENGES:
        dispute, key = draw_four_challenge.DISPUTE, "challenge_allowed"
        facts = {"challenged": True, "challenger": "target", "played": str(cards[0]), **CHALLENGES[question]}
    else:
        return None
    try:
        read = read_facts(dispute, book, facts)
        ruling = rule(dispute, book, read)
    except Impossible:
        return None
    if isinstance(ruling, Ruling) and (key == dispute.main(read) or ruling.outcome[key] is False):
        clauses = tuple(step.clause for step in ruling.steps if step.clause)
        allowed = ruling.outcome[key]
        return Point(question, dispute, facts, book, allowed, ruling.verdict, ruling.summary, clauses)
    say = dispute.speaker(None, dispute.is_between_two(read, book))
    hearing = Hearing(book, read, dispute.decided, say)
    allowed = None
    try:
        dispute.arises(hearing)
        allowed = bool(hearing.decide(key))
    except Unanswered:
        return None
    except Silent as silent:
        verdict, summary = SILENT, say_open(silent, book)
    else:
        verdict = line("verdicts.allowed" if allowed else "verdicts.not-allowed")
        summary = say(line("allowed" if allowed else "not-allowed", card=cards[0].label))
    clauses = tuple(step.clause for step in hearing.steps if step.clause)
    return Point(question, dispute, facts, book, allowed, say(verdict), summary, clauses)
