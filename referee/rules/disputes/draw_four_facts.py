"""What is asked about a Wild Draw Four, and which answers contradict each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import MappingProxyType

from referee.rules.books.rulebook import Rulebook
from referee.rules.cards.cards import Deck
from referee.rules.disputes.base import Facts, Sample, Samples, example, named
from referee.rules.disputes.effects import challenged_faces, disputed_faces
from referee.rules.disputes.facts import TOP_CARD, Fact, card, cards, choice, number, yes_no
from referee.rules.disputes.hearing import Hearing
from referee.rules.disputes.play import color_contradictions, color_in_play, holds_color, holds_symbol, holds_wild
from referee.rules.text.problem import Problem
from referee.rules.text.words import either, line, listed

UNKNOWN = "unknown"
CHALLENGED = yes_no("challenged", "draw-four-challenge")
PLAYED = card("played", "draw-four-challenge", colored=False)
CHALLENGER = choice("challenger", "draw-four-challenge", ("target", "other"))
HAND = cards("hand", "draw-four-challenge")
HELD_COLOR = yes_no("held_color", "draw-four-challenge")
HELD_SYMBOL = yes_no("held_number_or_symbol", "draw-four-challenge")
HELD_WILD = yes_no("held_wild", "draw-four-challenge")
LAST_CARD = yes_no("last_card", "draw-four-challenge")
_COUNTED = number("total_so_far", "draw-four-challenge", range(2, 101))
TOTAL: Fact[int | str] = Fact(
    _COUNTED.key,
    _COUNTED.words,
    "number",
    lambda value: UNKNOWN if value == UNKNOWN else _COUNTED.parse(value),
    lambda total: (line(f"{_COUNTED.words}.unknown"),) if isinstance(total, str) else _COUNTED.says(total),
    answers=((4, f"{_COUNTED.words}.label-4"), (UNKNOWN, f"{_COUNTED.words}.label-unknown")),
)
"""What a stack comes to whose last card is challenged."""
HELD = (HELD_COLOR, HELD_SYMBOL, HELD_WILD)


def contradictions(facts: Facts) -> Iterable[Problem]:
    """Find facts that contradict each other."""
    hand, top, color = facts.get("hand"), facts.get("top_card"), facts.get("color_in_play")
    yield from color_contradictions(facts)
    if facts.get("last_card") and (hand or any(facts.get(fact.key) for fact in HELD)):
        yield Problem.said(("facts", "last_card"), "last-card-and-hand")
    if facts.get("last_card") is False and hand == ():
        yield Problem.said(("facts", "last_card"), "last-card-empty-hand")
    if hand is None:
        return
    in_play = color or (top.color if top else None)
    shown = {
        "held_color": None if in_play is None else holds_color(hand, in_play),
        "held_number_or_symbol": None if top is None else holds_symbol(hand, top),
        "held_wild": holds_wild(hand),
    }
    for key, is_so in shown.items():
        if key in facts and is_so is not None and facts[key] is not is_so:
            yield Problem.said(("facts", key), "hand-says-yes" if is_so else "hand-says-no")


def impossible(facts: Facts, rulebook: Rulebook, decks: Sequence[Deck]) -> Iterable[Problem]:
    """Find a challenger who cannot be there: with two players there is only the next one."""
    played, faces = facts.get("played"), challenged_faces(rulebook)
    if played is not None and faces and played.face not in faces:
        named = listed([face.label for face in faces], either)
        yield Problem.said(("facts", "played"), "no-challenged-card", cards=named, card=played.label)
    two = facts.get("players") == 2 or rulebook.players == range(2, 3)
    if two and facts.get("challenger") == "other":
        yield Problem.said(("facts", "challenger"), "challenger-between-two")


def hand_is_known(hearing: Hearing) -> bool:
    """Return whether the table has told what the hand held."""
    return HAND.key in hearing.facts or is_last_card(hearing) or any(fact.key in hearing.facts for fact in HELD)


def is_last_card(hearing: Hearing) -> bool:
    """Return whether it was the last card."""
    if HAND.key in hearing.facts:
        return not hearing.ask(HAND)
    return LAST_CARD.key in hearing.facts and hearing.ask(LAST_CARD)


def held_color(hearing: Hearing) -> bool:
    """Return whether the hand held a card of the color in play."""
    if is_last_card(hearing):
        return False
    if HAND.key in hearing.facts:
        return holds_color(hearing.ask(HAND), color_in_play(hearing))
    return hearing.ask(HELD_COLOR)


def held_number_or_symbol(hearing: Hearing) -> bool:
    """Return whether the hand held a card of the top card’s number or symbol."""
    if is_last_card(hearing):
        return False
    if HAND.key in hearing.facts:
        return holds_symbol(hearing.ask(HAND), hearing.ask(TOP_CARD))
    return hearing.ask(HELD_SYMBOL)


def held_wild(hearing: Hearing) -> bool:
    """Return whether the hand held another wild."""
    if is_last_card(hearing):
        return False
    if HAND.key in hearing.facts:
        return holds_wild(hearing.ask(HAND))
    return hearing.ask(HELD_WILD)


SAMPLES: Samples = MappingProxyType(
    {
        PLAYED.key: lambda facts, rulebook: tuple(named(face) for face in disputed_faces(rulebook)),
        HAND.key: lambda facts, rulebook: (
            Sample(["red-1", "blue-9"], example("a-card-of-the-color-in-play")),
            Sample(["blue-5", "green-9"], example("a-card-of-the-same-number-or-symbol")),
            Sample(["wild", "blue-9"], example("another-wild")),
            Sample(["blue-9"], example("none-of-these")),
            Sample([], example("no-card")),
        ),
    }
)
