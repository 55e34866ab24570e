"""The blueprint of the Score room."""

from __future__ import annotations

from flask import Blueprint

from referee.web.layout import furnish, keep_said

blueprint = Blueprint("score", __name__)
blueprint.app_context_processor(furnish)
blueprint.after_app_request(keep_said)
