"""Which question of a hearing a query asks, and of which cards: may this one be the last, go on that one, …?

Cards are known by their names in the catalogue. What is asked of them the model tells: it hears the question with a
classic card in place of one that few boxes hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from referee.rules.books.rulebook import Rulebook
from referee.rules.books.settings import STACKING
from referee.rules.cards.cards import DRAW_TWO, REVERSE, SKIP, WILD, WILD_DRAW_FOUR, Face
from referee.rules.disputes.effects import draw_faces, faces_of
from referee.rules.disputes.points import Point, hear_point
from referee.rules.lookup.model import UNSURE, Model
from referee.rules.lookup.query import Vocabulary, tokens
from referee.rules.text.words import speaking

CLASSIC = {"+2": DRAW_TWO, "+4": WILD_DRAW_FOUR, "wild": WILD, "skip": SKIP, "reverse": REVERSE}
"""The faces that players have words of their own for, by what the vocabulary calls them."""

PLAIN_NUMBER = "5"
"""A number of which no rulebook says anything of its own."""


def points_asked(
    query: str, rulebook: Rulebook | None, books: Iterable[Rulebook], words: Vocabulary, model: Model
) -> list[Point]:
    """Return what a hearing decides of a query under the leading rulebook; where it is silent, under the others too.

    Where none leads, the first that decides it does. Empty if the query asks no hearing.
    """
    asked = _asked(query, next(iter(books)), words, model)
    points: list[Point] = []
    for book in books if asked else ():
        point = asked and hear_point(*asked, book)
        if point and point.allowed is not None and not (rulebook and points):
            return [point]
        if point is None and book is rulebook:
            return []
        points += [point] if point else []
    return points


def _asked(query: str, book: Rulebook, words: Vocabulary, model: Model) -> tuple[str, tuple[Face, ...]] | None:
    """Return what is asked of which card; or of two draw cards, the one played first, then the one under it."""
    typed = words.corrected(query)
    places = words.places_of(typed, named_cards(book, words))
    named = [place for place in places if place.card.number is None] or places
    for place in reversed(named):
        if place.alike:
            typed[place.start : place.end] = [place.alike]
    asked = words.hear(" ".join(typed))
    likely = {} if asked.elsewhere or not 0 < len(named) <= 2 else model.likelihoods(asked.features)
    target = next(iter(likely), "")
    if not likely or likely[target] < UNSURE:
        return None
    cards = tuple(place.card for place in named)
    if len(set(cards)) > 1 and not (target in STACKING and any(place.is_under for place in named)):
        return None
    return target, cards if named[-1].is_under else cards[::-1]


@lru_cache(maxsize=64)
def named_cards(book: Rulebook, words: Vocabulary) -> Mapping[str, tuple[Face, str]]:
    """Return the names of a box's cards as a query is compared: players' words for classic ones, and the catalogue's.

    Each has the name of a card that a question on it would be asked of alike, empty for classic ones.
    """
    by_id = {str(face): face for face in faces_of(book)}
    names = {phrase: (by_id[id], "") for phrase, card in words.names.items() if (id := CLASSIC.get(card, "")) in by_id}
    with speaking(words.language):
        labels = {" ".join(words.stems_of(tokens(face.label))): face for face in by_id.values()}
    return names | {
        label: (face, _alike(face, words, draws=face in draw_faces(book))) for label, face in labels.items()
    }


def _alike(face: Face, words: Vocabulary, *, draws: bool) -> str:
    """Return a name of the classic card that a question on this one would be asked of alike, or an empty one."""
    if not face.is_extra:
        return "" if face.number is None else PLAIN_NUMBER
    if draws:
        return "+4" if face.is_wild else "+2"
    like: str = WILD if face.is_wild else SKIP
    return next(phrase for phrase, card in words.names.items() if card == like)
