"""The draft: a card is looked at, kept or discarded; and then?"""

from collections.abc import Iterable

from referee.rules.books import settings
from referee.rules.disputes.base import Dispute, Facts, Outcome
from referee.rules.disputes.facts import yes_no
from referee.rules.disputes.hearing import Hearing, Silent
from referee.rules.disputes.ruling import Order, Role
from referee.rules.text.problem import Problem
from referee.rules.text.words import Line, line

KEPT_FIRST = yes_no("kept_first", "draft")
REJECTS_SECOND = yes_no("rejects_second", "draft")


def arises(hearing: Hearing) -> None:
    """Raise `Silent` where hands are dealt, not chosen."""
    if hearing.rulebook.found[settings.DRAFT_MUST_KEEP_SECOND] is None:
        raise Silent(settings.DRAFT_MUST_KEEP_SECOND.question, "no_draft")


def legal(hearing: Hearing) -> bool:
    """Decide whether the player may do so."""
    must_keep_second = hearing.read(settings.DRAFT_MUST_KEEP_SECOND)
    return hearing.ask(KEPT_FIRST) or not (must_keep_second and hearing.ask(REJECTS_SECOND))


def discard_pile_after(hearing: Hearing) -> int:
    """Count the cards of the discard pile when the draft is over."""
    return hearing.read(settings.DRAFT_DISCARDS)


def contradictions(facts: Facts) -> Iterable[Problem]:
    """Find facts that contradict each other."""
    if facts.get("kept_first") and facts.get("rejects_second"):
        yield Problem.said(("facts", "rejects_second"), "kept-first")


def orders(outcome: Outcome, facts: Facts) -> Iterable[Order]:
    """Order what has to be undone."""
    if outcome["legal"] is False:
        yield Order(Role.OFFENDER, "take-back")


def verdict(outcome: Outcome, facts: Facts) -> Line:
    return line("verdicts.allowed" if outcome["legal"] else "verdicts.keep-it")


def summary(outcome: Outcome, facts: Facts) -> Iterable[Line]:
    """Return a sentence on which of the two cards is kept."""
    if outcome["legal"] is not None:
        yield line("keeps-one" if outcome["legal"] else "keeps-second")


DISPUTE = Dispute(
    id="draft",
    facts=(KEPT_FIRST, REJECTS_SECOND),
    arises=arises,
    outcome={"legal": legal, "discard_pile_after": discard_pile_after},
    main=lambda facts: "legal",
    orders=orders,
    verdict=verdict,
    summary=summary,
    contradictions=contradictions,
    parts=frozenset({Role.OFFENDER}),
)
