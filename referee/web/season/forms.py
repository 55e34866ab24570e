"""The form of a season."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from flask_wtf import FlaskForm

from referee.records.errors import MOST_PLAYERS
from referee.records.models import Season
from referee.records.season.days import read_day
from referee.records.season.points import Count
from referee.records.season.seasons import DAYS, MOST_RULEBOOKS, Rules, SeasonDraft
from referee.rules.text.problem import Impossible, Problem
from referee.web.page.fields import ChoicesField, LineField, WholeNumberField, WordField, typed_over
from referee.web.words import say

EVERYONE, CHOSEN = "everyone", "chosen"


class SeasonForm(FlaskForm):
    """What people say of a season."""

    name = LineField()
    first_day = WordField()
    last_day = WordField()
    count = WordField(default=Count.PLACE)
    best = WholeNumberField()
    least = WholeNumberField()
    rulebooks = ChoicesField(most=MOST_RULEBOOKS)
    who = WordField(default=EVERYONE)
    people = ChoicesField(most=MOST_PLAYERS)
    names_until = WordField()
    state = WordField()

    def draft(self, before: Season | None = None) -> SeasonDraft:
        """Return what was said; raises `Impossible` for days and numbers that are none."""
        problems: list[Problem] = []
        said = {name: (self[name].data or "").strip() for name in DAYS}
        days = read_days(said, problems)
        draft = SeasonDraft(
            name=typed_over(self.name.data or "", before.name if before else ""),
            first_day=days["first_day"] or date.min,
            last_day=days["last_day"],
            rules=Rules(
                Count(self.count.data) if self.count.data in set(Count) else Count.PLACE,
                self.best.number,
                1 if self.least.number is None else self.least.number,
                tuple(self.rulebooks.data or ()),
            ),
            people=tuple(self.people.data or ()) if self.who.data == CHOSEN else (),
            names_until=days["names_until"],
        )
        if not said["first_day"]:
            problems.append(Problem("first_day", say("season-page.no-first-day")))
        if self.who.data == CHOSEN and not draft.people:
            problems.append(Problem("people", say("season-page.nobody")))
        if problems:
            raise Impossible(problems)
        return draft


def read_days(said: Mapping[str, str | None], problems: list[Problem]) -> dict[str, date | None]:
    """Return what was said of days, by field; what is none joins the `problems`."""
    days: dict[str, date | None] = dict.fromkeys(DAYS)
    for field in DAYS:
        try:
            days[field] = read_day(text) if (text := said[field]) else None
        except ValueError:
            problems.append(Problem(field, say("season-page.no-day")))
    return days


def fields_of(draft: SeasonDraft, state: str = "") -> dict[str, Any]:
    """Return what a form shows of a draft."""
    return {
        **{name: str(getattr(draft, name) or "") for name in ("name", *DAYS)},
        "count": draft.rules.count,
        "best": str(draft.rules.best or ""),
        "least": str(draft.rules.least) if draft.rules.least > 1 else "",
        "rulebooks": list(draft.rules.rulebooks),
        "who": CHOSEN if draft.people else EVERYONE,
        "people": list(draft.people),
        "state": state,
    }
