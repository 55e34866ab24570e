"""The decks there are: one TOML file each in `decks/`, and how a card's text is read against them."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from referee.rules import RULES_FOLDER
from referee.rules.cards.cards import KINDS, Card, Color, Deck, Face, UnknownCard, side_name
from referee.rules.text.toml_files import Reader, ids_of
from referee.rules.text.words import cached_by_language, either, say, translated

HERE = RULES_FOLDER / "decks"
CLASSIC = "108"
"""The deck of a text that names none, and of a card that nobody says the deck of."""
SHAPES = ("circle", "square", "triangle", "diamond", "heart", "hexagon", "cross", "star")
LONGEST_SIGN = 3
MOST_CARDS = 500
"""More than any box on sale has; a larger number is a slip."""

_DECK_KEYS = frozenset(
    {"id", "title", "box", "box_title", "base", "cards", "certain", "cite", "editions", "sides", "colors", "faces"}
)
_COLOR_KEYS = frozenset({"id", "shape", "side"})
_FACE_KEYS = frozenset({"id", "numbers", "kind", "label", "short", "sign", "side", "each", "count"})


class _DeckReader(Reader):
    """Reads one deck, on top of those read before."""

    def __init__(self, path: Path, known: Mapping[str, Deck]) -> None:
        super().__init__(path)
        self.known_keys(self.document, _DECK_KEYS, "")
        self.base = known.get(self.text(self.document, "base", "", required=False))
        self.certain = self.document.get("certain") is not False
        self.size = self.whole(self.document, "cards", "") or 0
        self.sides = self.texts(self.document, "sides", "", 'words, as in ["light", "dark"]')
        if "base" in self.document and self.base is None:
            self.fault("", "base", "is no deck that is read before; put that file first in `ORDER`")
        if not isinstance(self.document.get("certain"), bool):
            self.fault("", "certain", "must be true or false: whether the publisher prints how many there are of each")

    def whole(self, table: Mapping[str, Any], key: str, where: str, *, required: bool = True) -> int | None:
        value = table.get(key)
        if value is None and not required:
            return None
        if type(value) is not int or not 1 <= value <= MOST_CARDS:
            self.fault(where, key, f"must be a whole number from 1 to {MOST_CARDS}")
            return None
        return value

    def sides_of(self, table: Mapping[str, Any], where: str) -> tuple[str, ...]:
        """Return on which sides a color or face stands: the one it names, else all."""
        side = self.text(table, "side", where, required=False)
        if side and side not in self.sides:
            allowed = f"must be one of {', '.join(self.sides)}" if self.sides else "is for a deck with `sides`"
            self.fault(where, "side", allowed)
        return (side,) if side else self.sides or ("",)

    def deck(self) -> Deck:
        """Put the deck together, its sides first where it has any."""
        id = self.text(self.document, "id", "")
        if id != Path(self.file).stem:
            self.fault("", "id", f"must be “{Path(self.file).stem}”, as the file is called")
        colors = self.colors()
        cards: dict[str, dict[Card, int]] = {side: {} for side in self.sides or ("",)}
        if self.base is not None:
            cards[""] = dict(self.base.cards)
        for item in self.tables(self.document, "faces", ""):
            for face in self.faces(item):
                for side in self.sides_of(item, face):
                    self.add(cards.setdefault(side, {}), face, item, colors.get(side, ()))
        for side, held in cards.items() if self.certain and not self.faults else ():
            if sum(held.values()) != self.size:
                of = f" on the {side} side" if side else ""
                self.fault("", "cards", f"is {self.size}, but the faces{of} add up to {sum(held.values())}")
        self.finish()
        sides = {side: self.make(id, cards[side], colors[side]) for side in self.sides}
        together: dict[Card, int] = {}
        for held in cards.values():
            together |= {card: max(count, together.get(card, 0)) for card, count in held.items()}
        return self.make(id, together, tuple(color for each in colors.values() for color in each), sides)

    def make(
        self, id: str, cards: Mapping[Card, int], colors: Iterable[Color], sides: Mapping[str, Deck] | None = None
    ) -> Deck:
        return Deck(
            id=id,
            title=self.text(self.document, "title", ""),
            cards=MappingProxyType(dict(cards)),
            colors=tuple(colors),
            box=self.base.box if self.base else self.text(self.document, "box", ""),
            box_title=self.base.box_title if self.base else self.text(self.document, "box_title", ""),
            certain=self.certain,
            printed_size=self.size,
            editions=self.text(self.document, "editions", "", required=False),
            sides=MappingProxyType(dict(sides or {})),
        )

    def colors(self) -> dict[str, tuple[Color, ...]]:
        by_side: dict[str, list[Color]] = {side: [] for side in self.sides or ("",)}
        if self.base is not None:
            by_side[""] = list(self.base.colors)
        for item in self.tables(self.document, "colors", ""):
            id = self.text(item, "id", "")
            self.known_keys(item, _COLOR_KEYS, id)
            shape = self.text(item, "shape", id)
            if shape not in SHAPES:
                self.fault(id, "shape", f"must be one of {', '.join(SHAPES)}")
            for side in self.sides_of(item, id):
                by_side.setdefault(side, []).append(Color(id, shape))
        return {side: tuple(colors) for side, colors in by_side.items()}

    def faces(self, item: Mapping[str, Any]) -> list[Face]:
        if "numbers" in item:
            self.known_keys(item, _FACE_KEYS - {"id", "kind", "label", "short", "sign"}, "numbers")
            numbers = item["numbers"]
            if isinstance(numbers, list) and all(type(each) is int and 0 <= each <= 99 for each in numbers):
                return [Face(str(number), "number") for number in numbers]
            self.fault("numbers", "numbers", "must be a list of whole numbers, as in [1, 2, 3]")
            return []
        id = self.text(item, "id", "")
        self.known_keys(item, _FACE_KEYS - {"numbers"}, id)
        kind = next((each for each in KINDS[1:] if each == item.get("kind")), None)
        sign = self.text(item, "sign", id)
        if kind is None:
            self.fault(id, "kind", "must be action or wild; numbers stand under `numbers`")
        if len(sign) > LONGEST_SIGN:
            self.fault(id, "sign", f"has {len(sign)} characters; at most {LONGEST_SIGN} fit")
        label, short = (self.text(item, key, id, required=False) for key in ("label", "short"))
        return [Face(id, kind or "action", label, short, sign)]

    def add(self, cards: dict[Card, int], face: Face, item: Mapping[str, Any], colors: Iterable[Color]) -> None:
        """Put the cards of one face into the deck: `each` of every color, or `count` of a wild."""
        key, other = ("count", "each") if face.is_wild else ("each", "count")
        count = self.whole(item, key, face, required=self.certain)
        if not self.certain and count is not None:
            self.fault(face, key, "must not stand where the counts are not certain; leave it out")
        if other in item:
            self.fault(face, other, f"belongs to {'a colored card' if face.is_wild else 'a wild'}; give `{key}`")
        if Card(face) in cards or any(card.face == face for card in cards):
            self.fault(face, "id", "stands twice in this deck")
        for color in (None,) if face.is_wild else [each.id for each in colors]:
            cards[Card(face, color)] = count or self.size
        if not face.is_wild and not tuple(colors):
            self.fault(face, "kind", "is colored, but the deck has no colors")


ORDER = (
    "108", "112-blank", "112-special", "112-swap",
    "flip", "no-mercy", "attack-1", "attack-2", "all-wild", "dare", "triple-play",
)  # fmt: skip
"""The decks that are offered first; any other file in the folder follows by its id."""
IDS = ids_of(HERE, ORDER)


def load_deck(path: Path, known: Mapping[str, Deck] = MappingProxyType({})) -> Deck:
    """Read one deck, which may add to one of those `known`; raises `BrokenRulebook` with every fault."""
    reader = _DeckReader(path, known)
    deck = reader.deck()
    known_faces = {face: face for other in known.values() for face in other.faces}
    for face in deck.faces:
        known_face = known_faces.get(face, face)
        if vars(known_face) != vars(face):
            reader.fault(face, "id", "means something else in another deck; one id is one face everywhere")
    reader.finish()
    return deck


@cached_by_language
def decks() -> Mapping[str, Deck]:
    """Return every deck by its id, in the order in which they are offered."""
    return MappingProxyType({id: _in_language(deck) for id, deck in _read().items()})


@cache
def _read() -> Mapping[str, Deck]:
    by_id: dict[str, Deck] = {}
    for id in IDS:
        by_id[id] = load_deck(HERE / f"{id}.toml", by_id)
    return MappingProxyType(by_id)


def _in_language(deck: Deck) -> Deck:
    first = next(each for each in _read().values() if each.box == deck.box)  # has what is said of the box
    return replace(
        deck,
        title=translated("decks", f"{deck.id}.title", deck.title),
        box_title=translated("decks", f"{first.id}.box_title", deck.box_title),
        editions=deck.editions and translated("decks", f"{deck.id}.editions", deck.editions),
        sides=MappingProxyType({side: _in_language(each) for side, each in deck.sides.items()}),
    )


@cache
def extra_faces() -> Mapping[str, Face]:
    """Return every face without a number that only some boxes hold, by its id."""
    extra = (face for deck in decks().values() for face in deck.faces if face.is_extra)
    return MappingProxyType({str(face): face for face in extra})


@cache
def own_faces() -> Mapping[str, Face]:
    """Return the faces without a number that only other boxes than the classic one hold, by id."""
    of_classic = {face for deck in decks_in_same_box(CLASSIC) for face in deck.faces}
    own = (face for deck in decks().values() for face in deck.faces if face.is_extra and face not in of_classic)
    return MappingProxyType({str(face): face for face in own})


def decks_in_same_box(deck: str) -> tuple[Deck, ...]:
    """List the decks that are sold as the same box as this one; raises KeyError for an unknown id."""
    box = decks()[deck].box
    return tuple(each for each in decks().values() if each.box == box)


def deck_of(id: str, boxes: int = 1) -> Deck:
    """Look up a deck by its id, `boxes` of them shuffled together; raises KeyError for an unknown id."""
    return decks()[id].times(boxes)


# --- cards as text -------------------------------------------------------------------------------

LONGEST_CARD = 60
"""Characters of a card's text with the blanks around it; a longer text is refused before it is read."""


@lru_cache(maxsize=64)
def _cards_of_box(box: str) -> Mapping[str, Card]:
    """Return every card of a box by its text, with bare faces; of all boxes for an empty id."""
    of_box = (deck for deck in decks().values() if box in ("", deck.box))
    return MappingProxyType({str(card): card for deck in of_box for card in deck.with_bare_faces()})


def face_named(id: str) -> Face:
    """Look up a face by its id, whatever box holds it; one that no box holds is taken for a wild of that name."""
    card = _cards_of_box("").get(id)
    return card.face if card else Face(id, "wild")


def is_face(id: str) -> bool:
    """Return whether some box holds a card with this face."""
    card = _cards_of_box("").get(id)
    return card is not None and card.face == id


def parse_card(text: str, deck: Deck | None = None, *, colored: bool = False) -> Card:
    """Read one card from its text form, letter case and outer blanks aside.

    With a `deck` it is a card of that box, whichever of its decks lies on the table, else of any box. `colored`
    asks for the color of every card that has one. Raises `UnknownCard`, whose message lists what is allowed.
    """
    word = text.strip().lower() if len(text) <= LONGEST_CARD else ""
    card = _cards_of_box(deck.box if deck else "").get(word)
    if card is None:
        raise UnknownCard(_unknown(text, word, deck or decks()[CLASSIC]))
    if colored and card.is_bare:
        colors = [each.id for each in (deck or decks()[CLASSIC]).colors]
        written = f"{colors[0]}-{card.face}"
        raise UnknownCard(say("problems.card-bare", card=word, written=written, colors=either(colors)))
    return card


def _unknown(text: str, word: str, deck: Deck) -> str:
    foreign = next((each for each in decks().values() if word in _cards_of_box(each.box)), None)
    if foreign is not None:
        return say("problems.card-of-other-box", card=word, other=foreign.box_title, box=deck.box_title)
    color, _, name = word.partition("-")
    if color in [each.id for each in deck.colors]:
        for id, side in deck.sides.items():
            face = next((face for face in side.faces if face == name and not face.is_wild), None)
            if face is not None:
                own = either(each.id for each in side.colors)
                return say(
                    "problems.card-color-other-side", color=color, card=face.label, side=side_name(id), colors=own
                )
    faces = dict.fromkeys(face for each in decks_in_same_box(deck.id) for face in each.faces)
    wilds, colored = [face for face in faces if face.is_wild], [face for face in faces if not face.is_wild]
    if not colored:
        return say("problems.card-unknown-wild", card=text[:40], wilds=either(wilds))
    colors = [each.id for each in deck.colors]
    example = f"{colors[0]}-{colored[-1] if '7' not in colored else '7'}"
    return say(
        "problems.card-unknown",
        card=text[:40],
        example=example,
        colors=either(colors),
        faces=either(colored),
        wilds=either(wilds),
    )
