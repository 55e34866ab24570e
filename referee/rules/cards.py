"""Cards, their text form, and the decks they come in.

A card in text is its color and face, ``red-7`` or ``green-draw-two``; wild cards have no color.
Where a color does not matter (the leftovers of a round) the bare face is enough: ``7``, ``skip``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from types import MappingProxyType


class Color(StrEnum):
    """The four colors of the deck."""

    RED = "red"
    YELLOW = "yellow"
    GREEN = "green"
    BLUE = "blue"


class Face(StrEnum):
    """What is printed on a card, its color aside."""

    ZERO = "0"
    ONE = "1"
    TWO = "2"
    THREE = "3"
    FOUR = "4"
    FIVE = "5"
    SIX = "6"
    SEVEN = "7"
    EIGHT = "8"
    NINE = "9"
    SKIP = "skip"
    REVERSE = "reverse"
    DRAW_TWO = "draw-two"
    WILD = "wild"
    WILD_DRAW_FOUR = "wild-draw-four"
    BLANK = "blank"
    WILD_SHUFFLE_HANDS = "wild-shuffle-hands"
    WILD_CUSTOMIZABLE = "wild-customizable"

    @property
    def number(self) -> int | None:
        """Give the number printed on a number card, None for every other card."""
        return int(self.value) if self.value.isdecimal() else None

    @property
    def is_action(self) -> bool:
        """Tell whether this is a colored action card: Skip, Reverse or Draw Two."""
        return self in ACTION_FACES

    @property
    def is_wild(self) -> bool:
        """Tell whether cards with this face have no color of their own."""
        return self.number is None and self not in ACTION_FACES

    @property
    def label(self) -> str:
        """Name the face as it is said aloud: ``Draw Two``, ``7``."""
        return self.value.replace("-", " ").title()


ACTION_FACES = frozenset({Face.SKIP, Face.REVERSE, Face.DRAW_TWO})
COLORED_FACES = tuple(face for face in Face if not face.is_wild)


class UnknownCard(ValueError):
    """A text that names no card; its message says what would."""


@dataclass(frozen=True, order=True, slots=True)
class Card:
    """One card; `color` is None for wild cards and for a bare face whose color was not told."""

    face: Face
    color: Color | None = None

    def __post_init__(self) -> None:
        if self.face.is_wild and self.color is not None:
            raise UnknownCard(f"A {self.face.label} has no color; write “{self.face}”.")

    def __str__(self) -> str:
        return f"{self.color}-{self.face}" if self.color else str(self.face)

    @property
    def label(self) -> str:
        """Name the card as it is said aloud: ``red 7``, ``Wild Draw Four``."""
        return f"{self.color} {self.face.label}" if self.color else self.face.label

    @property
    def indefinite(self) -> str:
        """Name it as one of its kind: ``a red 7``, ``an 8``."""
        return f"{'an' if self.label == '8' else 'a'} {self.label}"

    @property
    def is_bare(self) -> bool:
        """Tell whether this is a colored face whose color was not told."""
        return self.color is None and not self.face.is_wild


LONGEST_CARD = 60
"""Characters of a card's text with the blanks around it; a longer text is refused before it is read."""


def parse_card(text: str, *, colored: bool = False) -> Card:
    """Read one card from its text form, letter case and outer blanks aside.

    `colored` asks for the color of every card that has one. Raises `UnknownCard`,
    whose message lists what is allowed.
    """
    word = text.strip().lower() if len(text) <= LONGEST_CARD else ""
    card = _CARDS_BY_TEXT.get(word)
    if card is None:
        raise UnknownCard(f"“{text[:40]}” is no card. {_CARDS_ARE}")
    if colored and card.is_bare:
        raise UnknownCard(f"“{word}” lacks its color; write “red-{card.face}” or another of {', '.join(Color)}.")
    return card


def _every_card() -> Iterable[Card]:
    for face in Face:
        yield Card(face)
        if not face.is_wild:
            yield from (Card(face, color) for color in Color)


_CARDS_ARE = (
    f"Cards are a color ({', '.join(Color)}) and a face joined by a hyphen, as in “red-7”; the faces are"
    f" {', '.join(COLORED_FACES)}; without a color: {', '.join(face for face in Face if face.is_wild)}."
)
_CARDS_BY_TEXT: Mapping[str, Card] = MappingProxyType({str(card): card for card in _every_card()})


@dataclass(frozen=True)
class Deck:
    """A box of cards: its id, a name for people, and how often each card is in it."""

    id: str
    title: str
    cards: Mapping[Card, int]

    @cached_property
    def size(self) -> int:
        """Count all cards."""
        return sum(self.cards.values())

    @cached_property
    def faces(self) -> tuple[Face, ...]:
        """List the faces in this deck, in the order of `Face`."""
        return tuple(face for face in Face if face in self._by_face)

    def face_count(self, face: Face) -> int:
        """Count the cards with this face, whatever their color."""
        return self._by_face[face]

    @cached_property
    def _by_face(self) -> Counter[Face]:
        counts: Counter[Face] = Counter()
        for card, count in self.cards.items():
            counts[card.face] += count
        return counts

    def times(self, boxes: int) -> Deck:
        """Shuffle several boxes of this deck together."""
        if boxes == 1:
            return self
        return Deck(
            self.id,
            f"{boxes} × {self.title}",
            MappingProxyType({card: count * boxes for card, count in self.cards.items()}),
        )

    def excess(self, cards: Iterable[Card]) -> dict[Card, int]:
        """Find the cards held more often than the deck has them.

        `cards` may mix colored cards and bare faces, which stand for any color left over.
        Returns how many there are at most for each such card; empty when the deck can give them all.
        """
        held = Counter(cards)
        over = {
            card: self.cards.get(card, 0)
            for card, count in held.items()
            if not card.is_bare and count > self.cards.get(card, 0)
        }
        for face in {card.face for card in held if card.is_bare}:
            together = sum(count for card, count in held.items() if card.face is face)
            if together > self.face_count(face):
                over[Card(face)] = self.face_count(face)
        return over


def _deck(id: str, title: str, extra: Mapping[Face, int]) -> Deck:
    cards: dict[Card, int] = {}
    for color in Color:
        for face in COLORED_FACES:
            cards[Card(face, color)] = 1 if face is Face.ZERO else 2
    cards[Card(Face.WILD)] = 4
    cards[Card(Face.WILD_DRAW_FOUR)] = 4
    cards |= {Card(face): count for face, count in extra.items()}
    return Deck(id, title, MappingProxyType(cards))


DECKS: Mapping[str, Deck] = MappingProxyType(
    {
        deck.id: deck
        for deck in (
            _deck("108", "108 cards", {}),
            _deck("112-blank", "112 cards with four blanks", {Face.BLANK: 4}),
            _deck(
                "112-special",
                "112 cards with Shuffle Hands and three Customizable",
                {Face.WILD_SHUFFLE_HANDS: 1, Face.WILD_CUSTOMIZABLE: 3},
            ),
        )
    }
)


@lru_cache(maxsize=64)  # a rulebook that came in from elsewhere may shuffle any number together
def deck_of(id: str, boxes: int = 1) -> Deck:
    """Look up a deck by its id, `boxes` of them shuffled together; raises KeyError for an unknown id."""
    return DECKS[id].times(boxes)
