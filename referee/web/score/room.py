"""The blueprint of the Score room."""

from __future__ import annotations

from flask import Blueprint

from referee.web.layout import furnish

blueprint = Blueprint("score", __name__)
blueprint.app_context_processor(furnish)
