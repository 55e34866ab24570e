"""The History room: matches played before, the story of each, the club's players and their statistics."""

from __future__ import annotations

import referee.web.history.matches
import referee.web.history.players
import referee.web.history.story  # noqa: F401 - importing them puts their views into the room
from referee.web.history.room import blueprint as blueprint
