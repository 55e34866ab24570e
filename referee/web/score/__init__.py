"""The Score room: home, a new match, its sheet, recording and correcting, players and phones of the club."""

from __future__ import annotations

import referee.web.club.deleting
import referee.web.club.demo
import referee.web.club.page
import referee.web.score.adjusting
import referee.web.score.clock
import referee.web.score.closing
import referee.web.score.dealer
import referee.web.score.home
import referee.web.score.menu
import referee.web.score.new_match
import referee.web.score.players
import referee.web.score.rounds
import referee.web.score.sheet
import referee.web.score.striking  # noqa: F401 - importing them puts their views into the room
from referee.web.score.room import blueprint as blueprint
