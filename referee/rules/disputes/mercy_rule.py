"""The mercy rule: how many cards put a player out of the round, and what becomes of a penalty in the middle?"""

from collections.abc import Iterable

from referee.rules.books import settings
from referee.rules.books.rulebook import Rulebook
from referee.rules.disputes.base import Dispute, Facts, Outcome, Sample, example
from referee.rules.disputes.facts import number, yes_no
from referee.rules.disputes.hearing import Hearing, Silent
from referee.rules.disputes.ruling import Order, Role
from referee.rules.text.words import Line, line

MOST_CARDS = 168
"""Cards in the largest box in which a hand can grow too large."""
MOST_SAMPLED = 24
"""More cards than one penalty seldom makes due; the walk of all hearings stops there."""
CARDS_HELD = number("cards_held", "mercy-rule", range(1, MOST_CARDS + 1), quick=tuple(range(15, 27)))
STILL_DUE = number("still_due", "mercy-rule", range(MOST_CARDS + 1), quick=(0, 1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20))
TURN_OVER = yes_no("turn_over", "mercy-rule")


def arises(hearing: Hearing) -> None:
    """Raise `Silent` where no number of cards puts anyone out."""
    if hearing.rulebook.found[settings.KNOCKED_OUT_AT] is None:
        raise Silent(settings.KNOCKED_OUT_AT.question, "no_mercy_rule")


def out(hearing: Hearing) -> bool:
    """Decide whether the player is out of the round, once what is due has been drawn."""
    limit = hearing.read(settings.KNOCKED_OUT_AT)
    held = hearing.ask(CARDS_HELD)
    if held >= limit:
        if _at_every_card(hearing):
            return True
        return hearing.ask(STILL_DUE) > 0 or hearing.ask(TURN_OVER)
    return held + hearing.ask(STILL_DUE) >= limit


def _at_every_card(hearing: Hearing) -> bool:
    """Return whether a hand is counted at every card that comes to it."""
    return hearing.read(settings.KNOCK_OUT_CHECKED) == "every-card"


def draws(hearing: Hearing) -> int:
    """Count the cards that are still drawn: only as many as put the player out, where each is counted."""
    limit = hearing.read(settings.KNOCKED_OUT_AT)
    held = hearing.ask(CARDS_HELD)
    if held >= limit and _at_every_card(hearing):
        return 0
    due = hearing.ask(STILL_DUE)
    return limit - held if held + due >= limit and _at_every_card(hearing) else due


def hand(hearing: Hearing) -> str:
    """Decide what becomes of the hand."""
    return hearing.read(settings.KNOCKED_OUT_HAND) if hearing.decide("out") else "kept"


def not_yet(hearing: Hearing) -> bool:
    """Return whether the hand has reached the limit without putting the player out yet."""
    return not hearing.decide("out") and hearing.ask(CARDS_HELD) >= hearing.read(settings.KNOCKED_OUT_AT)


def last_left(hearing: Hearing) -> bool:
    """Return whether the one left when all others are out has won the round."""
    return bool(hearing.decide("out")) and hearing.look(settings.LAST_LEFT_WINS) is True


def orders(outcome: Outcome, facts: Facts) -> Iterable[Order]:
    """Return orders on how many cards are still drawn."""
    if outcome["draws"]:
        yield Order(Role.OFFENDER, "draw", outcome["draws"])


def verdict(outcome: Outcome, facts: Facts) -> Line:
    if outcome["out"]:
        return line("verdicts.mercy-out")
    return line("verdicts.mercy-not-yet" if outcome["not_yet"] else "verdicts.mercy-in")


def summary(outcome: Outcome, facts: Facts) -> Iterable[Line | Order]:
    """Return a sentence on whether the player is out, what is still drawn, and what follows for hand and round."""
    if outcome["out"] is None:
        return
    if not outcome["out"]:
        yield from orders(outcome, facts)
        yield line("not-yet" if outcome["not_yet"] else "stays-in")
        return
    yield from orders(outcome, facts)
    if outcome["draws"] is None:
        yield line("out-with-due", n=facts[CARDS_HELD.key] + facts[STILL_DUE.key])
    else:
        yield line("then-out") if outcome["draws"] else line("out-now", n=facts[CARDS_HELD.key])
    yield line(outcome["hand"] or "rest-hand")
    if outcome["last_left"]:
        yield line("last-left")


def _held(facts: Facts, rulebook: Rulebook) -> tuple[Sample, ...]:
    limit = rulebook.value(settings.KNOCKED_OUT_AT, MOST_SAMPLED)
    each = (Sample(count, str(count)) for count in range(1, min(limit, MOST_CARDS)))
    return (*each, Sample(limit, example("or-more", n=limit)))


DISPUTE = Dispute(
    id="mercy-rule",
    facts=(CARDS_HELD, STILL_DUE, TURN_OVER),
    arises=arises,
    outcome={"out": out, "draws": draws, "hand": hand},
    further={"not_yet": not_yet, "last_left": last_left},
    main=lambda facts: "out",
    orders=orders,
    verdict=verdict,
    summary=summary,
    parts=frozenset({Role.OFFENDER}),
    samples={
        CARDS_HELD.key: _held,
        STILL_DUE.key: lambda facts, rulebook: (
            Sample(0, example("none"), exact=True),
            *(Sample(count, str(count)) for count in range(1, MOST_SAMPLED + 1)),
        ),
    },
)
