"""The missed Uno call: was it due, was it in time, and who draws?

The texts agree on little more than the two cards: they differ in the moment at which the call is due,
in what ends the time for making it or for catching it, and in whether anybody must notice at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType

from referee.rules import settings
from referee.rules.disputes.base import Dispute, Facts, Outcome, Sample, Samples
from referee.rules.facts import choice, number, yes_no
from referee.rules.hearing import Hearing, Silent
from referee.rules.problem import Problem
from referee.rules.ruling import Order, Role, Voice, cards_count, sentence

CARDS_LEFT = number(
    "cards_left",
    "How many cards were left in {offender|the player}’s hand after the play?",
    range(109),
    lambda count: "One card was left." if count == 1 else f"{count} cards were left.",
)
SAID = choice(
    "said",
    "When did {offender|the player} call “Uno”?",
    {
        "never": ("Never", "{offender|the player} did not call “Uno”."),
        "before-playing": ("Before laying the card", "{offender|the player} called “Uno” before laying the card."),
        "while-playing": ("While laying the card", "{offender|the player} called “Uno” while laying the card."),
        "after-playing": ("After laying the card", "{offender|the player} called “Uno” after laying the card."),
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
ACCUSED_FALSELY = yes_no(
    "accused_falsely",
    "Was somebody accused who had done nothing wrong?",
    yes="The accusation was wrong.",
    no="Nobody was accused wrongly.",
)


def call_is_due(hearing: Hearing) -> bool:
    """Tell whether the play left the one card that must be announced."""
    return hearing.ask(CARDS_LEFT) == 1


def in_time(hearing: Hearing) -> bool:
    """Decide whether the call, if one was due, came by the moment that the text sets.

    Whoever was accused falsely did nothing wrong, so nobody is asked when the call was made.
    """
    if (_accused_falsely(hearing) and not _call_is_told(hearing)) or not call_is_due(hearing):
        hearing.cite("uno-when")
        return True
    called = _moment(hearing)
    in_time_at = hearing.read(settings.UNO_MOMENTS)
    until = hearing.look(settings.UNO_UNTIL)
    if called == "never" or called not in in_time_at:
        return False
    if called != "after-playing":
        return True
    if _somebody_must_notice(hearing) and _caught_first(hearing):
        return False
    if until == "caught":
        hearing.read(settings.UNO_LATE_CALL_FREE)
        return True
    if not hearing.ask(NEXT_TURN_BEGUN):
        return True
    if until == "next-turn":
        return False
    raise Silent("uno-deadline")


def penalty_cards(hearing: Hearing) -> int:
    """Count the cards drawn for a missed call: for who is caught, or where nobody need notice, for all."""
    if hearing.settled("in_time"):
        return 0
    if not _somebody_must_notice(hearing):
        hearing.decide("in_time")
        return hearing.read(settings.UNO_PENALTY)
    if not _caught(hearing):
        return _unnoticed(hearing)
    until = hearing.look(settings.UNO_UNTIL)
    if until == "next-turn" and hearing.ask(NEXT_TURN_BEGUN):
        return 0
    if _moment(hearing) != "never" and _corrected(hearing):
        return 0 if hearing.read(settings.UNO_LATE_CALL_FREE) else hearing.read(settings.UNO_PENALTY)
    if until is None and hearing.ask(NEXT_TURN_BEGUN):
        raise Silent("uno-deadline")
    return hearing.read(settings.UNO_PENALTY)


def accuser_penalty_cards(hearing: Hearing) -> int:
    """Count the cards a wrong accusation costs."""
    return hearing.read(settings.UNO_FALSE_ACCUSATION) if _accused_falsely(hearing) else 0


def _accused_falsely(hearing: Hearing) -> bool:
    """Tell whether the accusation is said to be wrong."""
    return hearing.given(ACCUSED_FALSELY) and hearing.ask(ACCUSED_FALSELY)


def _moment(hearing: Hearing) -> str:
    """Tell when the call was made; where the table taps instead, a tap comes in the moment that is due."""
    if hearing.look(settings.UNO_BY_TAPPING):
        return hearing.read(settings.UNO_MOMENTS)[0] if hearing.ask(TAPPED) else "never"
    return hearing.ask(SAID)


def _call_is_told(hearing: Hearing) -> bool:
    """Tell whether the table has said when the call, or the tap in its place, was made."""
    return hearing.given(TAPPED) if hearing.look(settings.UNO_BY_TAPPING) else hearing.given(SAID)


def _somebody_must_notice(hearing: Hearing) -> bool:
    return hearing.read(settings.UNO_CAUGHT_BY) != "nobody"


def _caught_first(hearing: Hearing) -> bool:
    return _caught(hearing) and not _corrected(hearing)


def _caught(hearing: Hearing) -> bool:
    """Tell whether anybody pointed the missing call out; a false accusation alone points out none."""
    return (hearing.given(CAUGHT) or not _accused_falsely(hearing)) and hearing.ask(CAUGHT)


def _corrected(hearing: Hearing) -> bool:
    """Tell whether the call came before that; with a false accusation it did, unless it is told."""
    return (_accused_falsely(hearing) and not hearing.given(CORRECTED)) or hearing.ask(CORRECTED)


def _unnoticed(hearing: Hearing) -> int:
    """Count what a missed call costs that nobody pointed out; one made late may stand beside it."""
    if _moment(hearing) != "never":
        hearing.look(settings.UNO_LATE_CALL_FREE)
    return 0 if hearing.read(settings.UNO_UNNOTICED_FREE) else hearing.read(settings.UNO_PENALTY)


def contradictions(facts: Facts) -> Iterable[Problem]:
    """Find facts that cannot hold together."""
    if facts.get("said") == "never" and facts.get("corrected_before_caught") and not facts.get("tapped_table"):
        yield Problem("facts.corrected_before_caught", "A call that was never made cannot have come in between.")
    late = facts.get("said") not in ("before-playing", "while-playing")
    if facts.get("accused_falsely") and facts.get("caught") and late and facts.get("corrected_before_caught") is False:
        yield Problem("facts.accused_falsely", "A call that came only after the accusation makes it right.")
    missed = facts.get("said") == "never" and facts.get("cards_left") == 1 and not facts.get("tapped_table")
    if missed and facts.get("accused_falsely"):
        yield Problem("facts.accused_falsely", "With one card left and no call, the accusation was right.")


def orders(outcome: Outcome, facts: Facts) -> Iterable[Order]:
    """Say who draws."""
    if outcome["penalty_cards"]:
        yield Order(Role.OFFENDER, "draw", outcome["penalty_cards"])
    if outcome["accuser_penalty_cards"]:
        yield Order(Role.CHALLENGER, "draw", outcome["accuser_penalty_cards"])


def verdict(outcome: Outcome, facts: Facts) -> str:
    """Say it in one or two words."""
    if outcome["penalty_cards"]:
        return f"Draw {outcome['penalty_cards']}"
    return "In time" if outcome["in_time"] else "No penalty"


def summary(outcome: Outcome, facts: Facts, say: Voice) -> str:
    """Say the ruling in sentences to be read aloud."""
    if outcome["penalty_cards"]:
        said = "“Uno” was missed. " + sentence(say(Role.OFFENDER), "draws", cards_count(outcome["penalty_cards"]))
    elif facts.get("cards_left", 1) != 1:
        said = "No call was due, so nobody draws."
    elif outcome["in_time"]:
        said = "“Uno” was called in time, so nobody draws."
    else:
        said = "“Uno” was missed, but nobody draws for it."
    return said


SAMPLES: Samples = MappingProxyType(
    {
        ACCUSED_FALSELY.key: lambda facts: (Sample(True, "Yes"),),
        CARDS_LEFT.key: lambda facts: (Sample(1, "One"), Sample(2, "More, or none")),
    }
)


DISPUTE = Dispute(
    id="uno-call",
    title="Missed Uno call",
    lead="Was “Uno” called in time, and who draws?",
    facts=(CARDS_LEFT, SAID, CAUGHT, CORRECTED, NEXT_TURN_BEGUN, TAPPED),
    volunteered=(ACCUSED_FALSELY,),
    outcome=MappingProxyType(
        {"penalty_cards": penalty_cards, "in_time": in_time, "accuser_penalty_cards": accuser_penalty_cards}
    ),
    main=lambda facts: "accuser_penalty_cards" if facts.get("accused_falsely") else "penalty_cards",
    orders=orders,
    verdict=verdict,
    summary=summary,
    contradictions=contradictions,
    who="Who had one card left",
    parts=MappingProxyType({Role.OFFENDER: "the player with one card", Role.CHALLENGER: "the accuser"}),
    samples=SAMPLES,
    starts=((), ("accused_falsely",)),
)
