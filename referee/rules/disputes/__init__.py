"""The disputes the referee can hear; a new one is a module and a line here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from referee.rules.disputes import (
    answering,
    can_i_play,
    deal,
    decline_to_play,
    draft,
    draw_four_challenge,
    draw_pile_empty,
    going_out,
    jump_in,
    mercy_rule,
    play_doubles,
    played_card_effect,
    reverse_run,
    seven_zero,
    stacking,
    start_card,
    uno_call,
    who_starts,
    wild_with_match,
    wrong_card,
)
from referee.rules.disputes.answering import other_rulebooks
from referee.rules.disputes.base import Dispute, Finding, beside_the_point, hear, read_facts, rule

DISPUTES: tuple[Dispute, ...] = (
    draw_four_challenge.DISPUTE,
    uno_call.DISPUTE,
    can_i_play.DISPUTE,
    stacking.DISPUTE,
    wild_with_match.DISPUTE,
    wrong_card.DISPUTE,
    played_card_effect.DISPUTE,
    start_card.DISPUTE,
    going_out.DISPUTE,
    mercy_rule.DISPUTE,
    draw_pile_empty.DISPUTE,
    decline_to_play.DISPUTE,
    who_starts.DISPUTE,
    deal.DISPUTE,
    draft.DISPUTE,
    reverse_run.DISPUTE,
    jump_in.DISPUTE,
    play_doubles.DISPUTE,
    seven_zero.DISPUTE,
)
DISPUTES_BY_ID: Mapping[str, Dispute] = MappingProxyType({dispute.id: dispute for dispute in DISPUTES})


def answer(
    dispute_id: str, rulebook_id: str, house_rules: Sequence[str] = (), given: Mapping[str, object] | None = None
) -> dict[str, Any]:
    """Hear a dispute and write the result as a JSON document: a question, or a ruling and what others say.

    Raises `Impossible` with every problem, of the dispute, the rulebook, the house rules and the facts.
    """
    return answering.answer(DISPUTES_BY_ID, dispute_id, rulebook_id, house_rules, given)


__all__ = [
    "DISPUTES",
    "DISPUTES_BY_ID",
    "Dispute",
    "Finding",
    "answer",
    "beside_the_point",
    "hear",
    "other_rulebooks",
    "read_facts",
    "rule",
]
