"""The blueprint of the Score room."""

from __future__ import annotations

from flask import Blueprint

blueprint = Blueprint("score", __name__)
