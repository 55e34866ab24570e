"""Collect the problems of a club's document by field, up to a readable number."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime, timedelta

from referee.records.ids import first_id_of, is_id
from referee.records.models import now
from referee.records.names import clean_name, clean_text
from referee.records.words import say
from referee.rules.problem import Impossible, Problem
from referee.rules.totals import HIGHEST_TOTAL

MOST_PROBLEMS = 50
EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
AHEAD = timedelta(days=1)
"""How far the clock of another server may be ahead."""
DEEPEST = 12
LARGEST = 10**15


class TooManyProblems(Exception):
    """Enough problems were found."""


class Findings:
    """The problems found so far, and the checks of small things that add to them."""

    def __init__(self, writers: Collection[str]) -> None:
        self.problems: list[Problem] = []
        self.latest = now() + AHEAD
        self.last_id = first_id_of(self.latest)
        self.writers = writers

    def fail(self, field: str, message: str) -> None:
        """Add a problem; raises `TooManyProblems` at the limit."""
        self.problems.append(Problem(field, message))
        if len(self.problems) >= MOST_PROBLEMS:
            raise TooManyProblems

    def need(self, holds: bool, field: str, key: str, **places: object) -> None:
        """Add the problem with this key unless something holds."""
        if not holds:
            self.fail(field, say(key, **places))

    def ids(self, ids: Sequence[str], field: str, seen: set[str] | None = None) -> None:
        seen = set() if seen is None else seen
        for place, id in enumerate(ids):
            self.id(id, f"{field}[{place}].id")
            self.need(id not in seen, f"{field}[{place}].id", "import.twice", name=id[:40])
            seen.add(id)

    def id(self, id: str, field: str) -> None:
        """Check an id and its moment: lists are sorted by it, and pages show it."""
        if not is_id(id):
            self.fail(field, say("import.not-an-id", id=id[:40]))
        else:
            self.need(id < self.last_id, field, "import.future-id", id=id)

    def few(self, count: int, most: int, field: str) -> None:
        self.need(count <= most, field, "import.count", n=count, most=most)

    def name(self, name: str, field: str) -> None:
        self.same(name, lambda: clean_name(name, field), field)

    def text(self, text: str, field: str, longest: int) -> None:
        self.same(text, lambda: clean_text(text, field, longest), field)

    def same(self, text: str, clean: Callable[[], str], field: str) -> None:
        try:
            cleaned = clean()
        except Impossible as error:
            self.fail(field, error.problems[0].message)
        else:
            self.need(cleaned == text, field, "import.untidy")

    def moment(self, moment: datetime | None, field: str) -> None:
        if moment is None:
            return
        if moment.tzinfo is None:
            self.fail(field, say("import.zone"))
        elif moment < EARLIEST:
            self.fail(field, say("import.early"))
        elif moment > self.latest:
            self.fail(field, say("import.future", day=moment.date()))

    def writer(self, id: str | None, field: str) -> None:
        self.need(id is None or id in self.writers, field, "import.writer")

    def whole(self, number: int, field: str, most: int = HIGHEST_TOTAL, least: int = 0) -> None:
        self.need(least <= number <= most, field, "import.range", least=least, most=most)

    def plain(self, value: object, field: str, depth: int = 0) -> None:
        """Check free-form JSON: not too deep, no huge number."""
        if depth > DEEPEST:
            self.fail(field, say("import.deep"))
        elif isinstance(value, dict):
            for key, item in value.items():
                self.plain(item, f"{field}.{key[:40]}", depth + 1)
        elif isinstance(value, list):
            for place, item in enumerate(value):
                self.plain(item, f"{field}[{place}]", depth + 1)
        elif isinstance(value, int | float):
            self.need(abs(value) <= LARGEST, field, "import.large")
