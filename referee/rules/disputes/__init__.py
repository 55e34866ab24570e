"""The disputes the referee can hear; a new one is a module and a line here."""

from collections.abc import Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Any

from referee.rules.disputes import (
    can_i_play,
    deal,
    decline_to_play,
    draft,
    draw_four_challenge,
    draw_pile_empty,
    going_out,
    hearing_documents,
    jump_in,
    mercy_rule,
    play_doubles,
    played_card_effect,
    reverse_run,
    seven_zero,
    something_else,
    stacking,
    start_card,
    uno_call,
    who_starts,
    wild_with_match,
    wrong_card,
)
from referee.rules.disputes.base import Dispute, Finding, read_facts
from referee.rules.disputes.deciding import beside_the_point, hear, rule
from referee.rules.disputes.hearing_documents import other_rulebooks
from referee.rules.text.words import CATALOGUE

OFTEN = (draw_four_challenge.DISPUTE, uno_call.DISPUTE)
"""What people argue about most, whatever the moment."""
MOMENTS: Mapping[str, tuple[Dispute, ...]] = MappingProxyType(
    {
        "turn": (
            can_i_play.DISPUTE,
            stacking.DISPUTE,
            wild_with_match.DISPUTE,
            wrong_card.DISPUTE,
            played_card_effect.DISPUTE,
            jump_in.DISPUTE,
            play_doubles.DISPUTE,
            reverse_run.DISPUTE,
            seven_zero.DISPUTE,
        ),
        "drawing": (draw_pile_empty.DISPUTE, decline_to_play.DISPUTE),
        "end": (going_out.DISPUTE, mercy_rule.DISPUTE),
        "start": (start_card.DISPUTE, who_starts.DISPUTE, deal.DISPUTE, draft.DISPUTE),
        "else": something_else.DISPUTES,
    }
)
"""All others by when they arise, the most frequent moment first; ``moments`` in the catalogue names each."""
DISPUTES: tuple[Dispute, ...] = (*OFTEN, *chain.from_iterable(MOMENTS.values()))
DISPUTES_BY_ID: Mapping[str, Dispute] = MappingProxyType({dispute.id: dispute for dispute in DISPUTES})


def name_of_moment(dispute: Dispute) -> str:
    """Return the name of the moment when a dispute arises; empty where it may arise at any."""
    return next((CATALOGUE.say(f"moments.{key}") for key, listed in MOMENTS.items() if dispute in listed), "")


def answer(
    dispute_id: str, rulebook_id: str, house_rules: Sequence[str] = (), given: Mapping[str, object] | None = None
) -> dict[str, Any]:
    """Decide a dispute and return the result as JSON: a question, or a ruling with what other rulebooks say.

    Raises `Impossible` with every problem, of the dispute, the rulebook, the house rules and the facts.
    """
    return hearing_documents.answer(DISPUTES_BY_ID, dispute_id, rulebook_id, house_rules, given)


__all__ = [
    "DISPUTES",
    "DISPUTES_BY_ID",
    "MOMENTS",
    "OFTEN",
    "Dispute",
    "Finding",
    "answer",
    "beside_the_point",
    "hear",
    "name_of_moment",
    "other_rulebooks",
    "read_facts",
    "rule",
]
