"""What a table may decide where its rulebook is silent: choices to fill a clause in with, and the case heard again.

An open point is a question that no clause answers. A choice fills that clause in: as another rulebook has it, or as a
control of *Own rulebooks* offers it. The case is then heard again with the clause in the rulebook, so that orders,
sentences and reasons follow from one computation; what the rulebook says itself is never changed by it.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

from referee.rules.books.controls import Control, controls
from referee.rules.books.library import every_question, rulebooks
from referee.rules.books.rulebook import Clause, Rulebook
from referee.rules.disputes.facts import Fact
from referee.rules.disputes.ruling import OpenPoint, Role, Ruling, Voice, say_orders
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
        return ("clause",), not_open(clause, open_here)
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


def not_open(clause: str, open_here: Sequence[str]) -> str:
    """Return that a clause isn't open, and which are."""
    said = "decisions.not-open" if open_here else "decisions.nothing-open"
    return CATALOGUE.say(said, clause=clause[:40], choices=", ".join(open_here))


def choices(hear: Hear, rulebook: Rulebook, ruling: Ruling, point: OpenPoint) -> list[ClauseChoice]:
    """List what an open point of a ruling may be filled in with: as other rulebooks have it, then as controls offer it.

    Each choice decides something more. What is decided stays, and isn't heard again. Without a choice, words are left.
    """
    decide = partial(hear, brief=True, decided=ruling.settled)
    offers: dict[str, tuple[Decision, list[str]]] = {}

    def offer(settings: Settings, books: Sequence[str] = ()) -> None:
        decision = Decision(point.clause, settings)
        offers.setdefault(decision.say(), (decision, []))[1].extend(books)

    parts = set(point.parts)
    for theirs, books in _theirs(rulebook, point.clause):
        read = {*theirs}
        if not parts.issuperset(theirs):
            filled = rulebook.with_decision(_clause(point.clause, theirs))
            if isinstance(decide(rulebook=filled), Ruling):
                read = parts | {setting.name for setting in filled.found if setting.question == point.clause}
        offer({name: theirs[name] for name in theirs if name in read}, books)
    if "" in parts:  # the whole clause: what does the case read of one that says nothing?
        bare = decide(rulebook=_filled(rulebook, point.clause, "{}"))
        missed = bare.open if isinstance(bare, Ruling) else ()
        parts = parts.union(*(one.parts for one in missed if one.clause == point.clause))
    for name, control in controls().get(point.clause, {}).items():
        for value in _values(control, rulebook) if name in parts else ():
            offer({name: value})
    found, undecided = [], [None] * len(ruling.silent_on)
    for label, (decision, books) in offers.items():
        heard = decide(rulebook=_filled(rulebook, point.clause, json.dumps(decision.settings))) if label else ruling
        if isinstance(heard, Fact) or [*map(heard.outcome.get, ruling.silent_on)] != undecided:
            found.append(ClauseChoice(decision, label, heard, books))
    return found[:MOST_CHOICES]


def closes(hear: Hear, rulebook: Rulebook, ruling: Ruling, decision: Decision) -> bool:
    """Return whether nothing else that a ruling leaves open can be decided after a decision, as before it."""
    others = {point.clause for point in ruling.open} - {decision.clause}
    again = hear_again(hear, rulebook, ruling, [decision]) if others else ruling
    return isinstance(again, Fact) or not others.issubset(point.clause for point in again.open)


@lru_cache(maxsize=256)
def _filled(rulebook: Rulebook, clause: str, settings: str) -> Rulebook:
    """Return the rulebook with a clause filled in; the settings are JSON, so that they can be cached by."""
    return rulebook.with_decision(_clause(clause, json.loads(settings)))


def _theirs(rulebook: Rulebook, clause: str) -> list[tuple[Settings, list[str]]]:
    """List what other rulebooks have settled in a clause and this one hasn't, with their ids; what is alike once."""
    ours = rulebook.clauses.get(clause)
    found: dict[str, tuple[Settings, list[str]]] = {}
    for book in rulebooks().values():
        if clause in book.clauses and book.id not in (rulebook.id, rulebook.base):
            theirs = book.clauses[clause].settings
            settings = {name: theirs[name] for name in theirs if ours is None or name not in ours.settings}
            found.setdefault(repr(sorted(settings.items())), (settings, []))[1].append(book.id)
    return list(found.values())


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


def say_new(heard: Fact[Any] | Ruling, before: Ruling, voice: Voice) -> list[str]:
    """Return in sentences what someone has to do only by what was decided."""
    orders = heard.orders if isinstance(heard, Ruling) else ()
    return say_orders((one for one in orders if one not in before.orders), voice)


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
