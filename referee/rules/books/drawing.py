"""How many cards a card makes someone draw, by the clauses of a rulebook."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from referee.rules.books import settings
from referee.rules.books.rulebook import Rulebook
from referee.rules.books.settings import OWN_FACES, Setting
from referee.rules.cards.cards import DRAW_TWO, WILD_DRAW_FOUR

DRAWS_OF: Mapping[str, Setting[int]] = MappingProxyType(
    {DRAW_TWO: settings.DRAW_TWO_DRAWS, WILD_DRAW_FOUR: settings.DRAW_FOUR_DRAWS}
)
"""The settings of the faces that most boxes share; others have a clause of their own."""


def has_launcher(rulebook: Rulebook) -> bool:
    """Return whether whoever draws presses a launcher, which fires any number of cards."""
    return rulebook.value(settings.DRAW_UNIT, "cards") == "presses"


def number_drawn(rulebook: Rulebook, face: str) -> int:
    """Look up how many cards a face makes someone draw; 0 where the text has no number for it."""
    if face in OWN_FACES:
        drawn = rulebook.value(settings.CARD_DRAWS.at(f"card-{face}"), 0)
        return drawn if isinstance(drawn, int) else 0
    of_all = DRAWS_OF.get(face)
    return 0 if of_all is None else rulebook.value(of_all, 0)
