"""The blueprint of the Dispute room."""

from __future__ import annotations

from flask import Blueprint

blueprint = Blueprint("disputes", __name__)
