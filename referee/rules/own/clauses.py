"""The clauses of a table's own rulebook: rules in its own words, and those that its settings change."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from referee.rules.books import library
from referee.rules.books.controls import Control, controls
from referee.rules.books.rulebook import Clause, Rulebook, frozen
from referee.rules.text.words import RuleText, say

TOPIC = "house-rules"
"""Where a rule of the table's own stands unless it says otherwise."""
UNTITLED = "Rule {n}"
"""What is frozen as the title of one without: no sentence of a catalogue, so that rewording that loses none."""


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
    settled = dict(base.settings) if base else {}
    kept = {name: value for name, value in (settled | dict(settings)).items() if value is not None}
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
    return " ".join(offered[name].meaning(settings[name]) for name in offered if name in settings)


def as_read(rulebook: Rulebook) -> Rulebook:
    """Return any rulebook in the language spoken: published, frozen, or a table's own, worded from its settings."""
    spoken = library.in_language(rulebook)
    known = library.published().get(rulebook.base)
    if spoken is rulebook or known is None:
        return spoken
    book = spoken.without_house_rules()
    clauses = {id: _own(clause, known) for id, clause in book.clauses.items()}
    base = library.rulebooks()[known.id]
    count = sum(clauses[id] is not clause for id, clause in book.clauses.items()) + len(spoken.in_force)
    left_out = known.clauses.keys() - clauses.keys()  # or not in the base yet, so that nobody knows how many
    key = "own.changes-some" if left_out else "own.changes" if count else "own.changes-no"
    return replace(
        book,
        clauses=MappingProxyType(clauses),
        sentence=RuleText(book.sentence, say(key, base=base.title, n=count)),
        source=RuleText(book.source, say("own.source", base=base.title, source=base.source))
        if known.source in book.source
        else book.source,
    ).with_house_rules(spoken.in_force)


def _own(clause: Clause, known: Rulebook) -> Clause:
    """Return a clause in the words of the language spoken if it is the table's own.

    One may have come from elsewhere with settings that nothing can be said of: it then says what it came with.
    """
    number = clause.id.removeprefix("own-")
    if number != clause.id:
        numbered = clause.title == UNTITLED.format(n=number)
        title = RuleText(frozen(clause.title), say("own.rule", n=number)) if numbered else frozen(clause.title)
        return replace(clause, title=title, text=frozen(clause.text), cite=RuleText(clause.cite, say("own.cite")))
    if clause.replaces is None and clause.id in known.clauses:
        return clause
    offered = controls().get(clause.id, {})
    before = clause.replaces.settings if clause.replaces else {}
    label = next((offered[n].label for n in offered if clause.settings.get(n) != before.get(n)), None)
    right = all(not offered[name].problem(value) for name, value in clause.settings.items() if name in offered)
    return replace(
        clause,
        title=RuleText(frozen(clause.title), label),
        text=RuleText(frozen(clause.text), (right and _said(offered, clause.settings)) or None),
        cite=RuleText(clause.cite, say("own.cite")),
    )
