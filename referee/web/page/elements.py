"""Small things that templates of several rooms draw: a card in running text, a link in a list."""

from __future__ import annotations

from dataclasses import dataclass

from referee.rules.decks import parse_card


@dataclass(frozen=True)
class CardView:
    """A card in running text."""

    color: str
    face: str
    label: str


@dataclass(frozen=True)
class Link:
    """A link with a title and a hint, as ``_partials/lists.html`` draws it."""

    title: str
    address: str
    hint: str = ""


def card_view(text: str) -> CardView:
    """Return the view of a card that is written as in an entry, such as ``red-7``."""
    card = parse_card(text)
    return CardView(card.color or "", card.face, card.label)
