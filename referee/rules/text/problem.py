"""What is wrong with something a person or client gave, one problem a field.

Any text is checked before something reads it: it must be short, with few marks on one letter. Composing letters
(Unicode normalization) takes time with the square of the marks in a row, so both are looked at first.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

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


T = TypeVar("T")


def attempt(problems: list[Problem], work: Callable[[], T]) -> T | None:
    """Call a function and collect its problems, so that all are reported at once."""
    try:
        return work()
    except Impossible as error:
        problems += error.problems
        return None


MOST_MARKS = 8
"""Combining marks in a row. A pointed and cantillated Hebrew letter has 5, Thai and Vietnamese 2, a keycap emoji 2, a
Tibetan stack 7; what goes beyond is meant to cover its neighbors (Unicode's own bound for streams, UAX #15, is 30)."""
DECOMPOSED = 4
"""Code points, at most, of which composing (NFC) makes one, for all that people type."""
LONGEST_FOLDED = 320
"""The longest text that `fold` changes, in code points; names and answers are far shorter."""
INVISIBLE = frozenset("\u115f\u1160\u2800\u3164\uffa0\U0001d159")
"""Letters and symbols by their category, yet nothing is drawn for them: fillers of Hangul, the empty Braille cell, a
note without a head."""


def is_too_long(text: str, longest: int) -> bool:
    """Return whether a text has too many code points to be `longest` characters when composed; looks at nothing else.

    In UTF-8 what is not too long has at most 16 × `longest` bytes.
    """
    return len(text) > DECOMPOSED * longest


def marks_problem(text: str) -> str | None:
    """Return the problem that too many marks are piled on one letter; None where they are not."""
    if text.isascii():
        return None
    run = 0
    for letter in text:
        run = run + 1 if unicodedata.category(letter)[0] == "M" else 0
        if run > MOST_MARKS:
            return say("problems.many-marks", most=MOST_MARKS)
    return None


TURNERS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Marks that turn the direction of the text after them, and so could disguise a neighbour's name."""


def is_control(letter: str) -> bool:
    """Return whether a character steers what shows the text, where it should be part of it."""
    return unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") or letter in TURNERS


def is_visible(text: str) -> bool:
    """Return whether any of a text is visible: a letter, digit, sign or symbol that is drawn."""
    return any(unicodedata.category(letter)[0] in "LNPS" and letter not in INVISIBLE for letter in text)


def fold(text: str) -> str:
    """Return the form in which equal names are equal: `ADA` and ` Ada ` are both `ada`.

    A text longer than any name is left as it is, since it equals none.
    """
    if len(text) > LONGEST_FOLDED:
        return text
    return " ".join(unicodedata.normalize("NFC", text.casefold()).split())
