"""The Reverse run: a Reverse and then a whole color, all or nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from types import MappingProxyType

from referee.rules import settings
from referee.rules.cards import Card, Face
from referee.rules.disputes.base import Dispute, Facts, Outcome, Sample, Samples
from referee.rules.facts import Fact, cards, count_of
from referee.rules.hearing import Hearing, Silent
from referee.rules.problem import Problem
from referee.rules.ruling import Order, Role, Voice, cards_count, sentence

HAND = cards(
    "hand",
    "Which cards did {offender|the hand} hold before the run?",
    lambda held: f"{{offender|the hand}} held {count_of(held)} before the run.",
)
PLAYED: Fact[tuple[Card, ...]] = cards(
    "played",
    "Which cards did {offender|the player} lay, in their order?",
    lambda laid: f"{{offender|the player}} laid {', then '.join(each.indefinite for each in laid) or 'no card'}.",
)


def legal(hearing: Hearing) -> bool:
    """Decide whether the run was right: the Reverse first, then every card of its color or none."""
    all_or_nothing = hearing.read(settings.RUN_IS_WHOLE)
    laid, held = hearing.ask(PLAYED), hearing.ask(HAND)
    if not laid or laid[0].face is not Face.REVERSE:
        return False
    color, others = laid[0].color, laid[1:]
    if any(card.color is not color for card in others):
        return False
    left = Counter(held) - Counter(laid)
    kept_some = any(card.color is color for card in left)
    return not (all_or_nothing and others and kept_some)


def cards_left(hearing: Hearing) -> int:
    """Count the cards left after a run that was right; which cards of a wrong one go back, no text says."""
    if not hearing.decide("legal"):
        raise Silent("reverse-run")
    return len(hearing.ask(HAND)) - len(hearing.ask(PLAYED))


def contradictions(facts: Facts) -> Iterable[Problem]:
    """Find cards that were laid without having been in the hand."""
    if "hand" not in facts or "played" not in facts:
        return
    missing: Counter[Card] = Counter(facts["played"]) - Counter(facts["hand"])
    for place, card in enumerate(facts["played"]):
        if missing[card]:
            missing[card] -= 1
            yield Problem(
                f"facts.played[{place}]", f"The {card.label} is not in the hand; give the hand before the run."
            )


def orders(outcome: Outcome, facts: Facts) -> Iterable[Order]:
    """Say what is to be undone."""
    if outcome["legal"] is False:
        yield Order(Role.OFFENDER, "take-back")


def verdict(outcome: Outcome, facts: Facts) -> str:
    """Say it in one or two words."""
    return "Right run" if outcome["legal"] else "Not allowed"


def summary(outcome: Outcome, facts: Facts, say: Voice) -> str:
    """Say the ruling in sentences to be read aloud."""
    if outcome["legal"]:
        left = cards_count(outcome["cards_left"])
        return "The run is right. " + sentence(say(Role.OFFENDER), "has", left, "left")
    return "The run is not allowed: the Reverse first, then all cards of its color or none."


SAMPLES: Samples = MappingProxyType(
    {
        PLAYED.key: lambda facts: (
            Sample(["red-reverse"], "The Reverse alone"),
            Sample(["red-reverse", "red-3"], "The Reverse first, then cards of its color"),
            Sample(["red-3", "red-reverse"], "A card of the color first"),
            Sample(["red-reverse", "blue-3"], "A card of another color too"),
        ),
        HAND.key: lambda facts: (
            Sample([*map(str, facts["played"]), "blue-9"], "No card of the color is left"),
            Sample([*map(str, facts["played"]), "red-9"], "A card of the color is left"),
        ),
    }
)


DISPUTE = Dispute(
    id="reverse-run",
    title="Reverse run",
    lead="May these cards be laid with a Reverse?",
    facts=(PLAYED, HAND),
    outcome=MappingProxyType({"legal": legal, "cards_left": cards_left}),
    main=lambda facts: "legal",
    orders=orders,
    verdict=verdict,
    summary=summary,
    contradictions=contradictions,
    counted_within=("played",),
    who="Who played the Reverse",
    parts=MappingProxyType({Role.OFFENDER: "the player of the Reverse"}),
    samples=SAMPLES,
)
