"""Rulebooks that nobody wrote: each of those there are with a few clauses taken away or settled otherwise."""

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from hypothesis import strategies as st

from referee.rules.books.controls import Control, controls
from referee.rules.books.library import rulebooks
from referee.rules.books.rulebook import Clause, Rulebook
from referee.rules.own.rulebook import OwnRulebook
from referee.rules.text.problem import Impossible

EVERY = tuple(control for clause in controls().values() for control in clause.values())
MOST_CHANGES = 3


def values(control: Control) -> st.SearchStrategy[Any]:
    """Draw what a setting can be, as far as its control allows."""
    numbers = st.integers(control.least, control.most)
    words = [choice.value for choice in control.choices]
    if control.kind == "yes-no":
        return st.booleans()
    if control.kind == "one-of":
        return st.sampled_from(words)
    if control.kind == "several":
        return st.lists(st.sampled_from(words), unique=True)
    if control.kind == "numbers":
        return st.lists(numbers, max_size=3)
    if control.kind == "by-face":
        return st.dictionaries(st.sampled_from(["skip", "wild", "flip", "7"]), numbers, min_size=1, max_size=3)
    if control.kind == "by-players":
        return numbers | st.dictionaries(st.sampled_from(["2", "3", "4"]), numbers, min_size=1, max_size=3)
    return numbers | st.sampled_from(words) if words else numbers


@dataclass(frozen=True)
class Otherwise:
    """What is played otherwise than a text has it: clauses taken away, and settings by clause."""

    base: str
    without: tuple[str, ...]
    changes: tuple[tuple[Control, Any], ...]

    def own(self) -> OwnRulebook:
        """Write it as a table's own rulebook, but for what contradicts the rest."""
        taken = {id: dict.fromkeys(controls()[id]) for id in self.without if id in controls()}
        document: dict[str, Any] = {"title": "Ours", "base": self.base, "changes": taken}
        for control, value in self.changes:
            document["changes"].setdefault(control.clause, {})[control.name] = value
        while True:
            try:
                return OwnRulebook.read(document)
            except Impossible as error:
                for problem in error.problems:
                    head, clause, *name = problem.path
                    assert head == "changes", problem
                    document["changes"].get(clause, {}).pop(name[0] if name else "", None)

    def rulebook(self) -> Rulebook:
        """Write it as another edition of the text itself, contradictions and all."""
        base = rulebooks()[self.base]
        clauses = {id: clause for id, clause in base.clauses.items() if id not in self.without}
        for control, value in self.changes:
            clause = clauses.get(control.clause) or Clause(control.clause, "playing", control.label, control.label, "")
            settled = MappingProxyType({**clause.settings, control.name: value})
            clauses[control.clause] = replace(clause, text=control.meaning(value), settings=settled)
        return replace(base, clauses=MappingProxyType(clauses))


@st.composite
def otherwise(draw: st.DrawFn) -> Otherwise:
    """Draw a text, clauses of it to be taken away, and settings to be changed."""
    base = draw(st.sampled_from([*rulebooks()]))
    without = draw(st.lists(st.sampled_from([*rulebooks()[base].clauses]), max_size=MOST_CHANGES, unique=True))
    changed = draw(st.lists(st.sampled_from(EVERY), max_size=MOST_CHANGES, unique_by=lambda control: control.id))
    return Otherwise(base, tuple(without), tuple((control, draw(values(control))) for control in changed))
