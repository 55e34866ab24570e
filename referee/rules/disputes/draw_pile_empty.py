"""The draw pile is empty: what now?"""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType

from referee.rules import settings
from referee.rules.disputes.base import Dispute, Facts, Outcome
from referee.rules.hearing import Hearing, Silent
from referee.rules.ruling import Order, Role, Voice


def action(hearing: Hearing) -> str:
    """Decide whether play goes on with the discards or the round ends."""
    return hearing.read(settings.DRAW_PILE_ACTION)


def _discards_are_reused(hearing: Hearing) -> None:
    """Leave open what becomes of discards that nobody uses again."""
    if hearing.decide("round_ends"):
        raise Silent("draw-pile-empty")


def keep_top_card(hearing: Hearing) -> bool:
    """Decide whether the top card of the discard pile stays."""
    _discards_are_reused(hearing)
    return hearing.read(settings.KEEP_TOP_CARD)


def shuffle(hearing: Hearing) -> str:
    """Decide whether the discards must be shuffled or may be."""
    _discards_are_reused(hearing)
    return hearing.read(settings.SHUFFLE)


def round_ends(hearing: Hearing) -> bool:
    """Decide whether the round is over."""
    return bool(hearing.decide("action") == "end-round")


def orders(outcome: Outcome, facts: Facts) -> Iterable[Order]:
    """Say what is to be done."""
    if outcome["round_ends"]:
        yield Order(Role.NOBODY, "score-cards")


def verdict(outcome: Outcome, facts: Facts) -> str:
    """Say it in one or two words."""
    return "Round ends" if outcome["round_ends"] else "Reuse discards"


def summary(outcome: Outcome, facts: Facts, say: Voice) -> str:
    """Say the ruling in sentences to be read aloud."""
    if outcome["round_ends"]:
        return "The round ends, and every hand is counted."
    said = []
    if outcome["keep_top_card"]:
        said.append("The top card of the discard pile stays.")
    said.append(
        {
            "required": "The discards are shuffled and become the new draw pile.",
            "optional": "The discards are turned over as the new draw pile, shuffled if you like.",
        }.get(outcome["shuffle"], "The discards are turned over as the new draw pile.")
    )
    return " ".join(said)


DISPUTE = Dispute(
    id="draw-pile-empty",
    title="Empty draw pile",
    lead="The draw pile is empty. What now?",
    facts=(),
    outcome=MappingProxyType(
        {"action": action, "keep_top_card": keep_top_card, "shuffle": shuffle, "round_ends": round_ends}
    ),
    main=lambda facts: "action",
    orders=orders,
    verdict=verdict,
    summary=summary,
)
