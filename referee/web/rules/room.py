"""The blueprint of the Rules room."""

from __future__ import annotations

from flask import Blueprint

blueprint = Blueprint("rules", __name__)
