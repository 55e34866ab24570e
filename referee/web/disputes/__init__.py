"""The Dispute room: choose a dispute, answer question by question, hear the ruling, write it down at a match."""

from __future__ import annotations

from referee.web.disputes import offline_bundle, pages, record
from referee.web.disputes.room import blueprint

__all__ = ["blueprint", "offline_bundle", "pages", "record"]
