"""Find the clause on a card that only one box holds, where a query names the card."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from referee.rules.boxes import boxes, home_of
from referee.rules.cards import Face
from referee.rules.decks import decks, own_faces
from referee.rules.library import further_questions
from referee.rules.lookup_words import tokens
from referee.rules.rulebook import Clause, Rulebook
from referee.rules.settings import (
    CARD_DRAWS,
    CHALLENGEABLE,
    DARE_INSTEAD,
    FACE_POINTS,
    GO_OUT_ON_ACTION,
    TURNS_DIRECTION,
    TURNS_OVER,
)
from referee.rules.worths import group_of

NUMBERS = {"one": "1", "two": "2", "four": "4", "five": "5", "six": "6", "ten": "10"}
MATTERS: Mapping[str, str] = MappingProxyType(
    {
        "worth": r"point|worth|\bscore|\bhow much\b|\b[1-9]0\b",
        "side": r"\bsides?\b.*\b(?:counts?|ends?)\b|\bcounts?\b.*\bside",
        "turns": r"\b(?:turn|flip)",
        "ends": r"\b(?:run|runs|running|ran) out|no more of|none left|exhaust",
        "guilty": r"\bcaught|\bwrong|illegal|guilty|\blied\b|cheat",
        "challenge": r"challeng|bluff|innocent",
        "allowed last": r"\b(?:can|may|allowed|legal)\b.*(?:\blast\b|finish|\bout on\b|\bgo out\b)",
        "last": r"\blast\b|finish|\bout on\b|\b(?:go|goes|going|went) out\b",
        "stack": r"stack|answer",
        "on": r"\bon (?:an?|the|top|my|his|her|it)\b",
        "out": r"\bout\b",
        "list": r"\blists?\b",
        "two": r"\breverse with (?:two|2)\b",
        "first": r"\b(?:first|start|turned|begin)",
        "when": r"\bwhen (?:can|may|am|do|is)\b|\b(?:(?:can|may) (?:i|you|we)|allowed to) (?:play|lay|use|put)\b",
    }
)
"""What may be asked about a card besides what it does, and what shows it, tried in this order."""
AS_A_VERB = r"\b(?:i|you|we|they|he|she|must|to|can|may|should|only|just) draw (?=\d)"
"""What shows that “draw 1” is no card's name."""
SIDE = ("side", "sides")
"""How people call the sides of cards."""


@dataclass(frozen=True, slots=True)
class Named:
    """A thing that only some boxes hold: its names in a query, and the clause for what is asked about it.

    `matters` has for some of `MATTERS` the id of a clause, there or not, or None where the words decide what is meant;
    `does` is the clause for everything else.
    """

    names: tuple[str, ...]
    does: str
    matters: Mapping[str, str | None]


def card_question(query: str, rulebook: Rulebook) -> str | None:
    """Find the question about a card that only this box holds, or about its sides, by the longest name in the query."""
    asked = f" {_in_figures(query)} "
    for title in _titles():
        asked = asked.replace(f" {title} ", " ")
    asked = re.sub(AS_A_VERB, "", asked)
    found = {
        one: max(map(len, said))
        for one, thing in enumerate(of_box(rulebook))
        if (said := [name for name in thing.names if f" {name} " in asked])
    }
    if not found:
        return None
    meant = of_box(rulebook)[max(found, key=found.__getitem__)]
    for matter, shows in MATTERS.items():
        if matter in meant.matters and re.search(shows, query, re.IGNORECASE):
            return meant.matters[matter]
    return meant.does


def of_box(rulebook: Rulebook) -> tuple[Named, ...]:
    """List what only the box of this rulebook holds."""
    spoken = (face for face in own_faces().values() if f"card-{face}" in rulebook.clauses)
    cards = tuple(Named(tuple(_names(face, rulebook)), f"card-{face}", _matters(face, rulebook)) for face in spoken)
    cards += tuple(_rules(rulebook, {name for card in cards for name in card.names}))
    if not rulebook.deck.sides or "special-cards" not in rulebook.clauses:
        return cards
    turning = next((id for id, clause in rulebook.clauses.items() if clause.settings.get(TURNS_OVER.name)), None)
    return (*cards, Named(SIDE, "special-cards", {"worth": "round-end", "side": "round-end", "turns": turning}))


def _rules(rulebook: Rulebook, taken: set[str]) -> Iterator[Named]:
    """Find rules of this box by a name said of it only, as “mercy rule”, in the title of a clause that few have."""
    home = home_of(rulebook)
    said = [name for name in boxes()[home].tells if " " in name and name not in taken] if home else []
    for clause in rulebook.clauses.values():
        title = f" {_in_figures(clause.title)} "
        if clause.id in further_questions() and (names := tuple(name for name in said if f" {name} " in title)):
            yield Named(names, clause.id, {"worth": None})


def _matters(face: Face, rulebook: Rulebook) -> Mapping[str, str | None]:
    """Say which clause answers what may be asked about a card; what its box has no clause for is left to the words."""
    clauses = rulebook.clauses
    worth = _clause_on_worth(face, rulebook)
    settled = clauses[f"card-{face}"].settings
    draws, challenged = settled.get(CARD_DRAWS.name), settled.get(CHALLENGEABLE.name)
    last = "last-card-draws" if draws and "last-card-draws" in clauses else "last-card-action"
    turns = settled.get(TURNS_OVER.name)
    last = "round-end" if turns else last
    last_words = {"allowed last": "last-card-action", "last": last} if "last-card-action" in clauses else {}
    if GO_OUT_ON_ACTION.name in settled:
        last_words = dict.fromkeys(("allowed last", "last"), f"card-{face}")
    first = f"start-card-{face}"
    begins = {"first": first if first in clauses or "start-action" not in clauses else "start-action"}
    reverses = settled.get(TURNS_DIRECTION.name) and not draws and "reverse-two" in clauses
    when = "draw-four-when" if challenged else None if face.is_wild else "matching"
    return {
        "worth": worth.id if worth else None,
        **({"side": "round-end"} if turns else {}),
        **({"ends": f"card-{face}"} if draws == "until-color" else {}),
        "guilty": "challenge-guilty" if challenged else None,
        "challenge": None,
        **last_words,
        **({} if last_words else {"last": None}),
        "stack": None,
        "on": "matching" if not face.is_wild and "stacking-mixed" not in clauses else None,
        "out": None,
        **({"list": "special-cards"} if settled.get(DARE_INSTEAD.name) else {}),
        **({"two": "reverse-two"} if reverses else {}),
        **begins,
        **({"when": when} if when and when in clauses else {}),
    }


@cache
def _titles() -> tuple[str, ...]:
    """List the boxes' names, which may have a card's name in them."""
    titles = (" ".join(tokens(deck.box_title)) for deck in decks().values())
    return tuple(dict.fromkeys(title for title in titles if " " in title))


def cards_document(rulebook: Rulebook) -> list[dict[str, Any]]:
    """Write for a phone what each of these is called, and the ids of the clauses that speak of it."""
    return [
        {"names": list(thing.names), "does": thing.does, "matters": dict(thing.matters)} for thing in of_box(rulebook)
    ]


def patterns_document() -> dict[str, Any]:
    """Write for a phone how it is heard what is asked about a card."""
    return {"numbers": NUMBERS, "matters": dict(MATTERS), "titles": list(_titles()), "as_a_verb": AS_A_VERB}


def _names(face: Face, rulebook: Rulebook) -> list[str]:
    """Give what a card is called, and what its clause's title says after a colon that it does."""
    does = rulebook.clauses[f"card-{face}"].title.partition(": ")[2]
    return [_in_figures(label) for label in (*_labels(face), *([does] if does else []))]


def _in_figures(text: str) -> str:
    return " ".join(NUMBERS.get(word, word) for word in tokens(text))


def _labels(face: Face) -> tuple[str, ...]:
    """Give what a card is called: a wild also without that word, where no other card is called so."""
    short = face.label.removeprefix("Wild ")
    taken = len(tokens(short)) < 2 or any(short == other.label for deck in decks().values() for other in deck.faces)
    return (face.label,) if taken else (face.label, short)


def _clause_on_worth(face: Face, rulebook: Rulebook) -> Clause | None:
    """Find the clause that says what a card is worth, of its own or with its group."""
    for clause in rulebook.clauses.values():
        points = clause.settings.get(FACE_POINTS.name)
        if isinstance(points, Mapping) and face in points:
            return clause
    return rulebook.clauses.get(group_of(face).question)
