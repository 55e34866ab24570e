"""The clauses of a table's own rulebook: rules in its own words, and those that its settings change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from referee.rules import library
from referee.rules.controls import controls
from referee.rules.rulebook import Clause
from referee.rules.words import say

TOPIC = "house-rules"
"""Where a rule of the table's own stands unless it says otherwise."""


@dataclass(frozen=True, slots=True)
class OwnClause:
    """A rule in the table's own words."""

    text: str
    title: str = ""
    topic: str = TOPIC

    def to_document(self) -> str | dict[str, str]:
        """Write the rule: its text alone where it has nothing else."""
        rest = {"title": self.title} if self.title else {}
        rest |= {"topic": self.topic} if self.topic != TOPIC else {}
        return rest | {"text": self.text} if rest else self.text


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that a table plays differently, as the base says it and as the table does; None where that is open."""

    clause: str
    base: Clause | None
    own: Clause | None


def changed_clause(base: Clause | None, id: str, settings: Mapping[str, object]) -> Clause | None:
    """Return a clause as the table plays it; None where it settles nothing any more."""
    offered = controls()[id]
    said = dict(base.settings) if base else {}
    kept = {name: value for name, value in (said | dict(settings)).items() if value is not None}
    if not kept:
        return None
    question = library.every_question()[id]
    return Clause(
        id=id,
        topic=question.topic,
        title=next(offered[name].label for name in offered if name in settings),
        text=" ".join(offered[name].say(kept[name]) for name in offered if name in kept),
        cite=say("own.cite"),
        settings=MappingProxyType(kept),
        replaces=base,
    )
