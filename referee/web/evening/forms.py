"""The forms of an evening."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from flask_wtf import FlaskForm
from wtforms import BooleanField

from referee.records.errors import MOST_PEOPLE
from referee.records.evening.drawing import FINALISTS
from referee.records.evening.evenings import EveningPlan
from referee.records.names import fold_name
from referee.web.page.fields import ChoicesField, LineField, NoteField, WholeNumberField, WordField

LONGEST_LIST = 100 * MOST_PEOPLE
"""Characters of a pasted list of names, and what stands beside them in it."""
NUMBERS = ("target", "rounds_to_play", "minutes", "size", "draws")
"""Of a plan, which a form asks for."""
_NUMBERED = re.compile(r"^\s*(?:\d{1,3}\s*[.):]|[-–•*])\s*")
"""What stands before a name in a list."""


def read_names(text: str, *, first: bool = False) -> list[str]:
    """Read pasted names: one a line, or all in one line between commas; of a table's rows the first column counts.

    With `first` only first names are taken: of “Lovelace, Ada” what follows the comma, and of those who share one an
    initial as well.
    """
    lines = [_NUMBERED.sub("", line).strip() for line in text.splitlines()]
    lines = [line for line in lines if line]
    cells = [re.split(r"[;\t]", line)[0] for line in lines]
    if len(lines) == 1 and (between := re.split(r"[,;\t]", lines[0]))[2 if first else 1 :]:
        cells = between
    elif not first and all(cell.count(",") > 1 for cell in cells):
        cells = [cell.split(",")[0] for cell in cells]
    cells = [cell.strip(' "') for cell in cells]
    return [name for name in (_first_names(cells) if first else cells) if name]


def _first_names(cells: Sequence[str]) -> list[str]:
    said = [_parted(cell) for cell in cells]
    times = Counter(fold_name(given) for given, _ in said)
    return [f"{given} {family[0]}." if family and times[fold_name(given)] > 1 else given for given, family in said]


def _parted(cell: str) -> tuple[str, str]:
    """Return the first name and the family name, which may be empty, of “Lovelace, Ada” or “Ada Lovelace”."""
    family, *given = [part.strip() for part in cell.split(",") if part.strip()] or [""]
    if given:
        return given[0].split()[0], family
    words = family.split() or [""]
    return words[0], words[-1] if len(words) > 1 else ""


class PeopleForm(FlaskForm):
    """Who is here: those whom the club knows, and names as pasted."""

    people = ChoicesField(most=MOST_PEOPLE)
    names = NoteField(longest=LONGEST_LIST)
    first_names = BooleanField()

    def everyone(self) -> list[str]:
        """Return all names, whoever is ticked and typed as well only once; one more than fit at most."""
        ticked = list(self.people.data or ())
        known = {fold_name(name) for name in ticked}
        typed = read_names(self.names.data or "", first=bool(self.first_names.data))
        return [*ticked, *(name for name in typed if fold_name(name) not in known)][: MOST_PEOPLE + 1]


class EveningForm(PeopleForm):
    """How an evening is played, and who is here."""

    name = LineField()
    rulebook = WordField()
    house_rules = ChoicesField()
    target = WholeNumberField()
    rounds_to_play = WholeNumberField()
    minutes = WholeNumberField()
    size = WholeNumberField()
    draws = WholeNumberField()

    def plan(self) -> EveningPlan:
        """Return the plan that the records check; call after `validate`."""
        numbers = {name: number for name in NUMBERS if (number := self[name].number) is not None}
        return EveningPlan(rulebook=self.rulebook.data or "", house_rules=tuple(self.house_rules.data or ()), **numbers)


def fields_of(plan: EveningPlan) -> dict[str, Any]:
    """Return what a form shows of a plan."""
    shown = {name: "" if (value := getattr(plan, name)) is None else str(value) for name in NUMBERS}
    return {"rulebook": plan.rulebook, "house_rules": list(plan.house_rules), **shown}


class DrawForm(FlaskForm):
    """What goes into the next draw, and what becomes of tables that still play."""

    seen = WholeNumberField()
    number = WholeNumberField()
    size = WholeNumberField()
    best = WholeNumberField(default=str(FINALISTS[2]))
    totals = WordField()
    tie = WordField()
