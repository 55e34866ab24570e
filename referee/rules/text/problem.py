"""What is wrong with something a person or client gave, one problem a field."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from referee.rules.text.words import say


class At(NamedTuple):
    """Whose part of a document a problem stands in: known by seat, shown by name."""

    seat: int
    name: str


Path = tuple[str | int | At, ...]
"""The way to a field: keys, places in lists, and players, as in ``("hands", At(1, "Bo"), 2)``."""


@dataclass(frozen=True, slots=True, init=False)
class Problem:
    """One thing that is wrong: the way to the field it stands in and what would be right."""

    path: Path
    message: str

    def __init__(self, path: str | Path, message: str) -> None:
        object.__setattr__(self, "path", (path,) if isinstance(path, str) else path)
        object.__setattr__(self, "message", message)

    @classmethod
    def said(cls, path: str | Path, key: str, **places: object) -> Problem:
        """Return what is wrong, as a sentence of the catalogue, by its key in the table of problems."""
        return cls(path, say(f"problems.{key}", **places))

    @property
    def field(self) -> str:
        """Return the path to the field as the JSON interface writes it: ``hands.Bo[2]``."""
        written = ""
        for part in self.path:
            if isinstance(part, int):
                written += f"[{part}]"
            else:
                name = part.name if isinstance(part, At) else part
                written += f".{name}" if written else name
        return written

    @property
    def seat(self) -> int | None:
        """Return the seat of the player whose part this is; None where it is nobody's."""
        return next((part.seat for part in self.path if isinstance(part, At)), None)

    def under(self, *path: str | int) -> Problem:
        """Return the same problem with its path below that of something larger."""
        return Problem((*path, *self.path), self.message)


MOST_SAID = 20
"""Problems that the words of the error itself name; `problems` has them all."""


class Impossible(ValueError):
    """Something that cannot be, with all its problems at once."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        shown = self.problems[:MOST_SAID]
        super().__init__("; ".join(f"{problem.field}: {problem.message}" for problem in shown))
