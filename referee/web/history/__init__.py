"""The History room: matches played before, the story of each, the club's players and their statistics."""

from __future__ import annotations

from referee.web.history import match, matches, player, players
from referee.web.history.room import blueprint

__all__ = ["blueprint", "match", "matches", "player", "players"]
