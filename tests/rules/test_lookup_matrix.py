"""Whatever is asked of any card under any rulebook: the clause answers that the rulebook's data names, or its silence.

The right answers are decided here from settings and ids of clauses, never by the look-up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import pytest

from referee.rules import settings
from referee.rules.cards import BLANK, DRAW_TWO, REVERSE, SKIP, WILD, WILD_DRAW_FOUR, Face
from referee.rules.decks import decks_of
from referee.rules.library import rulebooks
from referee.rules.lookup import look_up
from referee.rules.rulebook import Rulebook
from referee.rules.worths import group_of, text_worth

WORDINGS = {
    "worth": (
        "how many points is a {card}",
        "what is the {card} worth",
        "how much does a {card} score at the end",
    ),
    "count": (
        "how many {card} cards are in the box",
        "number of {card}s in the deck",
        "how often is a {card} in the pack",
    ),
    "effect": (
        "what does a {card} do",
        "explain the {card} card",
        "what happens when somebody plays a {card}",
    ),
    "when": (
        "when can I play a {card}",
        "may I play a {card} any time",
        "am I allowed to lay a {card} if another card fits",
    ),
    "turn": (
        "whose turn is it after a {card}",
        "who plays next after a {card}",
        "does the next player lose a turn after a {card}",
    ),
    "stack": (
        "can I stack a {card}",
        "may I answer a {card} with another one",
        "he played a {card} on me, can I put the same on top of it",
    ),
    "challenge": (
        "can I challenge a {card}",
        "may the {card} be chalenged",
        "I think he bluffed with the {card}, what can I do",
    ),
    "first": (
        "the first card turned over is a {card}",
        "what if we start with a {card}",
        "{card} as the first card",
    ),
    "last": (
        "can I go out on a {card}",
        "is a {card} allowed as the last card",
        "my last card was a {card}, did I win",
    ),
}
EFFECTS = {
    SKIP: ("skip", "skip-two"),
    REVERSE: ("reverse", "reverse-two"),
    DRAW_TWO: ("draw-two-effect",),
    WILD: ("wild-effect",),
    WILD_DRAW_FOUR: ("draw-four-effect",),
    BLANK: ("special-cards",),
}
STARTS = {
    SKIP: ("start-skip",),
    REVERSE: ("start-reverse", "start-reverse-two"),
    DRAW_TWO: ("start-draw-two",),
    WILD: ("start-wild",),
    WILD_DRAW_FOUR: ("start-draw-four",),
}
STACKS = {DRAW_TWO: "stacking-draw-two", WILD_DRAW_FOUR: "stacking-draw-four", "draw-four": "stacking-draw-four"}
TELLS_TURN = {
    settings.CARD_SKIPS.name,
    "turn_after",
    "draw_two_turn",
    "draw_four_turn",
}


def cards_of(rulebook: Rulebook) -> list[Face]:
    """List the faces without a number in all decks of the rulebook's box that its text may speak of."""
    found = {face: face for deck in decks_of(rulebook.deck.id) for face in deck.faces if face.kind != "number"}
    of_classic = rulebook.deck.box == "classic"
    return [face for face in found if not (of_classic and face.is_extra and f"card-{face}" not in rulebook.clauses)]


def right(rulebook: Rulebook, face: Face, asked: str) -> set[str]:
    """Decide which clauses answer what is asked about a card; none where the rulebook is silent on it."""
    clauses = rulebook.clauses
    own = clauses[f"card-{face}"].settings if f"card-{face}" in clauses else {}
    draws = settings.CARD_DRAWS.name in own or face in (DRAW_TWO, WILD_DRAW_FOUR)
    challenged = face == WILD_DRAW_FOUR or own.get(settings.CHALLENGEABLE.name)
    effects = {id for id in EFFECTS.get(face, (f"card-{face}",)) if id in clauses}
    found: set[str] = set()
    match asked:
        case "worth":
            worth = text_worth(rulebook, face) or group_of(face)
            found = {worth.question}
        case "count":
            found = {"deck-composition"}
        case "effect":
            found = effects
        case "turn":
            found = {id for id in effects if TELLS_TURN & set(clauses[id].settings)}
        case "when":
            wild = {"draw-four-when"} if challenged else {"wild-when"}
            found = wild if face.is_wild else {"matching", "draw-two-on" if face == DRAW_TWO else ""}
            found = effects if face == BLANK else found
        case "stack" if draws:
            found = {STACKS.get(face, "stacking-mixed"), "stacking-mixed"}
        case "challenge":
            found = {"challenge-who"} if challenged else {"wild-caught"} if face == WILD else set()
        case "first":
            found = {*STARTS.get(face, (f"start-card-{face}",))} & set(clauses) or {"start-action"}
        case "last":
            goes_out = settings.GO_OUT_ON_ACTION.name in own
            found = {f"card-{face}"} if goes_out else {"last-card-action", "no-action-finish"}
            found |= {"last-card-draws"} if draws else {"round-end"} if own.get(settings.TURNS_OVER.name) else set()
    return found & set(clauses)


def questions_on_cards() -> Iterator[tuple[Rulebook, Face, str, str]]:
    for rulebook in rulebooks().values():
        for face in cards_of(rulebook):
            for asked, wordings in WORDINGS.items():
                for wording in wordings:
                    yield rulebook, face, asked, wording.format(card=face.label.lower())


def is_right(rulebook: Rulebook, face: Face, asked: str, query: str) -> bool:
    """Tell whether the first clause shown is the right one, or silence is said where there is none."""
    found, wanted = look_up(query, rulebook), right(rulebook, face, asked)
    if found.answered:
        return found.hits[0].clause.id in wanted
    return found.silent and not wanted


@pytest.fixture(scope="module")
def outcomes() -> dict[str, list[tuple[bool, str]]]:
    """Ask everything once, and sort what came out by what was asked."""
    found = defaultdict(list)
    for rulebook, face, asked, query in questions_on_cards():
        found[asked].append((is_right(rulebook, face, asked, query), f"{rulebook.id}: {query}"))
    return found


@pytest.mark.parametrize("asked", WORDINGS)
def test_what_is_asked_of_a_card_is_answered_by_its_clause(
    outcomes: dict[str, list[tuple[bool, str]]], asked: str
) -> None:
    wrong = [query for right, query in outcomes[asked] if not right]
    share = 1 - len(wrong) / len(outcomes[asked])
    print(f"{asked}: {share:.1%} of {len(outcomes[asked])}")  # noqa: T201 - read with -s: the matrix by column
    assert len(outcomes[asked]) >= 250
    assert share >= 0.97, wrong
