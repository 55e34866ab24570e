"""Small forms of a running match and of the club."""

from __future__ import annotations

from flask_wtf import FlaskForm
from wtforms import BooleanField, SelectMultipleField, StringField, TextAreaField

from referee.web.forms.fields import LinesField, WholeNumberField


class MatchForm(FlaskForm):
    """What every change of a match carries: the state of the match that its writer has seen."""

    revision = StringField()


class AmendForm(MatchForm):
    """A change of rules from the next round on."""

    house_rules = SelectMultipleField(validate_choice=False)
    target = WholeNumberField()
    custom_rules = LinesField()
    note = StringField()


class JoinForm(MatchForm):
    """Somebody sits down in a running match."""

    player = StringField()
    total = WholeNumberField()


class DetailsForm(MatchForm):
    """Name, place and note of a match."""

    name = StringField()
    location = StringField()
    match_note = TextAreaField()


class ClockForm(FlaskForm):
    """How long the clock of a match runs; 0 stops it."""

    minutes = WholeNumberField()


class PlayerForm(FlaskForm):
    """A player's name, and whether they still play."""

    name = StringField()
    active = BooleanField()


class MergeForm(FlaskForm):
    """The player that another one turned out to be."""

    into = StringField()


class NameForm(FlaskForm):
    """A name."""

    name = StringField()


class WordsForm(FlaskForm):
    """The words of a recovery sheet."""

    words = StringField()
