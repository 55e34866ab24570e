"""The form of a new match."""

import re
from collections.abc import Sequence
from typing import Any

from flask_wtf import FlaskForm
from werkzeug.datastructures import MultiDict
from wtforms import FieldList

from referee.records.match.plans import MatchPlan
from referee.rules.books.rulebook import TABLE_SIZES
from referee.rules.scoring.round_entry import MOST_NAMES
from referee.web.page.fields import ChoicesField, LineField, LinesField, WholeNumberField, WordField

SEATS = TABLE_SIZES[-1]
FIRST_SEATS = 4
WORTH = "worth-"
"""Begins the names of fields that ask what a face is worth."""
BOX = "box-"
"""Begins the names of fields that say which of the decks sold as one box is on the table, by rulebook."""
OPENING = "opening-"
"""Begins the names of fields that say with how many points someone starts, by place among the names."""
_TOTAL = re.compile(r"[-−]?[0-9]{1,7}")
STEPS = ("more", "change", "agree", "deal")


class NewMatchForm(FlaskForm):
    """Who plays, by which rules; every value as typed."""

    players = FieldList(LineField(), max_entries=MOST_NAMES + 1)
    rulebook = WordField()
    house_rules = ChoicesField()
    target = WholeNumberField()
    count = WordField(default="points")
    deck = WordField()
    blank_effect = LineField()
    blank_points = WholeNumberField()
    custom_rules = LinesField()
    rounds_to_play = WholeNumberField()
    teams = WordField()
    """who plays with whom, as places among the names: ``0-2 1-3``"""
    dealer = WholeNumberField(default="1")
    name = LineField()
    token = LineField()

    def __init__(self, values: MultiDict[str, str] | None = None, **defaults: Any) -> None:
        names = values.getlist("players") if values is not None else list(defaults.pop("players", ()))
        others = [pair for pair in (values or MultiDict()).items(multi=True) if pair[0] != "players"]
        super().__init__(MultiDict(others), **defaults)
        given = list(values.items()) if values is not None else []
        self.worths = {name.removeprefix(WORTH): text for name, text in given if name.startswith(WORTH)}
        """what the table says that faces are worth, as typed"""
        self.openings = {name.removeprefix(OPENING): text for name, text in given if name.startswith(OPENING)}
        """with how many points players start, by place among the names, as typed"""
        self.boxes = {name.removeprefix(BOX): text for name, text in given if name.startswith(BOX)}
        """which deck is on the table under a rulebook whose box comes with several"""
        for name in names[:MOST_NAMES]:
            self.players.append_entry(name)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names that were typed, in the order of seats; empty seats are no players."""
        return tuple(str(entry.data).strip() for entry in self.players.entries if (entry.data or "").strip())

    @property
    def dealer_name(self) -> str | None:
        """Return the name of who deals first: whoever sits on the chosen seat, or the first player."""
        typed = [(entry.data or "").strip() for entry in self.players.entries]
        seat = (self.dealer.number or 1) - 1
        chosen = typed[seat] if 0 <= seat < len(typed) else ""
        return chosen or next(iter(self.names), None)

    def plan(self) -> MatchPlan:
        """Return the plan that the records check; call after `validate`."""
        names = self.names
        teams = [re.findall(r"\d{1,2}", team) for team in (self.teams.data or "").split()]
        worths = [(face, text.strip()) for face, text in self.worths.items()]
        return MatchPlan(
            players=names,
            rulebook=self.rulebook.data or "",
            house_rules=tuple(self.house_rules.data or ()),
            target=self.target.number,
            deck=self.deck.data or self.boxes.get(self.rulebook.data or "") or None,
            blank_effect=self.blank_effect.data or "",
            blank_points=self.blank_points.number,
            custom_rules=tuple(self.custom_rules.lines),
            rounds_to_play=self.rounds_to_play.number,
            teams=tuple(tuple(names[int(at)] for at in team if int(at) < len(names)) for team in teams) or None,
            face_points=tuple(sorted((face, int(text)) for face, text in worths if re.fullmatch(r"[0-9]{1,6}", text)))
            or None,
            opening_totals=self.opening_totals(),
            count=self.count.data or "points",
            dealer=self.dealer_name,
            name=self.name.data or "",
        )

    def opening_totals(self) -> dict[str, int]:
        """Return the head starts by player name; those that aren't numbers are left out."""
        typed = {name: self.openings.get(str(place), "").strip() for place, name in enumerate(self.names)}
        return {name: int(text.replace("−", "-")) for name, text in typed.items() if _TOTAL.fullmatch(text)}

    def unread_openings(self) -> dict[str, str]:
        """Return the head starts that aren't numbers, by player name."""
        typed = {name: self.openings.get(str(place), "").strip() for place, name in enumerate(self.names)}
        return {name: text for name, text in typed.items() if text and not _TOTAL.fullmatch(text)}

    def seat_of_name(self, place: int) -> int:
        """Return the seat of the player at `place` among the names that were typed."""
        filled = [seat for seat, entry in enumerate(self.players.entries) if (entry.data or "").strip()]
        return filled[place] if place < len(filled) else place

    def values(self) -> Sequence[tuple[str, str]]:
        """Return everything typed as pairs of name and value, for hidden fields of the rule card."""
        single = ("rulebook", "target", "count", "deck", "blank_effect", "blank_points", "custom_rules",
                  "rounds_to_play", "teams", "dealer", "name", "token")  # fmt: skip
        return (
            *(("players", str(entry.data or "")) for entry in self.players.entries),
            *(("house_rules", rule) for rule in self.house_rules.data or ()),
            *((name, str(self[name].data or "")) for name in single),
            *((WORTH + face, text) for face, text in self.worths.items()),
            *((OPENING + place, text) for place, text in self.openings.items()),
            *((BOX + rulebook, text) for rulebook, text in self.boxes.items()),
        )
