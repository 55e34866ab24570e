"""Which question of a hearing a query asks, and of which cards: may this one be the last, go on that one, …?

Cards are known by their names in the catalogue. What is asked of them the model tells: it hears the question with a
classic card in place of one that few boxes hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from referee.rules.books.library import searched
from referee.rules.books.rulebook import Rulebook
from referee.rules.cards.cards import DRAW_TWO, REVERSE, SKIP, WILD, WILD_DRAW_FOUR, Face
from referee.rules.disputes.effects import draw_faces, faces_of
from referee.rules.disputes.points import STACKS, Point, hear_point
from referee.rules.lookup.model import UNSURE, Model
from referee.rules.lookup.query import Vocabulary, tokens
from referee.rules.text.words import speaking

CLASSIC = {"+2": DRAW_TWO, "+4": WILD_DRAW_FOUR, "wild": WILD, "skip": SKIP, "reverse": REVERSE}
"""The faces that players have words of their own for, by what the vocabulary calls them."""

PLAIN_NUMBER = "5"
"""A number of which no rulebook says anything of its own."""


def points_asked(query: str, rulebook: Rulebook | None, words: Vocabulary, model: Model) -> list[Point]:
    """Return what a hearing says of a query under each rulebook searched, the leading one first; empty if none can.

    Where no rulebook leads, those that decide it come first.
    """
    books = list(searched(rulebook).values())
    asked = _asked(query, books[0], words, model)
    points = [point for book in books if asked and (point := hear_point(*asked, book))]
    if rulebook:
        return points if points and points[0].rulebook is books[0] else []
    return sorted(points, key=lambda point: point.allowed is None)


def _asked(query: str, book: Rulebook, words: Vocabulary, model: Model) -> tuple[str, tuple[Face, ...]] | None:
    """Return what is asked of which card; or of two draw cards, the one played first, then the one under it."""
    typed, drawing = words.corrected(query), draw_faces(book)
    places = words.places_of(typed, card_names(faces_of(book), words))
    named = [place for place in places if place.card.number is None] or places
    for place in reversed(named):
        if place.card.is_extra or place.card.number is not None:
            typed[place.start : place.end] = [_alike(place.card, words, draws=place.card in drawing)]
    asked = words.hear(" ".join(typed))
    likely = {} if asked.elsewhere or not 0 < len(named) <= 2 else model.likelihoods(asked.features)
    target = next(iter(likely), "")
    if not likely or likely[target] < UNSURE:
        return None
    cards = tuple(place.card for place in named)
    alike = len(set(cards)) == 1
    if target not in STACKS:
        return (target, cards) if alike else None
    if not set(cards) <= {*drawing} or not (alike or any(place.is_under for place in named)):
        return None
    return target, cards if named[-1].is_under else cards[::-1]


@lru_cache(maxsize=64)
def card_names(faces: tuple[Face, ...], words: Vocabulary) -> Mapping[str, Face]:
    """Return the names of cards as a query is compared: players' words for classic ones, and those of the catalogue."""
    by_id = {str(face): face for face in faces}
    names = {phrase: by_id[id] for phrase, card in words.names.items() if (id := CLASSIC.get(card, "")) in by_id}
    with speaking(words.language):
        return names | {" ".join(words.stems_of(tokens(face.label))): face for face in faces}


def _alike(face: Face, words: Vocabulary, *, draws: bool) -> str:
    """Return a name of the classic card that a question on this one would be asked of alike."""
    if face.number is not None:
        return PLAIN_NUMBER
    if draws:
        return "+4" if face.is_wild else "+2"
    like: str = WILD if face.is_wild else SKIP
    return next(phrase for phrase, card in words.names.items() if card == like)
