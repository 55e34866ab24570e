"""Cards and the decks they come in; `referee.rules.cards.decks` reads which there are from `decks/*.toml`.

A card in text is its color and face, ``red-7`` or ``green-draw-two``; wild cards have no color.
Where a color does not matter (the leftovers of a round) the bare face is enough: ``7``, ``skip``.
At the end: totals typed instead of cards, and whether any cards make them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Final, Literal

from referee.rules.text.words import CATALOGUE, Name, name_of, say, translated

Kind = Literal["number", "action", "wild"]
KINDS: Final[tuple[Kind, ...]] = ("number", "action", "wild")

SKIP: Final = "skip"
REVERSE: Final = "reverse"
DRAW_TWO: Final = "draw-two"
WILD: Final = "wild"
WILD_DRAW_FOUR: Final = "wild-draw-four"
BLANK: Final = "blank"
CLASSIC_FACES: Final = frozenset({SKIP, REVERSE, DRAW_TWO, WILD, WILD_DRAW_FOUR})
"""The faces without a number that every classic box holds; what any other does, a text or the table must say."""


_AN = re.compile(r"[aeio]|8|1[18]\b", re.IGNORECASE)
"""How what takes “an” begins: orange 7, All Hit, 8, 11."""


def _name(called: str, gender: str) -> Name:
    """Return what a card is called, to be said in the forms of the table ``cards``: ``a red 7``, ``an 8``."""
    gender = gender or ("an" if _AN.match(called) else "")
    return Name(called, lambda form: say(f"cards.{form}", n=gender, card=called))


class Face(str):
    """What is printed on a card, its color aside: the id of a face, with what the deck says of it.

    An id means the same in every deck. `kind` is ``number``, ``action`` (colored) or ``wild`` (no color); `label` is
    said aloud, `short` fits a key, `sign` is the one to three characters drawn large where there is no picture.
    """

    kind: Kind
    sign: str
    _label: str
    _short: str

    def __new__(cls, id: str, kind: Kind, label: str = "", short: str = "", sign: str = "") -> Face:
        """Make a face; a number's id is its number, and all that is written on it."""
        face = super().__new__(cls, id)
        face.kind = kind
        face._label = label or id.replace("-", " ").title()
        face._short = "" if short == face._label else short
        face.sign = sign or id
        return face

    @property
    def label(self) -> Name:
        """Return what it is called in the language spoken."""
        return _name(translated("decks", f"faces.{self}.label", self._label), self.gender)

    @property
    def short(self) -> str:
        """Return what fits a key in the language spoken."""
        return translated("decks", f"faces.{self}.short", self._short) or self.label

    @property
    def gender(self) -> str:
        """Return the form that a language with genders has for this card; empty where there are none."""
        return CATALOGUE.sentences.get(f"genders.{'number' if self.kind == 'number' else self}", "")

    @property
    def number(self) -> int | None:
        """Return the number printed on a number card, None for every other card."""
        return int(self) if self.kind == "number" else None

    @property
    def is_action(self) -> bool:
        """Return whether this is a colored card without a number."""
        return self.kind == "action"

    @property
    def is_wild(self) -> bool:
        """Return whether cards with this face have no color of their own."""
        return self.kind == "wild"

    @property
    def is_extra(self) -> bool:
        """Return whether only some boxes hold it, so that no rule of the classic box speaks of it."""
        return self.kind != "number" and self not in CLASSIC_FACES


class UnknownCard(ValueError):
    """A text that names no card; its message says what would."""


def color_name(id: str) -> str:
    """Return a color by itself, as in “The color in play was red”."""
    return CATALOGUE.text(f"colors.{id}-noun")


def side_name(id: str) -> Name:
    """Return a side of the cards as it is said: ``light side``."""
    return name_of(f"sides.{id}")


@dataclass(frozen=True, order=True, slots=True)
class Card:
    """One card; `color` is None for wild cards and for a bare face whose color was not told."""

    face: Face
    color: str | None = None

    def __post_init__(self) -> None:
        if self.face.is_wild and self.color is not None:
            raise UnknownCard(say("problems.card-no-color", card=self.face.label, written=self.face))

    def __str__(self) -> str:
        return f"{self.color}-{self.face}" if self.color else str(self.face)

    @property
    def label(self) -> Name:
        """Return the card as one says it: ``red 7``, ``Wild Draw Four``."""
        gender, called = self.face.gender, str(self.face.label)
        if self.color is not None:
            color = CATALOGUE.text(f"colors.{self.color}", gender)
            called = say("cards.colored", n=gender, color=color, face=called)
        return _name(called, gender)

    @property
    def is_bare(self) -> bool:
        """Return whether this is a colored face whose color is unknown."""
        return self.color is None and not self.face.is_wild


@dataclass(frozen=True, slots=True)
class Color:
    """A color of a deck, and the shape that shows it to people who can't see colors."""

    id: str
    shape: str

    @property
    def label(self) -> str:
        """Return the color as a button: ``Red``."""
        return CATALOGUE.text(f"colors.{self.id}-label")


@dataclass(frozen=True)
class Deck:
    """A deck: its id, its title, and how often each card is in it.

    `box` is the id of the box on sale, of which there may be several decks, and `box_title` its name. Where the
    publisher prints no breakdown the deck is not `certain`: `cards` has the faces and colors there are, each as
    often as the whole box has cards. A deck printed on both sides has a deck for each of its `sides`; its own
    `cards` are then those of all sides. `editions` tells what its sheets say some of its cards are worth, where they
    differ.
    """

    id: str
    title: str
    cards: Mapping[Card, int]
    colors: tuple[Color, ...] = ()
    box: str = ""
    box_title: str = ""
    certain: bool = True
    printed_size: int = 0
    sides: Mapping[str, Deck] = field(default_factory=lambda: MappingProxyType({}))
    editions: str = ""
    boxes: int = 1

    @cached_property
    def size(self) -> int:
        """Count all cards."""
        return self.printed_size or sum(self.cards.values())

    @cached_property
    def faces(self) -> tuple[Face, ...]:
        """List the faces in this deck, in its order."""
        return tuple(dict.fromkeys(card.face for card in self.cards))

    def face_count(self, face: str) -> int:
        """Count the cards with this face, whatever their color; how many there are at most where that is uncertain."""
        return min(self._by_face[face], self.size)

    @cached_property
    def _by_face(self) -> Mapping[str, int]:
        counts: Counter[str] = Counter()
        for card, count in self.cards.items():
            counts[card.face] += count
        return counts

    def on(self, side: str | None) -> Deck:
        """Return the cards of one side of the deck; the whole deck without sides, or if no side is given."""
        return self.sides.get(side or "", self)

    def times(self, boxes: int) -> Deck:
        """Return the deck of several boxes shuffled together."""
        if boxes == 1:
            return self
        return replace(
            self,
            boxes=boxes,
            cards=MappingProxyType({card: count * boxes for card, count in self.cards.items()}),
            printed_size=self.printed_size * boxes,
            sides=MappingProxyType({id: side.times(boxes) for id, side in self.sides.items()}),
            editions="",
        )

    @property
    def name(self) -> str:
        """Return its title, with how many boxes there are of it."""
        return self.title if self.boxes == 1 else say("cards.boxes", n=self.boxes, title=self.title)

    def excess(self, cards: Iterable[Card]) -> dict[Card, int]:
        """Find cards held more often than the deck has them.

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
            together = sum(count for card, count in held.items() if card.face == face)
            if together > self.face_count(face):
                over[Card(face)] = self.face_count(face)
        return over

    def with_bare_faces(self) -> Iterator[Card]:
        """Return every card, and every colored face by itself."""
        yield from (Card(face) for face in self.faces)
        yield from (card for card in self.cards if card.color)


HIGHEST_TOTAL = 100_000
"""More than any hand is worth, and as high as a target may be."""
LONGEST_SUM = 200
_FACTORS = re.compile(r"\d{1,6}|[1-9]\d{0,5}[*×xX]\d{1,6}")


class NotATotal(ValueError):
    """A text that is not a sum of points; the message says what would be."""


def parse_total(text: str) -> int:
    """Read a typed total: a whole number or a sum such as ``20+20+50``, where ``3×20`` may stand for thrice 20.

    Raises `NotATotal`. Nothing is ever evaluated as code.
    """
    if len(text) > LONGEST_SUM:
        raise NotATotal(say("problems.total-long", most=LONGEST_SUM))
    compact = "".join(text.split())
    if not compact:
        raise NotATotal(say("problems.total-missing"))
    if compact[0] in "-−":
        raise NotATotal(say("problems.total-negative"))
    if re.search(r"\d[.,]\d", compact):
        raise NotATotal(say("problems.total-whole"))
    total = 0
    for part in compact.split("+"):
        if not _FACTORS.fullmatch(part):
            raise NotATotal(say("problems.total-unread", text=text.strip()[:40]))
        factors = [int(factor) for factor in re.split(r"[*×xX]", part)]
        total += factors[0] * (factors[1] if len(factors) > 1 else 1)
    if total > HIGHEST_TOTAL:
        raise NotATotal(say("problems.total-high", most=HIGHEST_TOTAL))
    return total


def makeable(worths: Iterable[int], cards: int | None = None) -> int:
    """Find every total that some of these cards make, or exactly `cards` of them.

    `worths` are the points of each single card there is. Returns a set of totals as bits: bit n is
    set when n can be made. (The subset-sum recurrence, one shift a card.)
    """
    if cards is None:
        sums = 1
        for worth in worths:
            sums |= sums << worth
        return sums
    by_count = [1] + [0] * cards
    for worth in worths:
        for count in range(cards, 0, -1):
            by_count[count] |= by_count[count - 1] << worth
    return by_count[cards]


def makeable_of_any(worths: Iterable[int], most: int, cards: int | None = None) -> int:
    """Find every total that up to `most` cards make, or exactly `cards`, each worth as often as needed."""
    each = set(worths)
    reached = sums = 1
    for _ in range(most if cards is None else cards):
        longer = 0
        for worth in each:
            longer |= sums << worth
        sums = longer
        reached |= sums
    return reached if cards is None else sums


def can_make(total: int, sums: int) -> bool:
    """Return whether `total` is among the sums that `makeable` found."""
    return 0 <= total < sums.bit_length() and bool(sums >> total & 1)


def nearest(total: int, sums: int) -> tuple[int, ...]:
    """Return the nearest makeable totals below and above, where they exist."""
    if not sums:
        return ()
    highest = sums.bit_length() - 1
    if total > highest:
        return (highest,)
    below = (sums & ((1 << total) - 1)).bit_length() - 1
    above = sums >> (total + 1)
    return tuple(
        near for near, there in ((below, below >= 0), (total + (above & -above).bit_length(), above > 0)) if there
    )
