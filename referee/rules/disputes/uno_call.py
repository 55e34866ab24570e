"""The missed Uno call: was it due, was it in time, and who draws?

The texts agree on little more than the two cards: they differ in the moment at which the call is due,
in what ends the time for making it or for catching it, and in whether anyone must notice at all.
"""

from collections.abc import Iterable

from referee.rules.books import settings
from referee.rules.disputes.base import Dispute, Facts, Finding, Outcome, Sample, example
from referee.rules.disputes.facts import choice, number, yes_no
from referee.rules.disputes.hearing import Hearing, Silent
from referee.rules.disputes.ruling import Order, Role
from referee.rules.text.problem import Problem
from referee.rules.text.words import CATALOGUE, Line, line

EARLY, LATE = "before-playing", "after-playing"

CARDS_LEFT = number("cards_left", "uno-call", range(109), quick=(0, 1, 2))
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


def call_is_due(hearing: Hearing) -> bool:
    """Return whether the play left the one card that must be announced, or a call missed before it is told."""
    left = hearing.ask(CARDS_LEFT)
    if never_due(hearing):
        return False
    return left == 1 or (left == 0 and hearing.given(CALLED_BEFORE) and not hearing.ask(CALLED_BEFORE))


def never_due(hearing: Hearing) -> bool:
    """Return whether the text names no moment for a call at all."""
    moments = hearing.rulebook.find(settings.UNO_MOMENTS)
    return moments is not None and not moments[0]


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
    if called == EARLY and EARLY not in in_time_at:
        if _accused_falsely(hearing):
            return True
        return hearing.read(settings.UNO_EARLY_COUNTS)
    if called == "never" or called not in in_time_at:
        return False
    if called != LATE:
        return True
    if _somebody_must_notice(hearing) and _caught(hearing) and not _corrected(hearing):
        return False
    if until == "caught":
        hearing.look(settings.UNO_LATE_CALL_FREE)
        return True
    if not _next_turn_begun(hearing):
        return True
    if until == "next-turn":
        return False
    raise Silent("uno-deadline", "uno_until")


def penalty_cards(hearing: Hearing) -> int:
    """Count the cards drawn for a missed call: for who is caught, or where nobody need notice, for all."""
    if hearing.settled("in_time"):
        if _called_falsely(hearing):
            hearing.cite("uno-false-accusation")
            raise Silent("uno-false-accusation")
        return 0
    hearing.read(settings.UNO_MOMENTS)  # a call that no clause makes due cannot be missed
    if not _somebody_must_notice(hearing):
        hearing.decide("in_time")
        return hearing.read(settings.UNO_PENALTY)
    if not _caught(hearing):
        return _unnoticed(hearing)
    until = hearing.look(settings.UNO_UNTIL)
    if until == "next-turn" and _next_turn_begun(hearing):
        return 0
    if _moment(hearing) == EARLY:
        hearing.decide("in_time")
    if _moment(hearing) != "never" and _corrected(hearing):
        return 0 if hearing.read(settings.UNO_LATE_CALL_FREE) else hearing.read(settings.UNO_PENALTY)
    if until is None and _next_turn_begun(hearing):
        raise Silent("uno-deadline", "uno_until")
    return hearing.read(settings.UNO_PENALTY)


def penalty_if_missed_before(hearing: Hearing) -> int:
    """Count what a call missed before the last card still costs, where nobody told whether it was made."""
    if hearing.facts.get(CARDS_LEFT.key) != 0 or hearing.given(CALLED_BEFORE):
        return 0
    if hearing.given(CARDS_LAID) and hearing.ask(CARDS_LAID) > 1:  # the hand never held one card alone
        return 0
    if not _somebody_must_notice(hearing):
        return hearing.read(settings.UNO_PENALTY)
    if hearing.given(CAUGHT) and not hearing.ask(CAUGHT) and hearing.look(settings.UNO_UNNOTICED_FREE):
        return 0
    return 0 if hearing.read(settings.UNO_UNTIL) == "next-turn" else hearing.read(settings.UNO_PENALTY)


def accuser_penalty_cards(hearing: Hearing) -> int:
    """Count the cards a wrong accusation costs."""
    return hearing.read(settings.UNO_FALSE_ACCUSATION) if _accused_falsely(hearing) else 0


def costs_nothing(hearing: Hearing) -> bool:
    """Return whether the penalty for a missed call is no card at all."""
    penalty = hearing.rulebook.find(settings.UNO_PENALTY)
    return penalty is not None and not penalty[0]


def _accused_falsely(hearing: Hearing) -> bool:
    """Return whether the accusation is said to be wrong."""
    return hearing.given(ACCUSED_FALSELY) and hearing.ask(ACCUSED_FALSELY)


def _called_falsely(hearing: Hearing) -> bool:
    """Return whether “Uno” was said with more than one card left; nobody is asked where a tap stands for it."""
    if not hearing.given(CARDS_LEFT) or hearing.ask(CARDS_LEFT) < 2 or never_due(hearing):
        return False
    if hearing.look(settings.UNO_BY_TAPPING) or (_accused_falsely(hearing) and not hearing.given(SAID)):
        return False
    return hearing.ask(SAID) != "never"


def _moment(hearing: Hearing) -> str:
    """Return when the call was made; where the table taps instead, a tap comes in the moment that is due.

    A call that was due before the last card was laid comes late with it.
    """
    if hearing.ask(CARDS_LEFT) == 0:
        if not _call_is_told(hearing):
            return "never"
        called = hearing.ask(TAPPED) if hearing.look(settings.UNO_BY_TAPPING) else hearing.ask(SAID) != "never"
        return LATE if called else "never"
    if hearing.look(settings.UNO_BY_TAPPING):
        moments, tapped = hearing.read(settings.UNO_MOMENTS), hearing.ask(TAPPED)
        return moments[0] if tapped and moments else "never"
    return hearing.ask(SAID)


def _next_turn_begun(hearing: Hearing) -> bool:
    """Return whether the next player had begun a turn; before the last card was laid, that player had one."""
    return hearing.ask(CARDS_LEFT) == 0 or hearing.ask(NEXT_TURN_BEGUN)


def _call_is_told(hearing: Hearing) -> bool:
    """Return whether the table has said when the call, or the tap in its place, was made."""
    return hearing.given(TAPPED) if hearing.look(settings.UNO_BY_TAPPING) else hearing.given(SAID)


def _somebody_must_notice(hearing: Hearing) -> bool:
    return hearing.read(settings.UNO_CAUGHT_BY) != "nobody"


def _caught(hearing: Hearing) -> bool:
    """Return whether anyone pointed the missing call out; a false accusation alone points out none."""
    return (hearing.given(CAUGHT) or not _accused_falsely(hearing)) and hearing.ask(CAUGHT)


def _corrected(hearing: Hearing) -> bool:
    """Return whether the call came before that; with a false accusation it did, unless it is told."""
    return (_accused_falsely(hearing) and not hearing.given(CORRECTED)) or hearing.ask(CORRECTED)


def _unnoticed(hearing: Hearing) -> int:
    """Count what a missed call costs that nobody pointed out; one made late may stand beside it."""
    if _moment(hearing) != "never":
        hearing.look(settings.UNO_LATE_CALL_FREE)
    if hearing.read(settings.UNO_UNNOTICED_FREE):
        return 0
    hearing.decide("in_time")  # what may have been in time is no missed call
    return hearing.read(settings.UNO_PENALTY)


def orders(outcome: Outcome, facts: Facts) -> Iterable[Order]:
    """Return orders on who draws."""
    if outcome["penalty_cards"]:
        yield Order(Role.OFFENDER, "draw", outcome["penalty_cards"])
    if outcome["accuser_penalty_cards"]:
        yield Order(Role.CHALLENGER, "draw", outcome["accuser_penalty_cards"])


def verdict(outcome: Outcome, facts: Facts) -> Line:
    if outcome["penalty_cards"]:
        return line("verdicts.draw", n=outcome["penalty_cards"])
    return line("verdicts.no-penalty")


def summary(outcome: Outcome, facts: Facts) -> Iterable[Line]:
    """Return a sentence on whether a call was missed, and who draws for it."""
    if outcome["penalty_cards"]:
        yield line("missed")
        yield line("draws", n=outcome["penalty_cards"])
    elif outcome["in_time"] and (outcome["never_due"] or not _was_due(facts)):
        yield from _nothing_due(outcome, facts)
    elif outcome["in_time"]:
        yield line("in-time")
    elif outcome["in_time"] is False:
        yield line("missed" if outcome["penalty_cards"] is None else _why_free(outcome, facts))
    elif outcome["penalty_cards"] == 0:
        yield line(_too_late(outcome) if facts.get("caught") else "nobody-objected")
        yield line("rest-early" if facts.get("said") == EARLY else "rest-in-time")
    if outcome["accuser_penalty_cards"]:
        yield line("accuser-draws", n=outcome["accuser_penalty_cards"])


def _was_due(facts: Facts) -> bool:
    """Return whether, by the facts alone, a call was due."""
    left = facts.get(CARDS_LEFT.key)
    return left == 1 or (left == 0 and facts.get(CALLED_BEFORE.key) is False)


def _nothing_due(outcome: Outcome, facts: Facts) -> Iterable[Line]:
    """Return why no call was due, and what one missed before may still cost."""
    left, before = facts.get(CARDS_LEFT.key), outcome["penalty_if_missed_before"]
    if left is None:
        yield line("nothing-wrong")
    elif outcome["never_due"]:
        yield line("never-due")
    elif left == 0 and facts.get(CARDS_LAID.key, 1) > 1:
        yield line("not-due-at-once")
    elif left == 0 and facts.get(CALLED_BEFORE.key):
        yield line("called-before")
    elif left == 0 and before != 0:
        yield line("not-due-out")
        yield line("rest-missed-before") if before is None else line("missed-before", n=before)
    else:
        yield line("not-due")


def _why_free(outcome: Outcome, facts: Facts) -> str:
    """Return the sentence that says why a missed call costs nothing."""
    never = facts.get("said") in (None, "never") and not facts.get("tapped_table")
    if not facts.get("caught"):
        return "nobody-noticed" if never else "late-unnoticed"
    return "said-before-caught" if facts.get("corrected_before_caught") else _too_late(outcome)


def _too_late(outcome: Outcome) -> str:
    """Return the sentence on a call that was caught for nothing: too late, unless it never costs a card."""
    return "costs-nothing" if outcome["costs_nothing"] else "caught-too-late"


DISPUTE = Dispute(
    id="uno-call",
    facts=(CARDS_LEFT, SAID, CAUGHT, CORRECTED, NEXT_TURN_BEGUN, TAPPED),
    volunteered=(ACCUSED_FALSELY, CALLED_BEFORE, CARDS_LAID),
    outcome={"penalty_cards": penalty_cards, "in_time": in_time, "accuser_penalty_cards": accuser_penalty_cards},
    further={
        "penalty_if_missed_before": penalty_if_missed_before,
        "costs_nothing": costs_nothing,
        "never_due": never_due,
    },
    main=lambda facts: "accuser_penalty_cards" if facts.get("accused_falsely") else "penalty_cards",
    orders=orders,
    verdict=verdict,
    summary=summary,
    contradictions=contradictions,
    finds=lambda facts, outcome: Finding.MISSED_CALL if outcome.get("penalty_cards") else None,
    parts=frozenset({Role.OFFENDER, Role.CHALLENGER}),
    known_by_name={CARDS_LEFT.key: "1"},
    samples={
        ACCUSED_FALSELY.key: lambda facts, rulebook: (Sample(True, CATALOGUE.text("facts.yes")),),
        CARDS_LEFT.key: lambda facts, rulebook: (Sample(1, "1"), Sample(2, example("or-more", n=2)), Sample(0, "0")),
    },
    starts=((), ("accused_falsely",)),
)
