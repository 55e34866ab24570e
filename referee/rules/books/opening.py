"""Where the first player sits, counted from whoever opens the round: the dealer, or who drafts first."""

from __future__ import annotations

from referee.rules.books.rulebook import Rulebook
from referee.rules.books.settings import FIRST_SITS, HIGHEST_CARD

LEFT, RIGHT = 1, -1
"""Steps clockwise around the table."""


def steps_to_first(rulebook: Rulebook) -> int | None:
    """Return the steps clockwise from who opens the round to who plays first; None where the text doesn't say."""
    # who draws the highest card has one part, the player to the left has the other
    if rule := rulebook.find(HIGHEST_CARD):
        return RIGHT if rule[0] == "plays-first" else LEFT
    return LEFT if rulebook.find(FIRST_SITS) else None
