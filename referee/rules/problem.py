"""What is wrong with something a person or client gave, one problem a field."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, order=True, slots=True)
class Problem:
    """One thing that is wrong: the field it stands in (``hands.Bo[2]``) and what would be right."""

    field: str
    message: str


MOST_SAID = 20
"""Problems that the words of the error itself name; `problems` has them all."""


class Impossible(ValueError):
    """Something that cannot be, with all its problems at once."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        said = self.problems[:MOST_SAID]
        super().__init__("; ".join(f"{problem.field}: {problem.message}" for problem in said))
