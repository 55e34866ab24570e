"""Which setting gives a face its worth: one of its own, before that of the group it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.rules.books import settings as setting
from referee.rules.books.rulebook import Rulebook
from referee.rules.books.settings import Setting
from referee.rules.cards.cards import BLANK, DRAW_TWO, REVERSE, SKIP, WILD, WILD_DRAW_FOUR, Face

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
