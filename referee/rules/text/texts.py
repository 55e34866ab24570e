"""Checks of any text before something reads it: it must be short, with few marks on one letter.

Composing letters (Unicode normalization) takes time with the square of the marks in a row, so both are looked at first.
"""

from __future__ import annotations

import unicodedata

from referee.rules.text.words import say

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
