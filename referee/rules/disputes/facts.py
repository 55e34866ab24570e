"""Facts: what a hearing may ask the table, and how an answer is read and checked, cards against their box."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Generic, Literal, TypeVar

from referee.rules.books import settings
from referee.rules.books.rulebook import TABLE_SIZES, Rulebook, once_a_rulebook
from referee.rules.cards.cards import Card, Deck, UnknownCard, color_name, side_name
from referee.rules.cards.decks import CLASSIC, decks, decks_in_same_box, parse_card
from referee.rules.text.problem import Problem
from referee.rules.text.words import Line, joined, line, listed, say_line

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
    """One question a hearing may ask: its key, where its words stand, and the answers it takes.

    `words` is its table in the catalogue, whose ``asked`` is the question; `parse` turns a JSON value or a word of an
    address into the fact, raising `WrongAnswer`; `says` puts an answer into the lines of the reasons.
    """

    key: str
    words: str
    kind: Kind
    parse: Callable[[object], T]
    says: Callable[[T], tuple[Line, ...]]
    answers: tuple[tuple[Any, str], ...] = ()
    """answers to choose from, each with the key of its label"""
    colored: bool = False
    """whether the color of a card may matter, so that a page asks for it"""
    quick: tuple[int, ...] = ()
    """numbers answered most, which a page offers to tap"""
    of_deck: Callable[[Deck], Fact[T]] | None = None
    """the same question of another box than the classic one, whose cards or colors are the answers"""
    say: Callable[[Line], str] = say_line
    """puts names, or parts, in the places for roles"""

    @property
    def text(self) -> str:
        """Return the question."""
        return self.say(line(f"{self.words}.asked"))

    @property
    def choices(self) -> tuple[tuple[Any, str], ...]:
        """Return the answers to choose from, each with its label."""
        return tuple((value, self.say(line(key))) for value, key in self.answers)

    def statement(self, value: T) -> str:
        """Return what an answer says in the reasons."""
        return " ".join(map(self.say, self.says(value)))

    def against(self, deck: Deck) -> Fact[T]:
        """Return the same question, taking the cards and colors of this deck's box for answers."""
        if self.of_deck is None or deck.box == decks()[CLASSIC].box:
            return self
        made = self.of_deck(deck)
        return replace(self, parse=made.parse, answers=made.answers)

    def worded(self, say: Callable[[Line], str]) -> Fact[T]:
        """Return the same question with names, or parts, in its places for roles (`Dispute.speaker`)."""
        return replace(self, say=say)

    def to_json(self) -> dict[str, Any]:
        """Return the question as the JSON interface has it."""
        return {
            "key": self.key,
            "text": self.text,
            "kind": self.kind,
            "choices": [{"value": value, "label": label} for value, label in self.choices],
        }


def words_of(key: str, dispute: str) -> str:
    """Return where the words of a fact stand in the catalogue."""
    return f"facts.{dispute}.{key}"


def yes_no(key: str, dispute: str) -> Fact[bool]:
    """Ask a yes-or-no question; `yes` and `no` in its table are the statements that go into the reasons."""
    words = words_of(key, dispute)
    known = {True: True, False: False, "yes": True, "no": False, "true": True, "false": False}

    def parse(value: object) -> bool:
        answer = known.get(value) if isinstance(value, bool | str) else None
        if answer is None:
            raise WrongAnswer(Problem.said((), "yes-or-no"))
        return answer

    def says(value: bool) -> tuple[Line, ...]:
        return (line(f"{words}.{'yes' if value else 'no'}"),)

    return Fact(key, words, "choice", parse, says, ((True, "facts.yes"), (False, "facts.no")))


def choice(key: str, dispute: str, choices: Sequence[str]) -> Fact[str]:
    """Ask for one of several values; its table has ``is-…`` with the statement and ``label-…`` for each."""
    words = words_of(key, dispute)

    def parse(value: object) -> str:
        if not isinstance(value, str) or value not in choices:
            raise WrongAnswer(Problem.said((), "choose", choices=", ".join(choices)))
        return value

    labels = tuple((value, f"{words}.label-{value}") for value in choices)
    return Fact(key, words, "choice", parse, lambda value: (line(f"{words}.is-{value}"),), labels)


def number(key: str, dispute: str, allowed: range, quick: tuple[int, ...] = ()) -> Fact[int]:
    """Ask for a whole number in a range; `quick` are those answered most."""
    words = words_of(key, dispute)

    def parse(value: object) -> int:
        if isinstance(value, str) and value.isdecimal() and value.isascii() and len(value) < 6:
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or value not in allowed:
            raise WrongAnswer(Problem.said((), "number-range", least=allowed[0], most=allowed[-1]))
        return value

    return Fact(key, words, "number", parse, lambda count: (line(f"{words}.said", n=count),), quick=quick)


def color(key: str, deck: Deck | None = None) -> Fact[str]:
    """Ask for one of the colors of a deck."""
    words = words_of(key, "any")
    colors = tuple(each.id for each in (deck or decks()[CLASSIC]).colors)

    def parse(value: object) -> str:
        if not colors:
            raise WrongAnswer(Problem.said((), "no-colors"))
        if not isinstance(value, str) or value not in colors:
            raise WrongAnswer(Problem.said((), "choose", choices=", ".join(colors)))
        return value

    return Fact(
        key,
        words,
        "color",
        parse,
        lambda value: (line(f"{words}.said", color=color_name(value)),),
        tuple((each, f"colors.{each}-label") for each in colors),
        of_deck=lambda deck: color(key, deck),
    )


def _read_card(value: object, colored: bool, deck: Deck | None) -> Card:
    if not isinstance(value, str):
        raise WrongAnswer(Problem.said((), "no-card"))
    try:
        return parse_card(value, deck or decks()[CLASSIC], colored=colored)
    except UnknownCard as error:
        raise WrongAnswer(Problem((), str(error))) from error


def card(
    key: str, dispute: str, *, colored: bool = True, or_bare: bool = False, deck: Deck | None = None
) -> Fact[Card]:
    """Ask for one card; `colored` asks for its color too, `or_bare` takes it without where it decides nothing."""
    words, needed = words_of(key, dispute), colored and not or_bare
    return Fact(
        key,
        words,
        "card",
        lambda value: _read_card(value, needed, deck),
        lambda value: (line(f"{words}.said", card=value.label),),
        colored=colored,
        of_deck=lambda deck: card(key, dispute, colored=colored, or_bare=or_bare, deck=deck),
    )


def cards(
    key: str,
    dispute: str,
    list_of: Callable[[Iterable[str]], str] = joined,
    *,
    or_bare: bool = False,
    deck: Deck | None = None,
) -> Fact[tuple[Card, ...]]:
    """Ask for several cards: a list, or in an address one text with commas between; `or_bare` as in `card`.

    What the table said of them may count them, as ``{n}``, and list them, as ``{cards}``.
    """
    words = words_of(key, dispute)

    def parse(value: object) -> tuple[Card, ...]:
        if isinstance(value, str):
            if len(value) > LONGEST_LIST:
                raise WrongAnswer(Problem.said((), "long-list", length=len(value), most=LONGEST_LIST))
            value = [part for part in value.replace(",", " ").split(" ") if part]
        if not isinstance(value, Sequence) or isinstance(value, bytes):
            raise WrongAnswer(Problem.said((), "no-cards"))
        if len(value) > LONGEST_HAND:
            raise WrongAnswer(Problem.said((), "long-hand", n=len(value), most=LONGEST_HAND))
        hand: list[Card] = []
        problems: list[Problem] = []
        for place, item in enumerate(value):
            try:
                hand.append(_read_card(item, not or_bare, deck))
            except WrongAnswer as wrong:
                problems += [problem.under(place) for problem in wrong.problems]
        if problems:
            raise WrongAnswer(*problems)
        return tuple(hand)

    def says(held: tuple[Card, ...]) -> tuple[Line, ...]:
        return (line(f"{words}.said", n=len(held), cards=listed([each.label for each in held], list_of)),)

    return Fact(
        key,
        words,
        "cards",
        parse,
        says,
        colored=True,
        of_deck=lambda deck: cards(key, dispute, list_of, or_bare=or_bare, deck=deck),
    )


# --- facts that several disputes ask -------------------------------------------------------------


def number_of_players(allowed: range) -> Fact[int]:
    """Ask how many play, as many as `allowed`."""
    return number("players", "any", allowed)


PLAYERS = number_of_players(TABLE_SIZES)
COLOR_IN_PLAY = color("color_in_play")
TOP_CARD = card("top_card", "any")


def plain(value: object) -> Any:
    """Write a fact as a JSON value: cards and colors as their text, several as a list."""
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if is_dataclass(value) and not isinstance(value, Card | type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    return value if value is None or type(value) in (bool, int) else str(value)


@once_a_rulebook
def on_sale(rulebook: Rulebook) -> tuple[Deck, ...]:
    """List the decks that may lie on the table under a rulebook: all of its box, as many of each as are shuffled."""
    boxes, sold = rulebook.value(settings.BOXES, 1), decks_in_same_box(rulebook.value(settings.DECK, CLASSIC))
    return sold if boxes == 1 else tuple(deck.times(boxes) for deck in sold)


def beyond_deck(
    facts: Mapping[str, Any], decks: Sequence[Deck], at_table: Sequence[Card], counted_within: Sequence[str]
) -> list[Problem]:
    """Find cards in the facts that exceed the deck; without a match, every box on sale.

    `at_table` are cards that lie there besides, `counted_within` facts whose cards are among those of another.
    """
    held = {key: _cards_of(value) for key, value in facts.items() if key not in counted_within}
    together = [*at_table, *(card for cards in held.values() for card in cards)]
    if not any(held.values()):
        return []
    excess: list[dict[Card, int]] = []
    for deck in decks:
        excess.append(deck.excess(together))
        if not excess[-1]:
            return []
    return [
        Problem.said(
            ("facts", max(reversed(held), key=lambda key: held[key].count(card))),
            "named-over" if most else "named-none",
            card=card.label,
            n=most,
        )
        for card, most in min(excess, key=len).items()
    ]


def mixed_sides(facts: Mapping[str, Any], decks: Sequence[Deck]) -> list[Problem]:
    """Find cards, or a color, of different sides: of two-sided cards only one side is up at a time."""
    sides = [side for deck in decks for side in deck.sides.values()]
    told = {key: _cards_of(value) for key, value in facts.items()}
    color = facts.get(COLOR_IN_PLAY.key)

    def fits(side: Deck) -> bool:
        if color is not None and color not in {each.id for each in side.colors}:
            return False
        return not any(side.excess([card]) for cards in told.values() for card in cards)

    if not sides or any(fits(side) for side in sides):
        return []
    last = next((key for key in reversed(told) if told[key]), COLOR_IN_PLAY.key)
    return [Problem.said(("facts", last), "sides-mixed", sides=listed([*map(side_name, decks[0].sides)]))]


def _cards_of(value: object) -> list[Card]:
    """List the cards of a fact: one, several, or none."""
    if isinstance(value, Card):
        return [value]
    return [item for item in value if isinstance(item, Card)] if isinstance(value, tuple) else []
