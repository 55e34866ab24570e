"""The filter above statistics and matches: a form that is sent with GET, so that an address can be shared."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from flask import request

from referee.records.models import Club
from referee.records.statistics.figures import Choices, Filter, load_choices
from referee.rules.books.rulebook import TABLE_SIZES
from referee.rules.text.problem import Impossible, Problem
from referee.web.page.rulebooks import title_of
from referee.web.server import guards
from referee.web.words import say

LONGEST_NUMBER = 9
"""Digits of a number in an address; more is no year and no count of players."""


@dataclass(frozen=True)
class FilterForm:
    """What is chosen, what can be, and what is wrong with it, by field."""

    given: Mapping[str, str]
    choices: Choices
    errors: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def active(self) -> bool:
        """Return whether anything is filtered out; the scoring has a switch of its own."""
        return any(value for name, value in self.given.items() if name != "scale")

    @property
    def address(self) -> dict[str, Any]:
        """Return what narrows something, as the query of an address that narrows the same."""
        return {name: value for name, value in self.given.items() if value}

    @property
    def rulebooks(self) -> list[tuple[str, str]]:
        """Return the rulebooks to choose among: id and title."""
        return [("", say("filter.any-rules")), *((id, title_of(id)) for id in self.choices.rulebooks)]

    @property
    def table_sizes(self) -> list[tuple[str, str]]:
        """Return the sizes of tables to choose among: number and label."""
        return [("", say("filter.any-table")), *((str(size), say("filter.table", n=size)) for size in TABLE_SIZES)]

    @property
    def years(self) -> list[tuple[str, str]]:
        """Return the years to choose among: value and label."""
        return [("", say("filter.any-year")), *((str(year), str(year)) for year in self.choices.years)]


def read_filter(club: Club, *more: str) -> tuple[Filter | None, FilterForm]:
    """Return the filter of an address, None where it cannot be, and its form with the problems beside their fields."""
    given = read_fields("rulebook", "year", "players", *more)
    chosen, problems = None, []
    try:
        chosen = Filter(
            rulebook=given["rulebook"] or None,
            year=number(given["year"]),
            players=number(given["players"]),
            scale=given.get("scale") or None,
        )
    except Impossible as error:
        problems = [*error.problems]
    return chosen, FilterForm(given, load_choices(guards.records(), club.id), by_field(problems))


def read_fields(*names: str) -> dict[str, str]:
    """Return fields of the address, empty ones for those left out."""
    return {name: request.args.get(name, "").strip() for name in names}


def number(text: str) -> int | None:
    """Return a year or a number of players; None for no text, and 0, which the records refuse, for no number."""
    if not text:
        return None
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= LONGEST_NUMBER else 0


def by_field(problems: Iterable[Problem]) -> dict[str, list[str]]:
    """Return the messages of problems by field."""
    errors: dict[str, list[str]] = {}
    for problem in problems:
        errors.setdefault(problem.field, []).append(problem.message)
    return errors
