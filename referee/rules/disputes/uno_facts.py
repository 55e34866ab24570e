"""What is asked about a call of Uno, and which answers contradict each other."""

from __future__ import annotations

from collections.abc import Iterable

from referee.rules.disputes.base import Facts
from referee.rules.facts import choice, number, yes_no
from referee.rules.problem import Problem

EARLY, LATE = "before-playing", "after-playing"

CARDS_LEFT = number(
    "cards_left",
    "How many cards were left in {offender|the player}’s hand after the play?",
    range(109),
    lambda count: {0: "No card was left.", 1: "One card was left."}.get(count, f"{count} cards were left."),
    quick=(1, 2, 0),  # one is the answer that matters
)
SAID = choice(
    "said",
    "When did {offender|the player} call “Uno”?",
    {
        "never": ("Never", "{offender|the player} did not call “Uno”."),
        "before-playing": ("Before playing the card", "{offender|the player} called “Uno” before playing the card."),
        "while-playing": ("While playing the card", "{offender|the player} called “Uno” while playing the card."),
        "after-playing": ("After playing the card", "{offender|the player} called “Uno” after playing the card."),
    },
)
CAUGHT = yes_no(
    "caught",
    "Did another player point out the missing call?",
    yes="Another player pointed it out.",
    no="No other player pointed it out.",
)
CORRECTED = yes_no(
    "corrected_before_caught",
    "Did {offender|the player} call “Uno” before another player pointed it out?",
    yes="The call came before another player pointed it out.",
    no="The call came only after another player had pointed it out.",
)
NEXT_TURN_BEGUN = yes_no(
    "next_turn_begun",
    "Had {next-player} begun a turn by then?",
    yes="{next-player} had begun a turn by then.",
    no="{next-player} had not begun a turn by then.",
)
TAPPED = yes_no(
    "tapped_table",
    "Did {offender|the player} tap the table?",
    yes="{offender|the player} tapped the table.",
    no="{offender|the player} did not tap the table.",
)
CALLED_BEFORE = yes_no(
    "called_before",
    "Had {offender|the player} called “Uno” when one card was left, before this play?",
    yes="{offender|the player} had called “Uno” when one card was left.",
    no="{offender|the player} had one card left before this play, and had not called “Uno”.",
)
CARDS_LAID = number(
    "cards_laid",
    "How many cards did {offender|the player} play at once?",
    range(1, 109),
    lambda count: "One card was played." if count == 1 else f"{count} cards were played at once.",
)
ACCUSED_FALSELY = yes_no(
    "accused_falsely",
    "Was someone wrongly accused?",
    yes="The accusation was wrong.",
    no="Nobody was accused wrongly.",
)


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
