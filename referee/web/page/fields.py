"""Fields that understand what people write."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType
from typing import Any

from flask_wtf import FlaskForm
from wtforms import FieldList, SelectMultipleField, StringField, TextAreaField
from wtforms.validators import Length, ValidationError

from referee.records.deletion.texts import is_removed
from referee.records.names import LONGEST_NOTE
from referee.rules.books.agreeing import LONGEST_TEXT, MOST_CUSTOM_RULES
from referee.rules.cards.cards import Card, Deck, NotATotal, UnknownCard, parse_total
from referee.rules.cards.decks import CLASSIC, decks, decks_in_same_box, parse_card
from referee.rules.text.problem import DECOMPOSED, Problem
from referee.rules.text.words import CATALOGUE, ENGLISH, cached_by_language, language, speaking
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
    "w": "wild", "+4": "wild-draw-four", "w4": "wild-draw-four", "wd4": "wild-draw-four",
    "shuffle": "wild-shuffle-hands", "swap": "wild-swap-hands",
    "custom": "wild-customizable", "b": "blank",
}  # fmt: skip
"""Short ways to write a card by hand, besides those that a deck brings along (`_ways_to_write`)."""

_BEFORE_FACE = re.compile(r"\b([^\W\d_]+)(?:\s+|-)(?=\S)")
"""A word that may be a color, and what is between it and a face."""
_TOTAL = re.compile(r"\d{2,}|\d+(?:\+\d+)+|\d+(?: +\+ +\d+)+|[\d+ ]*[*×x.,-][\d+*×x., -]*|[-−]\d.*")


@cached_by_language
def _ways_to_write(deck: str) -> tuple[Mapping[str, str], re.Pattern[str], Mapping[str, str]]:
    """Return the short ways to write the cards of a deck's box, the faces of several words, and colors by their names.

    Shorter than its id, a face is its sign (``+2``), its short name, or its id without ``wild``, where nothing else is
    called so; the first face of the deck comes first. Names are those of the language spoken, and always the English.
    """
    faces = list(dict.fromkeys(face for each in decks_in_same_box(deck) for face in each.faces))
    short = {way: face for way, face in ALIASES.items() if face in faces}
    for code in (language().code, ENGLISH):
        for way in ("{0.sign}", "{0.short}", "{0.label}"):
            for face in faces:
                with speaking(code):
                    spelling = way.format(face).lower().replace(" ", "-").replace(".", "").replace("\xad", "")
                if spelling not in faces and (spelling.isascii() or spelling.replace("-", "").isalpha()):
                    short.setdefault(spelling, str(face))
    for face in faces:
        if face.startswith("wild-") and (plain := face.removeprefix("wild-")) not in faces:
            short.setdefault(plain, str(face))
    words = sorted((way for way in {*faces, *short} if "-" in way.strip("-+")), key=len, reverse=True)
    phrases = "|".join(re.escape(way).replace(r"\-", r"\s+") for way in words) or r"(?!)"
    colors = {color.id: color.id for color in decks()[deck].colors}
    for key, name in CATALOGUE.sentences.items():
        if key.startswith("colors.") and (color := re.split(r"[.-]", key)[1]) in colors:
            colors.setdefault(name.lower(), color)
    return MappingProxyType(short), re.compile(rf"\b(?:{phrases})\b", re.IGNORECASE), MappingProxyType(colors)


def read_hand(text: str, deck: Deck | None = None) -> tuple[Card, ...] | int:
    """Read a leftover hand of a deck as typed: cards (``7 skip wild``), or their worth (``77``, ``20+20+50``, ``=7``).

    A single digit is the card; ``+2`` and ``+4`` are cards, ``2+4`` is a sum. Raises ValueError with words for people.
    """
    plain = re.sub(r",\s+", " ", text.strip())  # “7, 8” are two cards, where “7,8” may mean a fraction
    if plain.startswith("="):
        return parse_total(plain[1:])
    if _TOTAL.fullmatch(plain):
        return parse_total(plain)
    short, phrases, colors = _ways_to_write(deck.id if deck else CLASSIC)
    plain = phrases.sub(lambda match: re.sub(r"\s+", "-", match[0]), plain)
    plain = _BEFORE_FACE.sub(
        lambda match: f"{colors[word]}-" if (word := match[1].lower()) in colors else match[0], plain
    )
    return tuple(_card(word, short, deck) for word in re.split(r"[\s,;]+", plain) if word)


def _card(word: str, short: Mapping[str, str], deck: Deck | None) -> Card:
    """Read one card, its face maybe in short, with a color before it or not."""
    color, _, face = word.lower().partition("-")
    if face in short and color in {each.id for each in decks()[deck.id if deck else CLASSIC].colors}:
        word = f"{color}-{short[face]}"
    return parse_card(short.get(word.lower(), word), deck)


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

    def __init__(self, *, most: int = MOST_CHOICES, **more: Any) -> None:
        super().__init__(validate_choice=False, **more)
        self.most = most

    def pre_validate(self, form: Any) -> None:
        """Parse the text."""
        chosen = self.data or ()
        if len(chosen) > self.most or any(len(value) > LONGEST_WORD for value in chosen):
            self.data = [value for value in chosen[: self.most] if len(value) <= LONGEST_WORD]
            raise ValidationError(say("form.many-choices", most=self.most))


@cached_by_language
def _at_most(longest: int) -> Length:
    return Length(max=longest, message=say("form.long", most=longest))


class HandField(StringField):
    """A leftover hand; `hand` is what it says, None while it cannot be read."""

    hand: tuple[Card, ...] | int | None = ()

    def __init__(self, *, deck: Deck | None = None, **more: Any) -> None:
        super().__init__(**more)
        self._deck = deck

    def pre_validate(self, form: Any) -> None:
        """Parse the text."""
        self.hand = None
        text = self.data or ""
        if len(text) > LONGEST_HAND:
            raise ValidationError(say("hand.too-long"))
        try:
            self.hand = read_hand(text, self._deck)
        except (UnknownCard, NotATotal) as error:
            raise ValidationError(str(error)) from error


class WholeNumberField(StringField):
    """A whole number typed as text, so that what was typed stays; `number` is None when it is empty or wrong."""

    number: int | None = None

    def pre_validate(self, form: Any) -> None:
        """Parse the text."""
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

    def __init__(self, **more: Any) -> None:
        super().__init__(longest=MOST_CUSTOM_RULES * DECOMPOSED * LONGEST_TEXT, **more)

    @property
    def lines(self) -> Sequence[str]:
        """Return the lines that are not blank; at most one more than is allowed, which validation then refuses."""
        lines = (line.strip() for line in (self.data or "").splitlines())
        return tuple(islice((line for line in lines if line), MOST_CUSTOM_RULES + 1))


@dataclass(frozen=True)
class ControlProblem:
    """A problem and the id of the control it belongs to; empty when it belongs to the form as a whole."""

    message: str
    id: str


def attach_problems(form: FlaskForm, problems: Iterable[Problem], names: Mapping[str, str] | None = None) -> None:
    """Add problems to the errors of the form's fields, those of no field to the form's own.

    `names` maps a problem's field to a form's field where they are called differently.
    """
    for problem in problems:
        head, index = str(problem.path[0]), problem.path[1] if len(problem.path) > 1 else None
        field = form._fields.get((names or {}).get(head, head))
        if isinstance(field, FieldList) and isinstance(index, int) and index < len(field.entries):
            _add(field.entries[index], problem.message)
        elif field is not None:
            _add(field, problem.message)
        else:
            form.form_errors.append(problem.message)


def in_form(text: str) -> str:
    """Return a text as a form shows it: empty where it was taken out with a deleted name."""
    return "" if is_removed(text) else text


def typed_over(typed: str, stored: str) -> str:
    """Return what a form's text becomes: one that was taken out stays so, unless something is typed."""
    return typed if typed.strip() or not is_removed(stored) else stored


def lines_over(typed: Sequence[str], stored: Sequence[str]) -> list[str]:
    """Return the lines of a form, with those that were taken out of the stored ones back in their places."""
    lines = [line for line in typed if not is_removed(line)]
    for place, line in enumerate(stored):
        if is_removed(line):
            lines.insert(place, line)
    return lines


def listed(form: FlaskForm) -> list[ControlProblem]:
    """List all problems of a form in the order of its fields, each with the id of its control."""
    problems = [ControlProblem(message, "") for message in form.form_errors]
    for field in form:
        if isinstance(field, FieldList):
            problems += [ControlProblem(str(message), entry.id) for entry in field.entries for message in entry.errors]
            messages = [message for message in field.errors if isinstance(message, str)]
        else:
            messages = [str(message) for message in field.errors]
        problems += [ControlProblem(message, field.id) for message in messages]
    return problems


def own_errors(field: object) -> list[str]:
    """List the errors of a field itself, without those of its entries."""
    return [message for message in getattr(field, "errors", ()) if isinstance(message, str)]


def _add(field: object, message: str) -> None:
    field.errors = [*field.errors, message]  # type: ignore[attr-defined]
