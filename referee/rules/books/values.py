"""What several settings say together: cards that a card makes someone draw, what a face counts, who plays first."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from referee.rules.books import settings
from referee.rules.books import settings as setting
from referee.rules.books.rulebook import Rulebook
from referee.rules.books.settings import FIRST_SITS, HIGHEST_CARD, OWN_FACES, Setting
from referee.rules.cards.cards import BLANK, DRAW_TWO, REVERSE, SKIP, WILD, WILD_DRAW_FOUR, Face

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


LEFT, RIGHT = 1, -1
"""Steps clockwise around the table."""


def steps_to_first(rulebook: Rulebook) -> int | None:
    """Return the steps clockwise from who opens the round to who plays first; None where the text doesn't say."""
    # who draws the highest card has one part, the player to the left has the other
    if rule := rulebook.find(HIGHEST_CARD):
        return RIGHT if rule[0] == "plays-first" else LEFT
    return LEFT if rulebook.find(FIRST_SITS) else None


_WORTH: Mapping[str, Setting[int]] = {
    **dict.fromkeys((SKIP, REVERSE, DRAW_TWO), setting.ACTION_POINTS),
    WILD: setting.WILD_POINTS,
    WILD_DRAW_FOUR: setting.WILD_DRAW_FOUR_POINTS,
    BLANK: setting.BLANK_POINTS,
    "wild-shuffle-hands": setting.SHUFFLE_HANDS_POINTS,
    "wild-customizable": setting.CUSTOMIZABLE_POINTS,
}
_FACE_POINTS = tuple(setting.FACE_POINTS.at(question) for question in sorted(setting.FACE_POINTS.carriers))
GROUP_POINTS = {setting.NUMBER_POINTS.name, *(group.name for group in _WORTH.values())}
"""The settings that give a whole group of faces its worth."""


def group_of(face: Face) -> Setting[Any]:
    """Find the setting with the value of a face's whole group."""
    if face.number is not None:
        return setting.NUMBER_POINTS
    return _WORTH.get(face, setting.ACTION_POINTS if face.is_action else setting.FACE_POINTS.at("points-special"))


def text_worth(rulebook: Rulebook, face: Face) -> Setting[Any] | None:
    """Find the setting with a face's value: its own, else its group's, else None."""
    for own in _FACE_POINTS:
        if face in rulebook.value(own, {}):
            return own
    group = group_of(face)
    return group if group not in _FACE_POINTS and rulebook.find(group) is not None else None


def note_on_worth(rulebook: Rulebook, face: Face) -> str:
    """Return what a rulebook remarks on the points of a face’s group, for a table that must agree on them."""
    clause = rulebook.clauses.get(group_of(face).question)
    return clause.reading if clause else ""
