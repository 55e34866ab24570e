"""What a table may decide where its rulebook is silent: choices to fill a clause in with, and the case heard again.

An open point is a question that no clause answers. A choice fills that clause in: as another rulebook has it, or as a
control of *Own rulebooks* offers it. The case is then heard again with the clause in the rulebook, so that orders,
sentences and reasons follow from one computation; what the rulebook says itself is never changed by it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from referee.rules.books.controls import Control, controls
from referee.rules.books.library import every_question, rulebooks
from referee.rules.books.rulebook import Clause, Rulebook
from referee.rules.disputes.facts import Fact
from referee.rules.disputes.ruling import OpenPoint, Role, Ruling
from referee.rules.text.problem import Impossible, Problem
from referee.rules.text.words import CATALOGUE

Settings = Mapping[str, Any]
Hear = Callable[..., Fact[Any] | Ruling]
"""Hears one case under a `rulebook`; takes what `referee.rules.disputes.deciding.rule` takes besides."""
MOST_DECISIONS = 10
"""Questions that one case leaves open at most, with room for settings given one by one."""
MOST_CHOICES = 8
"""Choices offered for a question; anything else is said in words."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a table decided on an open point: settings of the clause that is missing, or `text` in its own words."""

    clause: str
    settings: Settings = field(default_factory=dict)
    text: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the decision as the JSON interface has it."""
        said = {"text": self.text} if self.text else {"settings": dict(self.settings)}
        return {"clause": self.clause, **said}

    def say(self) -> str:
        """Return what was decided, in whole sentences; empty where its settings have no words."""
        known = controls().get(self.clause, {})
        said = (known[name].meaning(value) for name, value in self.settings.items() if name in known)
        return self.text or " ".join(filter(None, said))


@dataclass(frozen=True, slots=True)
class ClauseChoice:
    """A decision that is offered: in words, what follows from it, and the `books` that have it so."""

    decision: Decision
    label: str
    heard: Fact[Any] | Ruling
    books: list[str]

    def to_json(self) -> dict[str, Any]:
        """Return the choice as the JSON interface has it; where one more fact matters, the summary names it."""
        said = {"settings": dict(self.decision.settings), "label": self.label, "as": self.books}
        if isinstance(self.heard, Fact):
            return said | {"summary": CATALOGUE.say("verdicts.depends-on", question=self.heard.text), "orders": []}
        return said | {"summary": self.heard.summary, "orders": [order.to_json() for order in self.heard.orders]}


def fill_in(rulebook: Rulebook, decisions: Iterable[Decision]) -> Rulebook:
    """Return the rulebook with the clauses that decisions fill in; words fill in nothing."""
    for decision in decisions:
        if not decision.text:
            rulebook = rulebook.with_decision(_clause(decision.clause, decision.settings, decision.say()))
    return rulebook


def _clause(id: str, settings: Settings, text: str = "") -> Clause:
    question = every_question()[id]
    cite = CATALOGUE.text("decisions.cite")
    return Clause(id, question.topic, question.text, text or question.text, cite=cite, settings=settings, decided=True)


def hear_again(
    hear: Hear, rulebook: Rulebook, heard: Fact[Any] | Ruling, decisions: Sequence[Decision]
) -> Fact[Any] | Ruling:
    """Return a ruling that was `heard` with the clauses that a table filled in, or the fact that matters then.

    Raises `Impossible` for a clause that isn't open and for a value that its setting can't take, as ``decided[i]``.
    """
    for place, decision in enumerate(decisions):
        if isinstance(heard, Fact):
            break
        path, problem = _problem(decision, heard)
        if not problem and not decision.text:
            rulebook, before = fill_in(rulebook, [decision]), heard
            heard = hear(rulebook=rulebook)
            if isinstance(heard, Ruling) and any(heard.outcome[key] != value for key, value in before.settled.items()):
                path, problem = ("settings",), CATALOGUE.say("decisions.settled", clause=decision.clause)
        if problem:
            raise Impossible([Problem(("decided", place, *path), problem)])
    return heard


def _problem(decision: Decision, ruling: Ruling) -> tuple[tuple[str, ...], str]:
    """Return what is wrong with a decision: the path to it, and a sentence; empty where nothing is."""
    clause = decision.clause[:40]
    open_here = [point.clause for point in ruling.open]
    if decision.clause not in open_here:
        said = "decisions.not-open" if open_here else "decisions.nothing-open"
        return ("clause",), CATALOGUE.say(said, clause=clause, choices=", ".join(open_here))
    if bool(decision.settings) == bool(decision.text):
        return ("settings",), CATALOGUE.say("decisions.empty", clause=clause)
    known = controls().get(clause, {})
    for name, value in decision.settings.items():
        if name not in known:
            said = CATALOGUE.say("decisions.no-setting", clause=clause, name=name[:40], choices=", ".join(known))
            return ("settings", name[:40]), said
        if wrong := known[name].problem(value):
            return ("settings", name), CATALOGUE.say("decisions.value", clause=clause, problem=wrong)
    return (), ""


def choices(hear: Hear, rulebook: Rulebook, ruling: Ruling, point: OpenPoint) -> list[ClauseChoice]:
    """List what an open point of a ruling may be filled in with: as other rulebooks have it, then as controls offer it.

    Each choice decides something more. What is decided stays, and isn't heard again. Without a choice, words are left.
    """
    found: dict[str, ClauseChoice] = {}

    def add(settings: Settings, heard: Fact[Any] | Ruling, books: Sequence[str] = ()) -> None:
        decision = Decision(point.clause, settings)
        label = decision.say()
        if label in found:
            found[label].books.extend(books)
        elif label and (isinstance(heard, Fact) or any(heard.outcome[key] is not None for key in ruling.silent_on)):
            found[label] = ClauseChoice(decision, label, heard, list(books))

    for theirs, books in _theirs(rulebook, point.clause):
        filled = rulebook.with_decision(_clause(point.clause, theirs))
        heard = hear(rulebook=filled, brief=True, decided=ruling.settled)
        read = filled.looked_up(point.clause) | {*point.parts} if isinstance(heard, Ruling) else theirs
        add({name: theirs[name] for name in theirs if name in read}, heard, books)
    parts = set(point.parts)
    if "" in parts:  # the whole clause: what does the case read of one that says nothing?
        bare = hear(rulebook=rulebook.with_decision(_clause(point.clause, {})), brief=True, decided=ruling.settled)
        missed = bare.open if isinstance(bare, Ruling) else ()
        parts |= {part for one in missed if one.clause == point.clause for part in one.parts}
    known = [choice.decision.settings for choice in found.values()]
    for name, control in controls().get(point.clause, {}).items():
        for value in _values(control, rulebook) if name in parts else ():
            if (settings := {name: value}) not in known:
                filled = rulebook.with_decision(_clause(point.clause, settings))
                add(settings, hear(rulebook=filled, brief=True, decided=ruling.settled))
    return list(found.values())[:MOST_CHOICES]


def _theirs(rulebook: Rulebook, clause: str) -> Iterator[tuple[Settings, list[str]]]:
    """Yield what other rulebooks have settled in a clause and this one hasn't, with their ids; what is alike once."""
    ours = rulebook.clauses.get(clause)
    found: dict[str, tuple[Settings, list[str]]] = {}
    for book in rulebooks().values():
        if clause in book.clauses and book.id not in (rulebook.id, rulebook.base):
            theirs = book.clauses[clause].settings
            settings = {name: theirs[name] for name in theirs if ours is None or name not in ours.settings}
            found.setdefault(repr(sorted(settings.items())), (settings, []))[1].append(book.id)
    return iter(found.values())


def _values(control: Control, rulebook: Rulebook) -> Sequence[object]:
    if control.kind == "yes-no":
        return (True, False)
    if control.kind == "one-of":
        drafted = "draft" in rulebook.clauses
        return tuple(choice.value for choice in control.choices if choice.value != Role.DRAFTER or drafted)
    if control.kind == "number-or-word":
        return (0, 1, *(choice.value for choice in control.choices))
    if control.kind == "number":
        return control.quick or tuple(range(control.least, min(control.most, control.least + 2) + 1))
    return ()


def open_document(hear: Hear, rulebook: Rulebook, ruling: Ruling) -> list[dict[str, Any]]:
    """Return what a ruling leaves open as JSON: each clause that would answer it, and what it may be filled in with."""
    return [
        {
            "clause": point.clause,
            "keys": list(point.keys),
            "choices": [one.to_json() for one in choices(hear, rulebook, ruling, point)],
        }
        for point in ruling.open
    ]
