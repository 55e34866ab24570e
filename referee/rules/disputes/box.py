"""Check the cards of all facts together against their box."""

from collections.abc import Mapping, Sequence
from typing import Any

from referee.rules.books import settings
from referee.rules.books.rulebook import Rulebook, once_a_rulebook
from referee.rules.cards.cards import Card, Deck, side_name
from referee.rules.cards.decks import CLASSIC, decks_in_same_box
from referee.rules.disputes.facts import COLOR_IN_PLAY
from referee.rules.text.problem import Problem
from referee.rules.text.words import listed


@once_a_rulebook
def on_sale(rulebook: Rulebook) -> tuple[Deck, ...]:
    """List the decks that may lie on the table under a rulebook: all of its box, as many of each as are shuffled."""
    boxes = rulebook.value(settings.BOXES, 1)
    return tuple(deck.times(boxes) for deck in decks_in_same_box(rulebook.value(settings.DECK, CLASSIC)))


def beyond_deck(
    facts: Mapping[str, Any], decks: Sequence[Deck], at_table: Sequence[Card], counted_within: Sequence[str]
) -> list[Problem]:
    """Find cards in the facts that exceed the deck; without a match, every box on sale.

    `at_table` are cards that lie there besides, `counted_within` facts whose cards are among those of another.
    """
    held = {key: _cards_of(value) for key, value in facts.items() if key not in counted_within}
    together = [*at_table, *(card for cards in held.values() for card in cards)]
    if not any(held.values()):
        return []
    excess: list[dict[Card, int]] = []
    for deck in decks:
        excess.append(deck.excess(together))
        if not excess[-1]:
            return []
    return [
        Problem.said(
            ("facts", max(reversed(held), key=lambda key: held[key].count(card))),
            "named-over" if most else "named-none",
            card=card.label,
            n=most,
        )
        for card, most in min(excess, key=len).items()
    ]


def mixed_sides(facts: Mapping[str, Any], decks: Sequence[Deck]) -> list[Problem]:
    """Find cards, or a color, of different sides: of two-sided cards only one side is up at a time."""
    sides = [side for deck in decks for side in deck.sides.values()]
    told = {key: _cards_of(value) for key, value in facts.items()}
    color = facts.get(COLOR_IN_PLAY.key)

    def fits(side: Deck) -> bool:
        if color is not None and color not in {each.id for each in side.colors}:
            return False
        return not any(side.excess([card]) for cards in told.values() for card in cards)

    if not sides or any(fits(side) for side in sides):
        return []
    last = next((key for key in reversed(told) if told[key]), COLOR_IN_PLAY.key)
    return [Problem.said(("facts", last), "sides-mixed", sides=listed([*map(side_name, decks[0].sides)]))]


def _cards_of(value: object) -> list[Card]:
    """List the cards of a fact: one, several, or none."""
    if isinstance(value, Card):
        return [value]
    return [item for item in value if isinstance(item, Card)] if isinstance(value, tuple) else []
