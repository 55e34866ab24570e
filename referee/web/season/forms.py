"""The form of a season."""

from datetime import date
from typing import Any

from flask_wtf import FlaskForm

from referee.records.errors import MOST_PLAYERS
from referee.records.models import Season
from referee.records.season.days import read_day
from referee.records.season.points import Count
from referee.records.season.seasons import MOST_RULEBOOKS, Rules, SeasonDraft
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
        first_day = self._day("first_day", problems)
        draft = SeasonDraft(
            name=typed_over(self.name.data or "", before.name if before else ""),
            first_day=first_day or date.min,
            last_day=self._day("last_day", problems),
            rules=Rules(
                Count(self.count.data) if self.count.data in set(Count) else Count.PLACE,
                self.best.number,
                1 if self.least.number is None else self.least.number,
                tuple(self.rulebooks.data or ()),
            ),
            people=tuple(self.people.data or ()) if self.who.data == CHOSEN else (),
            names_until=self._day("names_until", problems),
        )
        if first_day is None and not any(problem.path == ("first_day",) for problem in problems):
            problems.append(Problem("first_day", say("season-page.no-first-day")))
        if self.who.data == CHOSEN and not draft.people:
            problems.append(Problem("people", say("season-page.nobody")))
        if problems:
            raise Impossible(problems)
        return draft

    def _day(self, name: str, problems: list[Problem]) -> date | None:
        text = (self[name].data or "").strip()
        try:
            return read_day(text) if text else None
        except ValueError:
            problems.append(Problem(name, say("season-page.no-day")))
            return None


def fields_of(draft: SeasonDraft, state: str = "") -> dict[str, Any]:
    """Return what a form shows of a draft."""
    return {
        "name": draft.name,
        "first_day": draft.first_day.isoformat(),
        "last_day": draft.last_day.isoformat() if draft.last_day else "",
        "count": draft.rules.count,
        "best": "" if draft.rules.best is None else str(draft.rules.best),
        "least": str(draft.rules.least) if draft.rules.least > 1 else "",
        "rulebooks": list(draft.rules.rulebooks),
        "who": CHOSEN if draft.people else EVERYONE,
        "people": list(draft.people),
        "names_until": draft.names_until.isoformat() if draft.names_until else "",
        "state": state,
    }
