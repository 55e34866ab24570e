"""Find the clause on a card that only one box holds, where a query names the card."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from referee.rules.cards import Face
from referee.rules.decks import decks, own_faces
from referee.rules.lookup_words import tokens
from referee.rules.rulebook import Clause, Rulebook
from referee.rules.settings import ACTION_POINTS, FACE_POINTS

NUMBERS = {"one": "1", "two": "2", "four": "4", "five": "5", "six": "6", "ten": "10"}
OTHER_MATTERS = re.compile(
    r"point|worth|score|challeng|bluff|stack|last|finish|answer|\bout\b|\bon (?:an?|the|top|my|his|her|it)\b",
    re.IGNORECASE,
)
"""What shows that something else is asked about a card than what it does."""
OF_WORTH = re.compile(r"point|worth|\bscore", re.IGNORECASE)
"""What shows that the points of a card are asked about."""
FIRST_CARD = re.compile(r"\b(first|start|turned|begin)", re.IGNORECASE)
"""What shows that a card is asked about as the one turned over first."""


def card_clause(query: str, rulebook: Rulebook) -> Clause | None:
    """Find the clause on a card that only this box holds, or on its worth, by the longest name of one in the query."""
    asked = f" {_in_figures(query)} "
    names = {face: _names(face) for face in own_faces().values() if f"card-{face}" in rulebook.clauses}
    found = {
        face: max(map(len, said)) for face, each in names.items() if (said := [n for n in each if f" {n} " in asked])
    }
    if not found:
        return None
    face = max(found, key=found.__getitem__)
    if OF_WORTH.search(query):
        return _clause_on_worth(face, rulebook)
    if OTHER_MATTERS.search(query):
        return None
    first = rulebook.clauses.get(f"start-card-{face}") if FIRST_CARD.search(query) else None
    return first or rulebook.clauses[f"card-{face}"]


def cards_document(rulebook: Rulebook) -> list[dict[str, Any]]:
    """Write for a phone what each of these cards is called, and the ids of the clauses that speak of it."""
    spoken = [face for face in own_faces().values() if f"card-{face}" in rulebook.clauses]
    worth = {face: _clause_on_worth(face, rulebook) for face in spoken}
    return [
        {
            "names": _names(face),
            "does": f"card-{face}",
            "first": f"start-card-{face}" if f"start-card-{face}" in rulebook.clauses else None,
            "worth": clause.id if (clause := worth[face]) else None,
        }
        for face in spoken
    ]


def patterns_document() -> dict[str, Any]:
    """Write for a phone how it is heard what is asked about a card."""
    return {
        "numbers": NUMBERS,
        "of_worth": OF_WORTH.pattern,
        "other_matters": OTHER_MATTERS.pattern,
        "first_card": FIRST_CARD.pattern,
    }


def _names(face: Face) -> list[str]:
    return [_in_figures(label) for label in _labels(face)]


def _in_figures(text: str) -> str:
    return " ".join(NUMBERS.get(word, word) for word in tokens(text))


def _labels(face: Face) -> tuple[str, ...]:
    """Give what a card is called: a wild also without that word, where no other card is called so."""
    short = face.label.removeprefix("Wild ")
    taken = len(tokens(short)) < 2 or any(short == other.label for deck in decks().values() for other in deck.faces)
    return (face.label,) if taken else (face.label, short)


def _clause_on_worth(face: Face, rulebook: Rulebook) -> Clause | None:
    """Find the clause that says what a card is worth, of its own or with its group."""
    for clause in rulebook.clauses.values():
        points = clause.settings.get(FACE_POINTS.name)
        if isinstance(points, Mapping) and face in points:
            return clause
    return None if face.is_wild else rulebook.clauses.get(ACTION_POINTS.question)


def clause_by_name(query: str, rulebook: Rulebook, names: Iterable[str]) -> Clause | None:
    """Find the clause that has one of these names of more words than one in its title, as the query has it."""
    asked = f" {' '.join(tokens(query))} "
    said = [name for name in names if " " in name and f" {name} " in asked]
    titles = {f" {' '.join(tokens(clause.title))} ": clause for clause in rulebook.clauses.values()}
    return next((clause for title, clause in titles.items() if any(f" {name} " in title for name in said)), None)
