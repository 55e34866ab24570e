"""The forms of the club's page."""

from __future__ import annotations

from typing import Any

from flask_wtf import FlaskForm
from wtforms import BooleanField

from referee.records.models import MARKER_COLORS, MARKER_SHAPES
from referee.web.page.fields import LineField, WordField
from referee.web.words import say

MARKERS_TO_PICK = [
    (marker, say(f"marker.{marker}"))
    for shape in MARKER_SHAPES
    for marker in (f"{color}-{shape}" for color in MARKER_COLORS)
]
"""What a player can pick and what it is called: a row for each shape, a column for each color."""


class PlayerForm(FlaskForm):
    """A player's name, whether they still play, and their color and shape."""

    name = LineField()
    active = BooleanField()
    marker = WordField()

    @property
    def details(self) -> dict[str, Any]:
        """Return what was entered, by name."""
        return {field.name: field.data for field in self if field.type != "CSRFTokenField"}


class MergeForm(FlaskForm):
    """The player that another one turned out to be."""

    into = WordField()


class NameForm(FlaskForm):
    """A name."""

    name = LineField()


class WordsForm(FlaskForm):
    """The words of a recovery sheet."""

    words = LineField()
