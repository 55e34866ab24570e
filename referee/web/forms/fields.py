"""Fields that understand what people write."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import Any

from wtforms import SelectMultipleField, StringField, TextAreaField
from wtforms.validators import Length, ValidationError

from referee.records.names import LONGEST_NOTE
from referee.rules.cards import Card, UnknownCard
from referee.rules.decks import parse_card
from referee.rules.terms import LONGEST_TEXT, MOST_CUSTOM_RULES
from referee.rules.texts import DECOMPOSED
from referee.rules.totals import NotATotal, parse_total
from referee.web.words import say

LONGEST_NUMBER = 12
LONGEST_HAND = 1_000
LONGEST_LINE = 1_000
"""Characters with which a line is read at all, as at the JSON interface; how many fit is for the records to say."""
LONGEST_WORD = 60
"""Characters of an id or of a choice."""
MOST_CHOICES = 40

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


class LineField(StringField):
    """A text of one line."""

    def __init__(self, *, longest: int = LONGEST_LINE, **more: Any) -> None:
        super().__init__(validators=[_at_most(longest)], **more)


class WordField(LineField):
    """An id, or the value of a choice."""

    def __init__(self, *, longest: int = LONGEST_WORD, **more: Any) -> None:
        super().__init__(longest=longest, **more)


class NoteField(TextAreaField):
    """A text of several lines."""

    def __init__(self, *, longest: int = DECOMPOSED * LONGEST_NOTE, **more: Any) -> None:
        super().__init__(validators=[_at_most(longest)], **more)


class ChoicesField(SelectMultipleField):
    """Several ids or values; which of them there are is for the rules and the records to say."""

    def __init__(self, **more: Any) -> None:
        super().__init__(validate_choice=False, **more)

    def pre_validate(self, form: Any) -> None:
        """Refuse more than anybody can choose."""
        chosen = self.data or ()
        if len(chosen) > MOST_CHOICES or any(len(value) > LONGEST_WORD for value in chosen):
            self.data = [value for value in chosen[:MOST_CHOICES] if len(value) <= LONGEST_WORD]
            raise ValidationError(say("form.many-choices", most=MOST_CHOICES))


def _at_most(longest: int) -> Length:
    return Length(max=longest, message=say("form.long", most=longest))


class HandField(StringField):
    """A leftover hand; `hand` is what it says, None while it cannot be read."""

    hand: tuple[Card, ...] | int | None = ()

    def pre_validate(self, form: Any) -> None:
        """Read the text."""
        self.hand = None
        text = self.data or ""
        if len(text) > LONGEST_HAND:
            raise ValidationError(say("hand.too-long"))
        try:
            self.hand = read_hand(text)
        except (UnknownCard, NotATotal) as error:
            raise ValidationError(str(error)) from error


class WholeNumberField(StringField):
    """A whole number typed as text, so that what was typed stays; `number` is None when it is empty or wrong."""

    number: int | None = None

    def pre_validate(self, form: Any) -> None:
        """Read the number."""
        self.number = None
        given = self.data or ""
        text = given.strip() if len(given) <= LONGEST_LINE else given
        if not text:
            return
        if len(text) > LONGEST_NUMBER or not re.fullmatch(r"[-−]?\d+", text, re.ASCII):
            raise ValidationError(say("form.number", text=text[:40]))
        self.number = int(text.replace("−", "-"))


class LinesField(NoteField):
    """Several short texts, one a line."""

    def __init__(self, *, most: int = MOST_CUSTOM_RULES, **more: Any) -> None:
        super().__init__(longest=most * DECOMPOSED * LONGEST_TEXT, **more)
        self._most = most

    @property
    def lines(self) -> Sequence[str]:
        """Give the lines that say something, of too many one more than there may be."""
        lines = (line.strip() for line in (self.data or "").splitlines())
        return tuple(islice((line for line in lines if line), self._most + 1))
