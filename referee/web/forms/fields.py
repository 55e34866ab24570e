"""Fields that understand what people write."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from wtforms import StringField, TextAreaField
from wtforms.validators import ValidationError

from referee.rules.cards import Card, UnknownCard, parse_card
from referee.rules.totals import NotATotal, parse_total

LONGEST_NUMBER = 12

ALIASES = {
    "s": "skip", "r": "reverse", "rev": "reverse", "+2": "draw-two", "d2": "draw-two", "drawtwo": "draw-two",
    "w": "wild", "+4": "wild-draw-four", "w4": "wild-draw-four", "wd4": "wild-draw-four", "draw-four": "wild-draw-four",
    "shuffle": "wild-shuffle-hands", "custom": "wild-customizable", "b": "blank",
}  # fmt: skip
"""Short ways to write a card by hand."""

_TOTAL = re.compile(r"\d{2,}|\d+(?:\+\d+)+|\d+(?: +\+ +\d+)+|[\d+ ]*[*×x.,-][\d+*×x., -]*|[-−]\d.*")
_PHRASES = (
    (re.compile(r"wild\s+draw\s+four|draw\s+four", re.IGNORECASE), "wild-draw-four"),
    (re.compile(r"draw\s+two", re.IGNORECASE), "draw-two"),
    (re.compile(r"(?:wild\s+)?shuffle\s+hands", re.IGNORECASE), "wild-shuffle-hands"),
    (re.compile(r"wild\s+customizable", re.IGNORECASE), "wild-customizable"),
    (re.compile(r"\b(red|yellow|green|blue)\s+(?=\S)", re.IGNORECASE), r"\1-"),
)


def read_hand(text: str) -> tuple[Card, ...] | int:
    """Read a leftover hand as typed: cards (``7 skip wild``), or their worth (``77``, ``20+20+50``, ``=7``).

    A single digit is the card; ``+2`` and ``+4`` are cards, ``2+4`` is a sum. Raises ValueError with words for people.
    """
    plain = text.strip()
    if plain.startswith("="):
        return parse_total(plain[1:])
    if _TOTAL.fullmatch(plain):
        return parse_total(plain)
    for pattern, replacement in _PHRASES:
        plain = pattern.sub(replacement, plain)
    return tuple(parse_card(ALIASES.get(word.lower(), word)) for word in re.split(r"[\s,;]+", plain) if word)


class HandField(StringField):
    """A leftover hand; `hand` is what it says, None while it cannot be read."""

    hand: tuple[Card, ...] | int | None = ()

    def pre_validate(self, form: Any) -> None:
        """Read the text."""
        self.hand = None
        text = self.data or ""
        if len(text) > 1000:
            raise ValidationError("No hand is that long; a hand is a list of cards, as in “7 skip wild”.")
        try:
            self.hand = read_hand(text)
        except (UnknownCard, NotATotal) as error:
            raise ValidationError(str(error)) from error


class WholeNumberField(StringField):
    """A whole number typed as text, so that what was typed stays; `number` is None when it is empty or wrong."""

    number: int | None = None

    def pre_validate(self, form: Any) -> None:
        """Read the number."""
        text = (self.data or "").strip()
        self.number = None
        if not text:
            return
        if not re.fullmatch(r"[-−]?\d+", text, re.ASCII) or len(text) > LONGEST_NUMBER:
            raise ValidationError(f"Type a whole number, such as 500, instead of “{text[:40]}”.")
        self.number = int(text.replace("−", "-"))


class LinesField(TextAreaField):
    """Several short texts, one a line."""

    @property
    def lines(self) -> Sequence[str]:
        """Give the lines that say something."""
        return tuple(line.strip() for line in (self.data or "").splitlines() if line.strip())
