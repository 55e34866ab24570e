"""A card as templates show it."""

from __future__ import annotations

from dataclasses import dataclass

from referee.rules.decks import parse_card


@dataclass(frozen=True)
class CardView:
    """A card in running text."""

    color: str
    face: str
    label: str


def tell_card(text: str) -> CardView:
    """Show a card that is written as in an entry."""
    card = parse_card(text)
    return CardView(card.color or "", card.face, card.label)
