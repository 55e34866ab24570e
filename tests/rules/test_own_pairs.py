"""Pairs of settings that a table changes together: none takes the other's effect away without a word."""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import permutations
from typing import Any

import pytest

from referee.rules.books.controls import Control, controls, required_face
from referee.rules.books.library import rulebooks
from referee.rules.disputes import DISPUTES, DISPUTES_BY_ID, read_facts, rule
from referee.rules.disputes.base import Dispute
from referee.rules.disputes.ruling import Ruling
from referee.rules.disputes.tree import every_hearing
from referee.rules.own.rulebook import OwnRulebook
from referee.rules.text.problem import Impossible

Change = tuple[str, str, Any]
"""Clause, setting and value."""
BASE = "official"
CARDS_AND_SEATS = ("players", "deck-size", "two-player-rest")
"""Clauses that say with how many people and which cards is played: what then cannot happen contradicts nothing."""
TRIED = 4
"""Cases of a change that are heard again before all are."""


def values(control: Control) -> Iterator[Any]:
    match control.kind:
        case "yes-no":
            yield from (True, False)
        case "one-of":
            yield from (choice.value for choice in control.choices)
        case "several":
            yield from ([], [choice.value for choice in control.choices])
        case "number" | "number-or-word":
            yield from (control.quick[:2] or (control.least, min(control.most, control.least + 2)))
            yield from (choice.value for choice in control.choices)


@cache
def own(*changes: Change) -> OwnRulebook | None:
    """Return the rulebook with these changes; None where it is refused."""
    by_clause: dict[str, dict[str, Any]] = {}
    for clause, name, value in changes:
        by_clause.setdefault(clause, {})[name] = list(value) if isinstance(value, tuple) else value
    try:
        return OwnRulebook.read({"title": "Ours", "base": BASE, "changes": by_clause})
    except Impossible:
        return None


def single_changes() -> Iterator[Change]:
    base = rulebooks()[BASE]
    for clause, by_name in controls().items():
        for name, control in by_name.items():
            if clause in CARDS_AND_SEATS or (required_face(control) or base.deck.faces[0]) not in base.deck.faces:
                continue
            for value in values(control):
                change = (clause, name, tuple(value) if isinstance(value, list) else value)
                made = own(change)
                if made and made.changes:
                    yield change


@cache
def ends(id: str, *changes: Change) -> Mapping[tuple[Any, ...], tuple[Mapping[str, object], object]]:
    """Return how every hearing ends, by what was answered."""
    made = own(*changes)
    book = made.rulebook() if made else rulebooks()[BASE]
    return {
        tuple((key, repr(value)) for key, value in leaf.given.items()): (leaf.given, dict(leaf.ruling.outcome))
        for leaf in every_hearing(DISPUTES_BY_ID[id], book)
    }


def end(dispute: Dispute, facts: Mapping[str, object], *changes: Change) -> object:
    """Return how one case ends: its outcome, the question it stops at, or None where it cannot be."""
    made = own(*changes)
    book = made.rulebook() if made else rulebooks()[BASE]
    try:
        heard = rule(dispute, book, read_facts(dispute, book, facts), asking=True)
    except Impossible:
        return None
    return dict(heard.outcome) if isinstance(heard, Ruling) else heard.key


@cache
def matters(id: str) -> Mapping[Change, list[Mapping[str, object]]]:
    """Return the changes that matter alone in a dispute, each with the cases that it ends otherwise."""
    base, found = ends(id), {}
    for change in single_changes():
        alone = ends(id, change)
        if alone != base:
            found[change] = [given for key, (given, outcome) in alone.items() if base.get(key) != (given, outcome)]
    return found


def has_no_effect(dispute: Dispute, change: Change, other: Change) -> bool:
    """Return whether a change ends no hearing of a dispute otherwise beside the other one."""
    differing = matters(dispute.id).get(change, [])
    some = differing[:: max(1, len(differing) // TRIED)]
    if any(end(dispute, facts, change, other) != end(dispute, facts, other) for facts in some):
        return False
    return not differing or ends(dispute.id, change, other) == ends(dispute.id, other)


def named(change: Change) -> str:
    clause, name, value = change
    return f"{clause}.{name} = {value}"


@pytest.mark.parametrize("dispute", DISPUTES, ids=lambda dispute: dispute.id)
def test_what_takes_the_effect_of_another_setting_away_is_refused_or_asked_about(dispute: Dispute) -> None:
    unsaid = []
    for change, other in permutations(matters(dispute.id), 2):
        alike = change[:2] == other[:2] or ends(dispute.id, change) == ends(dispute.id, other)
        both = None if alike else own(change, other)
        if both and not both.warnings and all(has_no_effect(each, change, other) for each in (dispute, *DISPUTES)):
            unsaid.append(f"{named(change)} beside {named(other)}")
    assert "\n".join(unsaid) == ""
