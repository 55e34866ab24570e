"""The forms of the club's page."""

from typing import Any

from flask_wtf import FlaskForm
from wtforms import BooleanField

from referee.records.models import MARKER_COLORS, MARKER_SHAPES
from referee.web.page.fields import LineField, WordField
from referee.web.words import say


class PlayerForm(FlaskForm):
    """A player's name, whether they still play, and their color and shape."""

    name = LineField()
    active = BooleanField()
    marker = WordField()

    @property
    def markers(self) -> list[tuple[str, str]]:
        """Return what can be picked and what it is called: a row for each shape, a column for each color."""
        markers = (f"{color}-{shape}" for shape in MARKER_SHAPES for color in MARKER_COLORS)
        return [(marker, say(f"marker.{marker}")) for marker in markers]

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


class ClubForm(NameForm):
    """The club's name, and the language of its boards, pictures and public pages."""

    language = WordField()


class WordsForm(FlaskForm):
    """The words of a recovery sheet."""

    words = LineField()
