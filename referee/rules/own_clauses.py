"""The clauses of a table's own rulebook: rules in its own words, and those that its settings change."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from referee.rules import library
from referee.rules.controls import Control, controls
from referee.rules.rulebook import Clause, Rulebook
from referee.rules.words import ENGLISH, say, speaking

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
        text=_said(offered, kept),
        cite=say("own.cite"),
        settings=MappingProxyType(kept),
        replaces=base,
    )


def _said(offered: Mapping[str, Control], settings: Mapping[str, object]) -> str:
    return " ".join(offered[name].say(settings[name]) for name in offered if name in settings)


def words_of_clause(clause: Clause) -> Sequence[str]:
    """List what a clause of a table's own may say that the table didn't write, in the language spoken.

    A house rule that a published rulebook offers says that much of its source, too.
    An imported clause may have settings that nothing could be said of: it then says what it came with.
    """
    with speaking(ENGLISH):
        is_own = clause.cite == say("own.cite")
    if not is_own:
        return (say("own.agreed"),)
    offered = controls().get(clause.id, {})
    right = all(not offered[name].problem(value) for name, value in clause.settings.items() if name in offered)
    return (
        say("own.cite"),
        say("own.rule", n=clause.id.removeprefix("own-")),
        _said(offered, clause.settings) if right else "",
        *(control.label for control in offered.values()),
    )


def words_of_rulebook(rulebook: Rulebook) -> Sequence[str]:
    """List what a table's own rulebook may say of itself, in the language spoken."""
    base = library.rulebooks().get(rulebook.base)
    if base is None:
        return ()
    with speaking(ENGLISH):
        count = re.search(r" (\d{1,4}) \D*$", rulebook.sentence)  # nothing else that is stored has it
    changes = say("own.changes", base=base.title, n=int(count[1])) if count else ""
    source = say("own.source", base=base.title, source=base.source)
    return say("own.changes-no", base=base.title), changes, source
