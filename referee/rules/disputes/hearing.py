"""Hearings: how code reads a rulebook and asks the table, and how both become reasons.

Code learns a value only by *reading a clause* and a fact only by *asking a question*. Both are noted
as steps when they happen, so the reasons of a verdict are the shadow of its computation. A fact not
yet given raises `Unanswered` (the page asks exactly that), a clause that is missing raises `Silent`
(the referee says so and never guesses), a hand that nobody saw raises `Unseen`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, TypeVar

from referee.rules.books.rulebook import Clause, Rulebook
from referee.rules.books.settings import Setting
from referee.rules.disputes.facts import Fact
from referee.rules.text.words import Line

T = TypeVar("T")


class Silent(Exception):
    """The rulebook does not say; `question` is the id of the question it leaves open, `part` the setting of it."""

    def __init__(self, question: str, part: str = "") -> None:
        self.question = question
        self.part = part
        super().__init__(question)


class Unseen(Exception):
    """Undecidable, because nobody saw the hand."""


class Uncolored(Exception):
    """A card's color decides, and `fact` gave the card without one."""

    def __init__(self, fact: Fact[Any]) -> None:
        self.fact = fact
        super().__init__(fact.key)


class Unanswered(Exception):
    """One more fact matters: `fact`."""

    def __init__(self, fact: Fact[Any]) -> None:
        self.fact = fact
        super().__init__(fact.key)


@dataclass(frozen=True, slots=True)
class Step:
    """One reason: an answer the table gave, or a clause that was read."""

    kind: Literal["answer", "clause"]
    text: str
    clause: Clause | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the step as the JSON interface has it."""
        clause = self.clause
        replaced = clause.replaces if clause else None
        ours = clause.quote_translation if clause else ""
        return {
            "kind": self.kind,
            "text": self.text,
            "clause": clause.id if clause else None,
            "cite": clause.cite if clause else None,
            "quote": (clause.quote or None) if clause else None,
            **({"quote_translation": ours} if ours else {}),
            **({"decided": True} if clause and clause.decided else {}),
            "replaces": {
                "clause": replaced.id,
                "text": replaced.text,
                "cite": replaced.cite,
                "quote": replaced.quote or None,
            }
            if replaced
            else None,
        }


class Reading:
    """Reads settings from a rulebook, and notes each clause it reads as a step, once."""

    def __init__(self, rulebook: Rulebook) -> None:
        self.rulebook = rulebook
        self.steps: list[Step] = []
        self._cited: set[tuple[str, bool]] = set()

    def read(self, setting: Setting[T]) -> T:
        """Return a value from the clause that settles it; raises `Silent` if no clause does.

        A clause on the matter that leaves this very part open is noted too: it shows what is said instead.
        """
        settled: tuple[T, Clause] | None = self.rulebook.found[setting]
        if settled is None:
            with suppress(Silent):
                self.cite(setting.question)
            raise Silent(setting.question, setting.name)
        value, clause = settled
        self.cite(setting.question)
        self._note_clause(clause)
        return value

    def look(self, setting: Setting[T]) -> T | None:
        """Return a value if a clause settles it, else None; for settings that only some texts have."""
        return self.read(setting) if self.rulebook.found[setting] else None

    def read_effect(self, setting: Setting[T], none: T) -> T:
        """Return one effect from a clause that lists them all; `none` if it doesn't list this one.

        Raises `Silent` where the rulebook has no such clause.
        """
        self.cite(setting.question)
        answer = self.rulebook.found[setting]
        return none if answer is None else answer[0]

    def cite(self, clause_id: str) -> None:
        """Note a clause as a step, once; raises `Silent` if the rulebook has no clause of that id."""
        clause = self.rulebook.clauses.get(clause_id)
        if clause is None:
            raise Silent(clause_id)
        self._note_clause(clause)

    def _note_clause(self, clause: Clause) -> None:
        if (clause.id, clause.decided) not in self._cited:
            self._cited.add((clause.id, clause.decided))
            self.steps.append(Step("clause", clause.text, clause))


class Hearing(Reading):
    """One dispute under one rulebook, with the facts given so far.

    `outcome` names the things to be decided and the functions that decide them; each is computed once, unless it is
    `decided` before, and may call for another by `decide`. `say` puts names, or parts, for the roles in answers.
    """

    def __init__(
        self,
        rulebook: Rulebook,
        facts: Mapping[str, Any],
        outcome: Mapping[str, Callable[[Hearing], Any]],
        say: Callable[[Line], str] = str,
        decided: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        super().__init__(rulebook)
        self.facts = facts
        self._outcome = outcome
        self._say = say
        self._decided = dict(decided)
        self.heard = bool(decided)
        self._open: dict[str, Silent | Unseen] = {}
        self._asked: set[str] = set()
        self._noted: set[str] = set()

    def given(self, fact: Fact[T]) -> bool:
        """Return whether the table has already answered this."""
        return fact.key in self.facts

    def ask(self, fact: Fact[T]) -> T:
        """Return a fact from the table; raises `Unanswered` if it has not been given yet."""
        if fact.key not in self.facts:
            if fact.kind == "color" and not self.rulebook.deck.colors:
                raise Silent("matching")  # nobody could answer
            raise Unanswered(fact)
        value: T = self.facts[fact.key]
        if fact.key not in self._asked:
            self._asked.add(fact.key)
            self._note_answer(fact, value)
        return value

    def _note_answer(self, fact: Fact[T], value: T) -> None:
        self.note(fact.worded(self._say).statement(value))

    def players(self, fact: Fact[int]) -> int:
        """Return the number of players; asks only if the rulebook allows several."""
        fits = self.rulebook.players
        if len(fits) == 1:
            return fits[0]
        return self.ask(fact)

    def note(self, text: str) -> None:
        """Note what the table said as a step, once."""
        if text not in self._noted:
            self._noted.add(text)
            self.steps.append(Step("answer", text))

    def settled(self, key: str) -> Any:
        """Return the value of a key of the outcome, None if it stays open."""
        try:
            return self.decide(key)
        except (Silent, Unseen):
            return None

    def besides(self, keys: Iterable[str]) -> dict[str, Any]:
        """Return what is settled of keys that orders and words need besides the outcome; nobody is asked for it."""
        found: dict[str, Any] = {}
        for key in keys:
            found[key] = None
            with suppress(Silent, Unseen, Unanswered):
                found[key] = self.decide(key)
        return found

    def is_unseen(self, key: str) -> bool:
        """Return whether a key stays open because nobody saw the hand."""
        self.settled(key)
        return isinstance(self._open.get(key), Unseen)

    def decide(self, key: str) -> Any:
        """Decide one key of the outcome, once; if it stays open, raise the same exception at every call."""
        if key in self._open:
            raise self._open[key]
        if key not in self._decided:
            try:
                self._decided[key] = self._outcome[key](self)
            except (Silent, Unseen) as open_end:
                self._open[key] = open_end
                raise
        return self._decided[key]


class Glance(Hearing):
    """A hearing without reasons: it notes no steps, which is faster."""

    def read(self, setting: Setting[T]) -> T:
        """Return a value from the clause that settles it; raises `Silent` if no clause does."""
        found: tuple[T, Clause] | None = self.rulebook.found[setting]
        if found is None:
            raise Silent(setting.question, setting.name)
        return found[0]

    def note(self, text: str) -> None:
        """Note nothing."""

    def _note_clause(self, clause: Clause) -> None:
        """Note nothing."""

    def _note_answer(self, fact: Fact[T], value: T) -> None:
        """Note nothing."""
