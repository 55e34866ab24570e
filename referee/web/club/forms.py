"""The forms of the club's page."""

from __future__ import annotations

from flask_wtf import FlaskForm
from wtforms import BooleanField

from referee.web.page.fields import LineField, WordField


class PlayerForm(FlaskForm):
    """A player's name, whether they still play, and their color and shape."""

    name = LineField()
    active = BooleanField()
    marker = WordField()


class MergeForm(FlaskForm):
    """The player that another one turned out to be."""

    into = WordField()


class NameForm(FlaskForm):
    """A name."""

    name = LineField()


class WordsForm(FlaskForm):
    """The words of a recovery sheet."""

    words = LineField()
