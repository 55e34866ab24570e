"""Every possible hearing: all answers walked, for tests and for the offline bundle of a phone.

A fact with choices is walked in full. Cards, hands, numbers and names are walked by samples: a few
values, each with the words that say what it stands for, chosen so that every branch is met.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import Any

from referee.rules.books.rulebook import Clause, Rulebook
from referee.rules.cards.cards import Deck
from referee.rules.disputes import DISPUTES, beside_the_point, name_of_moment
from referee.rules.disputes.announcing import announce
from referee.rules.disputes.base import Dispute, Facts, Sample
from referee.rules.disputes.box import on_sale
from referee.rules.disputes.deciding import read_on, rule
from referee.rules.disputes.facts import PLAYERS, Fact
from referee.rules.disputes.hearing import Step
from referee.rules.disputes.hearing_documents import is_silent, left_open
from referee.rules.disputes.ruling import Role, Ruling, Voice
from referee.rules.disputes.sampling import samples_of

Naming = Callable[[Dispute, Facts], Mapping[Role, str]]
"""Gives the names of a dispute's roles, given the facts; empty if nobody is named."""


@dataclass(frozen=True)
class Branch:
    """One answer to a question, and where it leads."""

    sample: Sample
    to: Node


@dataclass(frozen=True)
class Node:
    """A question with its answers, or a ruling with none."""

    fact: Fact[Any] | None = None
    options: tuple[Branch, ...] = ()
    ruling: Ruling | None = None
    voice: Voice | None = None


@dataclass(frozen=True)
class Leaf:
    """The end of one hearing: what was answered, as JSON values, and the ruling."""

    dispute: Dispute
    rulebook: Rulebook
    start: tuple[str, ...]
    given: Mapping[str, object]
    ruling: Ruling


def every_hearing(dispute: Dispute, rulebook: Rulebook) -> Iterator[Leaf]:
    """Walk all answers of a dispute under a rulebook and give every ruling, once for each way to it."""
    for start in dispute.starts:
        pending: list[tuple[Facts, dict[str, object]]] = [({}, {})]
        while pending:
            facts, given = pending.pop()
            asked = _next(dispute, rulebook, facts, start)
            if isinstance(asked, Ruling):
                yield Leaf(dispute, rulebook, start, given, asked)
            else:
                pending += [
                    ({**facts, asked.key: asked.parse(sample.value)}, {**given, asked.key: sample.value})
                    for sample in reversed(samples_of(dispute, rulebook, asked, facts))
                ]


def unnamed(dispute: Dispute, facts: Facts) -> Mapping[Role, str]:
    """Return each role's part instead of a name: a `Naming`."""
    return {}


def grow(
    dispute: Dispute,
    rulebook: Rulebook,
    start: tuple[str, ...] = (),
    known: Facts = MappingProxyType({}),
    naming: Naming = unnamed,
    deck: Deck | None = None,
) -> Node:
    """Return the tree of all hearings of a dispute from these questions on, with some facts known before."""
    asked = _next(dispute, rulebook, known, start, naming)
    if isinstance(asked, Ruling):
        return Node(ruling=asked, voice=dispute.voice(naming(dispute, known), dispute.is_between_two(known, rulebook)))
    options = (
        Branch(sample, grow(dispute, rulebook, start, {**known, asked.key: asked.parse(sample.value)}, naming, deck))
        for sample in samples_of(dispute, rulebook, asked, known, deck)
    )
    return Node(fact=asked, options=tuple(options))


def at_stake(
    dispute: Dispute, rulebook: Rulebook, fact: Fact[Any], facts: Facts, deck: Deck | None = None
) -> list[Clause]:
    """List the clauses that the answer to a question brings into play; where it brings none, those of the next one."""
    stake: dict[str, Clause] = {}
    following = None
    for sample in samples_of(dispute, rulebook, fact, facts, deck):
        told = {**facts, fact.key: fact.parse(sample.value)}
        clauses, asked = read_on(dispute, rulebook, told)
        stake |= {clause.id: clause for clause in clauses}
        following = (asked, told) if asked else following
    return list(stake.values()) if stake or not following else at_stake(dispute, rulebook, *following, deck)


def _next(
    dispute: Dispute, rulebook: Rulebook, facts: Facts, start: tuple[str, ...], naming: Naming = unnamed
) -> Fact[Any] | Ruling:
    """Ask first what the start wants asked, then whatever matters."""
    names = naming(dispute, facts)
    first = next((key for key in start if key not in facts), None)
    two = dispute.is_between_two(facts, rulebook)
    if first is None:
        return rule(dispute, rulebook, facts, names=names, asking=True)
    return dispute.worded(first, names, two).against(on_sale(rulebook)[0])


# --- for the phone -------------------------------------------------------------------------------


@dataclass
class _Table:
    """Values stored once in the document and referred to by their index in a list."""

    values: list[Any] = field(default_factory=list)
    indexes: dict[Any, int] = field(default_factory=dict)

    def index_of(self, key: Any, value: Any) -> int:
        if key not in self.indexes:
            self.indexes[key] = len(self.values)
            self.values.append(value)
        return self.indexes[key]


def document(
    rulebook: Rulebook,
    disputes: Iterable[Dispute] = DISPUTES,
    known: Facts = MappingProxyType({}),
    naming: Naming = unnamed,
    deck: Deck | None = None,
) -> dict[str, Any]:
    """Return all hearings under one rulebook, with its house rules in force, as one JSON document.

    ``disputes`` has for each dispute its starts, each with the place of its first node; ``nodes`` are
    questions ``{"ask", "options": [[label, value, place, statement], …]}`` or rulings as a page shows them, with the
    ``steps`` that cite a clause by place; ``questions``, ``statements`` and ``steps`` stand once. Equal subtrees are
    one node. The place of the statement is None for an option that is only an example, and stands for other values,
    too. What is `known` is not asked. Disputes whose roles have
    names by `naming` have ``named`` starts besides; ``outside`` says why the rulebook knows nothing of the kind.
    """
    tables = _Tables(deck)
    listed = []
    for dispute in disputes:
        written: dict[str, Any] = {
            "id": dispute.id,
            "title": dispute.heading(rulebook).title,
            "lead": dispute.heading(rulebook).lead,
            "found_by": dispute.found_by,
            "moment": name_of_moment(dispute),
            "outside": beside_the_point(dispute, rulebook, known.get(PLAYERS.key)),
            "starts": [tables.write_start(dispute, rulebook, start, known, unnamed) for start in dispute.starts],
        }
        if naming(dispute, known):
            written["named"] = [tables.write_start(dispute, rulebook, start, known, naming) for start in dispute.starts]
        listed.append(written)
    return {
        "rulebook": rulebook.id,
        "house_rules": list(rulebook.in_force),
        "digest": rulebook.digest,
        "disputes": listed,
        "nodes": tables.nodes.values,
        "questions": tables.questions.values,
        "statements": tables.statements.values,
        "steps": tables.steps.values,
    }


@dataclass
class _Tables:
    """The tables that all hearings of a document share, and the deck on the table where there is a match."""

    deck: Deck | None = None
    nodes: _Table = field(default_factory=_Table)
    questions: _Table = field(default_factory=_Table)
    statements: _Table = field(default_factory=_Table)
    steps: _Table = field(default_factory=_Table)

    def write_start(
        self, dispute: Dispute, rulebook: Rulebook, start: tuple[str, ...], known: Facts, naming: Naming
    ) -> dict[str, Any]:
        tree = grow(dispute, rulebook, start, known, naming, self.deck)
        return {"ask": list(start), "node": self.write(tree, dispute)}

    def write(self, node: Node, dispute: Dispute) -> int:
        """Write a node after those it leads to and return its index."""
        if node.ruling is not None and node.voice is not None:
            written_ruling = self.write_ruling(node.ruling, node.voice)
            return self.nodes.index_of(repr(written_ruling), written_ruling)
        assert node.fact is not None
        asked = {"key": node.fact.key, "text": node.fact.text}
        options = [
            [
                option.sample.label,
                option.sample.value,
                self.write(option.to, dispute),
                self.write_statement(node.fact, option.sample),
            ]
            for option in node.options
        ]
        written = {"ask": self.questions.index_of(repr(asked), asked), "options": options}
        return self.nodes.index_of(repr(written), written)

    def write_statement(self, fact: Fact[Any], sample: Sample) -> int | None:
        if not _is_exact(fact, sample):
            return None
        statement = fact.statement(fact.parse(sample.value))
        return self.statements.index_of(statement, statement)

    def write_ruling(self, ruling: Ruling, voice: Voice) -> dict[str, Any]:
        """Write a ruling as a page shows it."""
        written, shown_to = ruling.to_json(), ruling.outcome.get("hand_shown_to")
        silent, verdict = is_silent(written), ruling.verdict
        announced = announce(ruling.orders, voice, verdict, ruling.lead, silent=silent, shown_to=shown_to)
        return {
            "verdict": verdict,
            "silent": silent,
            "announced": asdict(announced),
            "open_questions": left_open(written),
            "steps": [self.write_step(step, step.clause) for step in ruling.steps if step.clause],
        }

    def write_step(self, step: Step, clause: Clause) -> int:
        return self.steps.index_of(clause.id, step.to_json())


def _is_exact(fact: Fact[Any], sample: Sample) -> bool:
    """Return whether an answer stands only for its own value: a choice, a number, or a card by name."""
    return fact.kind == "choice" or sample.exact
