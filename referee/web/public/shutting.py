"""Answer at public pages what went wrong there as their visitors need it."""

from __future__ import annotations

from flask import Blueprint, Flask
from werkzeug.exceptions import TooManyRequests

from referee.records.errors import Gone, NotFound
from referee.rules.problem import Impossible
from referee.web.server.doors import Closed

ANSWERS = {NotFound: "nowhere", Impossible: "impossible", Gone: "off", TooManyRequests: "too_often"}
"""What answers each error, in ``referee.web.public.room``."""


def init_app(app: Flask) -> None:
    """Answer these errors wherever an endpoint is one of public pages."""
    room = Blueprint("public", __name__)
    for kind, name in ANSWERS.items():
        room.register_error_handler(kind, Closed("referee.web.public.room", name))
    app.register_blueprint(room)
