"""What is asked about a call of Uno, and which answers contradict each other."""

from __future__ import annotations

from collections.abc import Iterable

from referee.rules.disputes.base import Facts
from referee.rules.disputes.facts import choice, number, yes_no
from referee.rules.text.problem import Problem

EARLY, LATE = "before-playing", "after-playing"

CARDS_LEFT = number("cards_left", "uno-call", range(109), quick=(1, 2, 0))  # one is the answer that matters
SAID = choice("said", "uno-call", ("never", "before-playing", "while-playing", "after-playing"))
CAUGHT = yes_no("caught", "uno-call")
CORRECTED = yes_no("corrected_before_caught", "uno-call")
NEXT_TURN_BEGUN = yes_no("next_turn_begun", "uno-call")
TAPPED = yes_no("tapped_table", "uno-call")
CALLED_BEFORE = yes_no("called_before", "uno-call")
CARDS_LAID = number("cards_laid", "uno-call", range(1, 109))
ACCUSED_FALSELY = yes_no("accused_falsely", "uno-call")


def contradictions(facts: Facts) -> Iterable[Problem]:
    """Find facts that contradict each other."""
    if facts.get("said") == "never" and facts.get("corrected_before_caught") and not facts.get("tapped_table"):
        yield Problem.said(("facts", "corrected_before_caught"), "never-called")
    late = facts.get("said") not in (EARLY, "while-playing")
    if facts.get("accused_falsely") and facts.get("caught") and late and facts.get("corrected_before_caught") is False:
        yield Problem.said(("facts", "accused_falsely"), "called-after-accusation")
    if facts.get("called_before") is False and facts.get("cards_left") == 0 and facts.get("cards_laid", 1) > 1:
        yield Problem.said(("facts", "called_before"), "out-at-once", cards=facts["cards_laid"])
    missed = facts.get("said") == "never" and facts.get("cards_left") == 1 and not facts.get("tapped_table")
    if missed and facts.get("accused_falsely"):
        yield Problem.said(("facts", "accused_falsely"), "accusation-right")
