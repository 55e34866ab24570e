"""The Score room: home, a new match, its sheet, recording and correcting, players and phones of the club."""

from __future__ import annotations

from flask import Blueprint

from referee.web.layout import furnish

blueprint = Blueprint("score", __name__)
blueprint.app_context_processor(furnish)

from referee.web.score import club, home, menu, new_match, rounds, sheet  # noqa: E402, F401 - they need the blueprint
