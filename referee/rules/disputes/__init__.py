"""The disputes the referee can hear; a new one is a module and a line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from referee.rules.disputes import draw_four_challenge
from referee.rules.disputes.base import Dispute, hear, read_facts, rule

DISPUTES: tuple[Dispute, ...] = (draw_four_challenge.DISPUTE,)
DISPUTES_BY_ID: Mapping[str, Dispute] = MappingProxyType({dispute.id: dispute for dispute in DISPUTES})

__all__ = ["DISPUTES", "DISPUTES_BY_ID", "Dispute", "hear", "read_facts", "rule"]
