"""A deck as clients get it: its sides and colors, and what each of its faces is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.rules.cards import Deck, Face


def deck_document(deck: Deck, points: Mapping[Face, int]) -> dict[str, Any]:
    """Write a deck, its faces worth these points; a face that stands on every side names none."""
    return {
        "id": deck.id,
        "cards": deck.size,
        "certain": deck.certain,
        "sides": list(deck.sides) or None,
        "colors": {side: [color.id for color in each.colors] for side, each in _sides(deck).items()},
        "faces": [
            {
                "id": str(face),
                "label": face.label,
                "sign": face.sign,
                "kind": face.kind,
                "side": _side(deck, face),
                "points": points.get(face),
                "count": max(each.face_count(face) for each in _sides(deck).values()) if deck.certain else None,
            }
            for face in deck.faces
        ],
    }


def _sides(deck: Deck) -> Mapping[str, Deck]:
    return deck.sides or {"": deck}


def _side(deck: Deck, face: Face) -> str | None:
    on = [side for side, each in _sides(deck).items() if face in each.faces]
    return on[0] if deck.sides and len(on) < len(deck.sides) else None
