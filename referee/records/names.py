"""Names and notes as people write them: unchanged, unless nobody could read them."""

from __future__ import annotations

import re
import unicodedata

from referee.records.words import say
from referee.rules.text.problem import Impossible, Path, Problem
from referee.rules.text.texts import INVISIBLE, fold, is_control, is_too_long, is_visible, marks_problem

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
    problem = _long_name(text, longest) if is_too_long(text, longest) else _unreadable(text, "")
    name = " ".join(unicodedata.normalize("NFC", text).split()) if problem is None else ""
    if problem is None and not is_visible(name):
        problem = say("names.invisible", most=longest)
    if problem is None and len(name) > longest:
        problem = _long_name(name, longest)
    if problem is not None:
        raise Impossible([Problem(field, problem)])
    return name


def clean_text(text: str, field: str | Path, longest: int = LONGEST_NOTE) -> str:
    """Tidy a note or a custom rule, which may be empty; texts longer than a line may have several lines.

    Raises `Impossible` when it is longer than `longest` characters, piles up marks, or has control characters in it.
    """
    allowed = "\n\r\t" if longest > LONGEST_LINE else ""
    problem = _long_text(text, longest) if is_too_long(text, longest) else _unreadable(text, allowed)
    tidy = unicodedata.normalize("NFC", text).replace("\r\n", "\n").strip() if problem is None else ""
    if problem is None and len(tidy) > longest:
        problem = _long_text(tidy, longest)
    if problem is not None:
        raise Impossible([Problem(field, problem)])
    return tidy


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


def _long_name(name: str, longest: int) -> str:
    return say("names.long-name", n=len(name), most=longest)


def _long_text(text: str, longest: int) -> str:
    return say("names.long-text", n=len(text), most=longest)


def _unreadable(text: str, allowed: str) -> str | None:
    """Find what makes a text unfit to be composed and saved; its length is checked before."""
    return _control_problem(text, allowed) or marks_problem(text)


def _control_problem(text: str, allowed: str) -> str | None:
    for letter in text:
        if letter not in allowed and is_control(letter):
            return say("names.control", code=ord(letter))
    return None
