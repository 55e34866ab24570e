"""Find the clause on a card that only one box holds, where a query names the card."""

from __future__ import annotations

import re

from referee.rules.decks import own_faces
from referee.rules.lookup_words import tokens
from referee.rules.rulebook import Clause, Rulebook

NUMBERS = {"one": "1", "two": "2", "four": "4", "five": "5", "six": "6", "ten": "10"}
OTHER_MATTERS = re.compile(r"point|worth|score|challeng|bluff|stack|last|finish|\bout\b", re.IGNORECASE)
"""What shows that something else is asked about a card than what it does."""
FIRST_CARD = re.compile(r"\b(first|start|turned|begin)", re.IGNORECASE)
"""What shows that a card is asked about as the one turned over first."""


def card_clause(query: str, rulebook: Rulebook) -> Clause | None:
    """Find the clause on a card that only this box holds, by the longest name of one in the query."""
    words = [NUMBERS.get(word, word) for word in tokens(query)]
    asked = f" {' '.join(words)} "
    named = {face: " ".join(NUMBERS.get(word, word) for word in tokens(face.label)) for face in own_faces().values()}
    found = [face for face, name in named.items() if f" {name} " in asked and f"card-{face}" in rulebook.clauses]
    if not found or OTHER_MATTERS.search(query):
        return None
    face = max(found, key=lambda face: len(named[face]))
    first = rulebook.clauses.get(f"start-card-{face}") if FIRST_CARD.search(query) else None
    return first or rulebook.clauses[f"card-{face}"]
