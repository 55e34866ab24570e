"""The rule card: what a table argues about most, settled on one screen before the first deal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from referee.rules.books.library import rulebooks
from referee.rules.books.rulebook import HouseRule, Rulebook
from referee.rules.books.settings import STACKS_UPWARD
from referee.rules.scoring.terms import Terms
from referee.rules.text.words import joined
from referee.web.page.match_wording import terms_parts
from referee.web.words import say

CARD_LINES = {
    "rule-card.points": ("who-scores",),
    "rule-card.draw-four": ("draw-four-when",),
    "rule-card.challenge-won": ("challenge-guilty",),
    "rule-card.challenge-lost": ("challenge-innocent",),
    "rule-card.uno": ("uno-deadline", "uno-penalty"),
    "rule-card.stacking": ("stacking-draw-two",),
    "rule-card.knock-out": ("mercy-rule",),
    "rule-card.last-card": ("last-card-draws",),
}
"""What tables argue about most, in the order of the rule card, and the questions that settle it."""


@dataclass(frozen=True)
class RuleCard:
    """What everybody agrees on before the first deal, on one screen."""

    title: Sequence[str]
    worths: Sequence[tuple[str, str]]
    """what cards count, and the points"""
    lines: Sequence[tuple[str, str]]
    """each with its title"""
    house_rules: Sequence[HouseRule]
    custom_rules: Sequence[str]


def rule_card(terms: Terms) -> RuleCard:
    """Put the rule card together from the clauses in force and what the table added."""
    clauses = terms.rulebook.clauses
    settled = {**CARD_LINES}
    if terms.rulebook.value(STACKS_UPWARD, False):  # one clause then speaks of all draw cards
        settled["rule-card.stacking"] = (STACKS_UPWARD.question,)
    lines = [
        (say(title), " ".join(clauses[id].text for id in answered))
        for title, questions in settled.items()
        if (answered := [id for id in questions if id in clauses])
    ]
    deck, effect = terms.full_deck.name, terms.blank_effect
    return RuleCard(
        title=terms_parts(terms),
        worths=_worths(terms),
        lines=[
            *lines,
            (say("rule-card.deck"), say("rule-card.blanks", deck=deck, effect=effect) if effect else deck),
        ],
        house_rules=[terms.rulebook.house_rules[id] for id in terms.rulebook.in_force],
        custom_rules=(*_own_rules(terms.rulebook), *terms.custom_rules),
    )


def _own_rules(rulebook: Rulebook) -> list[str]:
    """List what a table's own rulebook changes, as far as the rule card doesn't say it elsewhere."""
    base = rulebooks().get(rulebook.base)
    elsewhere = {id for questions in CARD_LINES.values() for id in questions}
    changed = (
        clause
        for clause in rulebook.clauses.values()
        if base and not clause.house_rule and (clause.replaces or clause.id not in base.clauses)
    )
    return [clause.text for clause in changed if clause.id not in elsewhere and not clause.id.startswith("points-")]


def _worths(terms: Terms) -> list[tuple[str, str]]:
    """Return what cards count, the least first, faces of the same worth together."""
    if terms.count == "rounds":
        return [(say("rule-card.each-round"), "1")]
    points = terms.card_points()
    numbers = {face: worth for face, worth in points.items() if face.number is not None}
    lines = []
    if numbers and all(worth == face.number for face, worth in numbers.items()):
        lines, numbers = [(say("rule-card.numbers"), say("rule-card.as-printed"))], {}
    elif len(numbers) > 1 and len(set(numbers.values())) == 1:
        lines, numbers = [(say("rule-card.numbers"), str(next(iter(numbers.values()))))], {}
    groups: dict[int, list[str]] = {}
    for face, worth in points.items():
        if face.number is None or face in numbers:
            groups.setdefault(worth, []).append(face.label)
    return lines + [(joined(labels), str(worth)) for worth, labels in sorted(groups.items())]
