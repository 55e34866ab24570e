"""Names and notes as people write them: unchanged, unless nobody could read them."""

import re
import unicodedata
from collections.abc import Callable

from referee.records.words import say
from referee.rules.text.problem import (
    INVISIBLE,
    Impossible,
    Path,
    Problem,
    fold,
    is_control,
    is_too_long,
    is_visible,
    marks_problem,
)

LONGEST_NAME = 40
LONGEST_LINE = 80
LONGEST_NOTE = 2000
LONGEST_DECISION = 500
"""Characters of what a table decided itself."""
_UNDRAWN = re.compile(
    f"[{''.join(INVISIBLE)}\xad\u034f\u061c\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""What nothing is drawn for: fillers, joiners, marks of direction (Unicode's Default_Ignorable_Code_Point)."""


def clean_name(text: str, field: str | Path = "name", longest: int = LONGEST_NAME) -> str:
    """Tidy a name: composed (NFC), trimmed, inner blanks single; markup, emoji and right-to-left letters stay.

    Raises `Impossible` for a name that shows nothing, is longer than `longest` characters, piles up marks, or has
    control characters in it.
    """
    name = _clean(text, field, longest, "long-name", "", lambda text: " ".join(text.split()))
    if not is_visible(name):
        raise Impossible([Problem(field, say("names.invisible", most=longest))])
    return name


def clean_text(text: str, field: str | Path, longest: int = LONGEST_NOTE) -> str:
    """Tidy a note or a custom rule, which may be empty; texts longer than a line may have several lines.

    Raises `Impossible` when it is longer than `longest` characters, piles up marks, or has control characters in it.
    """
    allowed = "\n\r\t" if longest > LONGEST_LINE else ""
    return _clean(text, field, longest, "long-text", allowed, lambda text: text.replace("\r\n", "\n").strip())


def _clean(text: str, field: str | Path, longest: int, too_long: str, allowed: str, tidy: Callable[[str], str]) -> str:
    """Compose and tidy a text whose length is checked before anything reads it; raises `Impossible`."""
    problem = None
    if not is_too_long(text, longest):
        control = next((letter for letter in text if letter not in allowed and is_control(letter)), None)
        problem = say("names.control", code=ord(control)) if control else marks_problem(text)
        text = tidy(unicodedata.normalize("NFC", text)) if problem is None else text
    if problem is None and len(text) > longest:
        problem = say(f"names.{too_long}", n=len(text), most=longest)
    if problem is not None:
        raise Impossible([Problem(field, problem)])
    return text


def fold_name(name: str) -> str:
    """Return the form under which two names count as the same: `ADA` is `Ada`."""
    return fold(name)


def likeness(name: str) -> str:
    """Return the form under which two names look the same: `Ａda`, or `Ada` with a joiner in it, is `ada`.

    New names are compared by it; those on record keep the form of `fold_name`, under which a match knows its seats.
    """
    composed = unicodedata.normalize("NFKC", fold_name(name))
    return fold_name(_UNDRAWN.sub("", unicodedata.normalize("NFKC", composed.casefold())))


def printable(text: str, allowed: str = "\n") -> str:
    """Write control characters as their codes, so that a text can't steer a terminal or forge a log line."""
    return "".join(
        f"\\u{ord(letter):04x}" if letter not in allowed and is_control(letter) else letter for letter in text
    )
