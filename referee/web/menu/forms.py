"""The forms of a match's menu."""

from flask_wtf import FlaskForm

from referee.web.page.fields import ChoicesField, LineField, LinesField, NoteField, WholeNumberField, WordField


class MatchForm(FlaskForm):
    """What every change of a match carries: the state of the match that its writer has seen."""

    revision = WordField()


class AmendForm(MatchForm):
    """A change of rules from the next round on."""

    house_rules = ChoicesField()
    target = WholeNumberField()
    rounds_to_play = WholeNumberField()
    custom_rules = LinesField()
    note = LineField()


class JoinForm(MatchForm):
    """Someone sits down in a running match."""

    player = LineField()
    total = WholeNumberField()


class AdjustForm(MatchForm):
    """Points that the table adds to a total, or takes away, and why."""

    seat = WordField()
    way = WordField(default="add")
    points = WholeNumberField()
    reason = LineField()


class DetailsForm(MatchForm):
    """Name, place and note of a match."""

    name = LineField()
    location = LineField()
    match_note = NoteField()


class ClockForm(FlaskForm):
    """How long the clock of a match runs; 0 stops it."""

    minutes = WholeNumberField()
