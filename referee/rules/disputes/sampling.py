"""The answers with which a hearing is walked where a fact has no choices, in the cards of the box on the table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from referee.rules.books.rulebook import Rulebook
from referee.rules.cards.cards import BLANK, Card, Deck
from referee.rules.cards.decks import CLASSIC, decks
from referee.rules.disputes.base import Dispute, Facts, Sample, Samples, example
from referee.rules.disputes.box import beyond_deck, on_sale
from referee.rules.disputes.facts import COLOR_IN_PLAY, PLAYERS, TOP_CARD, Fact, WrongAnswer
from referee.rules.text.words import begun

COMMON_SAMPLES: Samples = MappingProxyType(
    {
        PLAYERS.key: lambda _, book: (
            Sample(2, example("two"), exact=True),
            Sample(max(3, book.players.start), example("three-or-more")),
        ),
        TOP_CARD.key: lambda facts, rulebook: (Sample("red-5", example("a-colored-card")),),
        COLOR_IN_PLAY.key: lambda facts, rulebook: (Sample("red", example("the-color-in-play")),),
    }
)


def samples_of(
    dispute: Dispute, rulebook: Rulebook, fact: Fact[Any], facts: Facts, deck: Deck | None = None
) -> tuple[Sample, ...]:
    """List the answers to walk: all choices, or the samples of the dispute, or those common to all.

    Answers that cannot be true beside those given before are left out, and cards that the `deck` on the table, or
    every deck of the box, does not hold; where one of several decks is played with, also cards of two decks at once.
    """
    here = (deck,) if deck else on_sale(rulebook)
    named = {**COMMON_SAMPLES, **dispute.samples}.get(fact.key)
    if named is None:
        every = tuple(Sample(value, label) for value, label in fact.choices)
    else:
        every = tuple(_of_box(named(facts, rulebook), fact, here))
    if not every and fact.kind == "cards":
        every = (Sample([str(rulebook.deck.faces[0])], example("any-cards")),)

    def is_possible(sample: Sample) -> bool:
        if fact.key == PLAYERS.key and not dispute.any_players and sample.value not in rulebook.players:
            return False
        told = {**facts, fact.key: fact.parse(sample.value)}
        if len(here) > 1 and beyond_deck(told, here, (), dispute.counted_within):
            return False
        return not any(dispute.problems(told, rulebook))

    return tuple(filter(is_possible, every))


def _of_box(samples: Iterable[Sample], fact: Fact[Any], here: Sequence[Deck]) -> Iterator[Sample]:
    """Translate samples, which are of the classic box, to another: its colors, and its own faces for an extra card."""
    if here[0].box == decks()[CLASSIC].box:
        yield from samples
        return
    faces = {face for deck in here for face in deck.faces}
    for sample in samples:
        for other in _translated(sample, here):
            with suppress(WrongAnswer):  # a card that this box doesn't hold
                answer = fact.parse(other.value)
                if not isinstance(answer, Card) or answer.face in faces:
                    yield other


def _translated(sample: Sample, here: Sequence[Deck]) -> Iterator[Sample]:
    if sample.value != BLANK:
        classic = decks()[CLASSIC].colors
        colors = {old.id: new.id for old, new in zip(classic, here[0].colors, strict=False)}
        value = _recolored(sample.value, colors)
        if not colors and isinstance(value, list) and value:  # of such hands only the wilds are in this box
            value = [card for card in value if card in here[0].faces]
        if value or not sample.value:
            yield replace(sample, value=value)
        return
    extra = (card for deck in reversed(here) for card in reversed(tuple(deck.cards)) if card.face.is_extra)
    for card in {card.face: card for card in extra}.values():
        yield Sample(str(card), begun(f"{card.label:a}"), exact=True)


def _recolored(value: Any, colors: Mapping[str, str]) -> Any:
    """Write every color and card in a JSON value with the color that stands in its place."""
    if isinstance(value, str):
        color, hyphen, face = value.partition("-")
        return f"{colors[color]}{hyphen}{face}" if color in colors else value
    if isinstance(value, list):
        return [_recolored(item, colors) for item in value]
    if isinstance(value, dict):
        return {key: _recolored(item, colors) for key, item in value.items()}
    return value
