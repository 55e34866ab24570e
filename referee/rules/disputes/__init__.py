"""The disputes the referee can hear; a new one is a module and a line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from referee.rules.disputes import (
    can_i_play,
    deal,
    decline_to_play,
    draft,
    draw_four_challenge,
    draw_pile_empty,
    going_out,
    jump_in,
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
from referee.rules.disputes.base import Dispute, hear, read_facts, rule

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

__all__ = ["DISPUTES", "DISPUTES_BY_ID", "Dispute", "hear", "read_facts", "rule"]
