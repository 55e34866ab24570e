"""Facts: what a hearing may ask the table, and how an answer is read and checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Generic, Literal, TypeVar

from referee.rules.cards import Card, Deck, UnknownCard
from referee.rules.decks import CLASSIC, decks, parse_card
from referee.rules.problem import Problem
from referee.rules.rulebook import TABLE_SIZES

T = TypeVar("T")
Kind = Literal["choice", "number", "card", "cards", "color"]
LONGEST_HAND = 108
"""More cards than any one deck leaves for a hand; longer lists are refused before they are read."""
LONGEST_LIST = 25 * LONGEST_HAND
"""Characters of a list of cards, or of who drew which, written as one text."""


class WrongAnswer(ValueError):
    """An impossible answer, with its problems; their paths start below the fact's key."""

    def __init__(self, *problems: Problem) -> None:
        self.problems = problems
        super().__init__("; ".join(problem.message for problem in problems))


@dataclass(frozen=True, slots=True)
class Fact(Generic[T]):
    """One question a hearing may ask: its key, its wording, and the answers it takes.

    `parse` turns a JSON value or a word of an address into the fact, raising `WrongAnswer`;
    `statement` puts an answer into the reasons.
    """

    key: str
    text: str
    kind: Kind
    parse: Callable[[object], T]
    statement: Callable[[T], str]
    choices: tuple[tuple[Any, str], ...] = ()
    verbatim: bool = False
    """whether the statement repeats the table's own words, which have no places to fill"""
    colored: bool = False
    """whether the color of a card may matter, so that a page asks for it"""
    quick: tuple[int, ...] = ()
    """numbers answered most, which a page offers to tap"""
    of_deck: Callable[[Deck], Fact[T]] | None = None
    """the same question of another box than the classic one, whose cards or colors are the answers"""

    def against(self, deck: Deck) -> Fact[T]:
        """Return the same question, taking the cards and colors of this deck's box for answers."""
        if self.of_deck is None or deck.box == decks()[CLASSIC].box:
            return self
        made = self.of_deck(deck)
        return replace(self, parse=made.parse, choices=made.choices)

    def worded(self, fill: Callable[[str], str]) -> Fact[T]:
        """Return the same question with names, or parts, in its places for roles (`Voice.fill`)."""
        return replace(
            self,
            text=fill(self.text),
            choices=tuple((value, fill(label)) for value, label in self.choices),
            statement=lambda value: self.say(value, fill),
        )

    def say(self, value: T, fill: Callable[[str], str]) -> str:
        """Put an answer into words, with names or parts for the roles in them."""
        said = self.statement(value)
        return said if self.verbatim else fill(said)

    def to_json(self) -> dict[str, Any]:
        """Return the question as the JSON interface has it."""
        return {
            "key": self.key,
            "text": self.text,
            "kind": self.kind,
            "choices": [{"value": value, "label": label} for value, label in self.choices],
        }


def yes_no(key: str, text: str, *, yes: str, no: str) -> Fact[bool]:
    """Ask a yes-or-no question; `yes` and `no` are the statements that go into the reasons."""
    words = {True: True, False: False, "yes": True, "no": False, "true": True, "false": False}

    def parse(value: object) -> bool:
        found = words.get(value) if isinstance(value, bool | str) else None
        if found is None:
            raise WrongAnswer(Problem.said((), "yes-or-no"))
        return found

    return Fact(key, text, "choice", parse, lambda value: yes if value else no, ((True, "Yes"), (False, "No")))


def choice(key: str, text: str, choices: Mapping[str, tuple[str, str]]) -> Fact[str]:
    """Ask for one of several values; `choices` gives each its label and statement."""

    def parse(value: object) -> str:
        if not isinstance(value, str) or value not in choices:
            raise WrongAnswer(Problem.said((), "choose", choices=", ".join(choices)))
        return value

    labels = tuple((value, label) for value, (label, _) in choices.items())
    return Fact(key, text, "choice", parse, lambda value: choices[value][1], labels)


def number(
    key: str, text: str, allowed: range, statement: Callable[[int], str], quick: tuple[int, ...] = ()
) -> Fact[int]:
    """Ask for a whole number in a range; `quick` are those answered most."""

    def parse(value: object) -> int:
        if isinstance(value, str) and value.isdecimal() and value.isascii() and len(value) < 6:
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or value not in allowed:
            raise WrongAnswer(Problem.said((), "number-range", least=allowed[0], most=allowed[-1]))
        return value

    return Fact(key, text, "number", parse, statement, quick=quick)


def color(key: str, text: str, statement: Callable[[str], str], deck: Deck | None = None) -> Fact[str]:
    """Ask for one of the colors of a deck."""
    colors = tuple(each.id for each in (deck or decks()[CLASSIC]).colors)

    def parse(value: object) -> str:
        if not colors:
            raise WrongAnswer(Problem.said((), "no-colors"))
        if not isinstance(value, str) or value not in colors:
            raise WrongAnswer(Problem.said((), "choose", choices=", ".join(colors)))
        return value

    return Fact(
        key,
        text,
        "color",
        parse,
        statement,
        tuple((each, each.title()) for each in colors),
        of_deck=lambda deck: color(key, text, statement, deck),
    )


def _read_card(value: object, colored: bool, deck: Deck | None) -> Card:
    if not isinstance(value, str):
        raise WrongAnswer(Problem.said((), "no-card"))
    try:
        return parse_card(value, deck or decks()[CLASSIC], colored=colored)
    except UnknownCard as error:
        raise WrongAnswer(Problem((), str(error))) from error


def card(
    key: str,
    text: str,
    statement: Callable[[Card], str],
    *,
    colored: bool = True,
    or_bare: bool = False,
    deck: Deck | None = None,
) -> Fact[Card]:
    """Ask for one card; `colored` asks for its color too, `or_bare` takes it without where it decides nothing."""
    needed = colored and not or_bare
    return Fact(
        key,
        text,
        "card",
        lambda value: _read_card(value, needed, deck),
        statement,
        colored=colored,
        of_deck=lambda deck: card(key, text, statement, colored=colored, or_bare=or_bare, deck=deck),
    )


def cards(
    key: str,
    text: str,
    statement: Callable[[tuple[Card, ...]], str],
    *,
    or_bare: bool = False,
    deck: Deck | None = None,
) -> Fact[tuple[Card, ...]]:
    """Ask for several cards: a list, or in an address one text with commas between; `or_bare` as in `card`."""

    def parse(value: object) -> tuple[Card, ...]:
        if isinstance(value, str):
            if len(value) > LONGEST_LIST:
                raise WrongAnswer(Problem.said((), "long-list", length=len(value), most=LONGEST_LIST))
            value = [part for part in value.replace(",", " ").split(" ") if part]
        if not isinstance(value, Sequence) or isinstance(value, bytes):
            raise WrongAnswer(Problem.said((), "no-cards"))
        if len(value) > LONGEST_HAND:
            raise WrongAnswer(Problem.said((), "long-hand", n=len(value), most=LONGEST_HAND))
        found: list[Card] = []
        problems: list[Problem] = []
        for place, item in enumerate(value):
            try:
                found.append(_read_card(item, not or_bare, deck))
            except WrongAnswer as wrong:
                problems += [problem.under(place) for problem in wrong.problems]
        if problems:
            raise WrongAnswer(*problems)
        return tuple(found)

    return Fact(
        key,
        text,
        "cards",
        parse,
        statement,
        colored=True,
        of_deck=lambda deck: cards(key, text, statement, or_bare=or_bare, deck=deck),
    )


# --- facts that several disputes ask -------------------------------------------------------------


def number_of_players(allowed: range) -> Fact[int]:
    """Ask how many play, as many as `allowed`."""
    text = "How many players are at the table?"
    return number("players", text, allowed, lambda count: f"{count} players are at the table.")


PLAYERS = number_of_players(TABLE_SIZES)
COLOR_IN_PLAY = color(
    "color_in_play", "Which color had to be matched?", lambda value: f"The color in play was {value}."
)
TOP_CARD = card(
    "top_card",
    "Which card was on top of the discard pile?",
    lambda value: f"On the discard pile was {value.indefinite}.",
)


def count_of(cards_held: tuple[Card, ...]) -> str:
    """Return how many cards a hand has, in words, so that the reasons never show the hand itself."""
    return {0: "no cards", 1: "one card"}.get(len(cards_held), f"{len(cards_held)} cards")


def plain(value: object) -> Any:
    """Write a fact as a JSON value: cards and colors as their text, several as a list."""
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if is_dataclass(value) and not isinstance(value, Card | type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    return value if value is None or type(value) in (bool, int) else str(value)
