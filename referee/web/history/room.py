"""The blueprint of the History room, and the filters that its pages share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from flask import Blueprint, current_app, render_template, request

from referee.records.models import Club
from referee.records.statistics.figures import Choices, Filter, load_choices
from referee.rules.problem import Impossible
from referee.rules.rulebook import TABLE_SIZES
from referee.web.club.demo import may_demo
from referee.web.rulebooks import title_of
from referee.web.server import guards
from referee.web.words import say

blueprint = Blueprint("history", __name__, url_prefix="/history")

TABLES = (("", say("filter.any-table")), *((str(size), say("filter.table", n=size)) for size in TABLE_SIZES))
LONGEST_NUMBER = 9
"""Digits of a number in an address; more is no year and no count of players."""


def filled(asked: Mapping[str, str]) -> dict[str, Any]:
    """Give the filters that narrow something, for an address that narrows the same."""
    return {name: value for name, value in asked.items() if value}


def invitation(title: str, room: str) -> str:
    """Draw the page for a stranger, who has no matches here yet."""
    may_start = current_app.config["SIGN_UP"]
    return render_template("history/invitation.html", title=title, room=room, may_start=may_start, may_demo=may_demo())


@dataclass(frozen=True)
class FilterView:
    """What can be chosen, what is, and what is wrong with it, by field."""

    given: Mapping[str, str]
    rulebooks: Sequence[tuple[str, str]]
    years: Sequence[tuple[str, str]]
    errors: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def active(self) -> bool:
        """Tell whether anything is filtered out; which scoring is shown has a switch of its own."""
        return any(value for name, value in self.given.items() if name != "scale")


def given(*names: str) -> dict[str, str]:
    """Read filters from the address; those left empty are as good as absent."""
    return {name: request.args.get(name, "").strip() for name in names}


def number(text: str) -> int | None:
    """Read a year or a number of players of a filter; None for none, and 0, which the records refuse, for no number."""
    if not text:
        return None
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= LONGEST_NUMBER else 0


def read_filter(club: Club, *more: str) -> tuple[Filter | None, FilterView, tuple[int, int]]:
    """Read the filter of an address; None, with the problems beside their fields, when it cannot be.

    Last comes the state that the club's figures are in.
    """
    asked = given("rulebook", "year", "players", *more)
    chosen = None
    errors: dict[str, list[str]] = {}
    try:
        numbers = {name: number(asked[name]) for name in ("year", "players")}
        chosen = Filter(rulebook=asked["rulebook"] or None, scale=asked.get("scale") or None, **numbers)
    except Impossible as error:
        for problem in error.problems:
            errors.setdefault(problem.field, []).append(problem.message)
    choices = load_choices(guards.records(), club.id)
    books, years = choices_of(choices)
    return chosen, FilterView(asked, books, years, errors), choices.state


def choices_of(choices: Choices) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Word the rulebooks and years that a club can filter by."""
    books = [("", say("filter.any-rules")), *((id, rulebook_title(id)) for id in choices.rulebooks)]
    return books, [("", say("filter.any-year")), *((str(year), str(year)) for year in choices.years)]


def rulebook_title(rulebook_id: str) -> str:
    """Call a rulebook by its title; one that is no longer offered by its id."""
    return title_of(rulebook_id)
