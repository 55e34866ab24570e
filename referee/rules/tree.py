"""Every hearing there is: all answers walked, to be proven, and to be taken along by a phone without a connection.

A fact with choices is walked in full. Cards, hands, numbers and names are walked by samples: a few
values, each with the words that say what it stands for, chosen so that every branch is met.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from referee.rules.disputes import DISPUTES
from referee.rules.disputes.base import Dispute, Facts, Sample, Samples, rule
from referee.rules.facts import COLOR_IN_PLAY, PLAYERS, TOP_CARD, Fact
from referee.rules.hearing import Step
from referee.rules.rulebook import Rulebook
from referee.rules.ruling import Ruling

COMMON_SAMPLES: Samples = MappingProxyType(
    {
        PLAYERS.key: lambda facts: (Sample(2, "Two"), Sample(3, "Three or more")),
        TOP_CARD.key: lambda facts: (Sample("red-5", "A colored card"),),
        COLOR_IN_PLAY.key: lambda facts: (Sample("red", "The color in play"),),
    }
)


@dataclass(frozen=True)
class Option:
    """One answer to a question, and where it leads."""

    sample: Sample
    to: Node


@dataclass(frozen=True)
class Node:
    """A question with its answers, or a ruling with none."""

    fact: Fact[Any] | None = None
    options: tuple[Option, ...] = ()
    ruling: Ruling | None = None


@dataclass(frozen=True)
class Leaf:
    """The end of one hearing: what was answered, as JSON values, and the ruling."""

    dispute: Dispute
    rulebook: Rulebook
    start: tuple[str, ...]
    given: Mapping[str, object]
    ruling: Ruling


def every_hearing(dispute: Dispute, rulebook: Rulebook) -> Iterator[Leaf]:
    """Walk all answers of a dispute under a rulebook, and give every end, once for each way to it."""
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


def grow(dispute: Dispute, rulebook: Rulebook, start: tuple[str, ...] = ()) -> Node:
    """Grow the tree of all hearings of a dispute that begin with these questions."""
    return _grow(dispute, rulebook, {}, start)


def _grow(dispute: Dispute, rulebook: Rulebook, facts: Facts, start: tuple[str, ...]) -> Node:
    asked = _next(dispute, rulebook, facts, start)
    if isinstance(asked, Ruling):
        return Node(ruling=asked)
    options = (
        Option(sample, _grow(dispute, rulebook, {**facts, asked.key: asked.parse(sample.value)}, start))
        for sample in samples_of(dispute, rulebook, asked, facts)
    )
    return Node(fact=asked, options=tuple(options))


def _next(dispute: Dispute, rulebook: Rulebook, facts: Facts, start: tuple[str, ...]) -> Fact[Any] | Ruling:
    """Ask first what the start wants asked, then whatever matters."""
    first = next((key for key in start if key not in facts), None)
    return dispute.known_facts[first] if first else rule(dispute, rulebook, facts)


def samples_of(dispute: Dispute, rulebook: Rulebook, fact: Fact[Any], facts: Facts) -> tuple[Sample, ...]:
    """List the answers to walk: all choices, or the samples of the dispute, or those common to all.

    Answers that cannot be true beside those given before are left out.
    """
    named = {**COMMON_SAMPLES, **dispute.samples}.get(fact.key)
    every = tuple(Sample(value, label) for value, label in fact.choices) if named is None else named(facts)
    return tuple(
        sample
        for sample in every
        if (fact is not PLAYERS or dispute.any_players or sample.value in rulebook.players)
        and not any(dispute.contradictions({**facts, fact.key: fact.parse(sample.value)}))
    )


# --- for the phone -------------------------------------------------------------------------------


@dataclass
class _Table:
    """Values that stand once in the document and are named by their place in a list."""

    values: list[Any] = field(default_factory=list)
    places: dict[Any, int] = field(default_factory=dict)

    def place(self, key: Any, value: Any) -> int:
        if key not in self.places:
            self.places[key] = len(self.values)
            self.values.append(value)
        return self.places[key]


def document(rulebook: Rulebook, disputes: Iterable[Dispute] = DISPUTES) -> dict[str, Any]:
    """Write all hearings under one rulebook, its house rules in force, as one JSON document.

    ``disputes`` has for each dispute its starts, each with the place of its first node; ``nodes`` are
    questions ``{"ask", "options": [[label, value, place], …]}`` or rulings with their ``steps`` by
    place; ``questions`` and ``steps`` stand once. Equal subtrees are one node.
    """
    nodes, questions, steps = _Table(), _Table(), _Table()
    listed = [
        {
            "id": dispute.id,
            "title": dispute.title,
            "lead": dispute.lead,
            "parts": {str(role): words for role, words in dispute.parts.items()},
            "starts": [
                {"ask": list(start), "node": _write(grow(dispute, rulebook, start), nodes, questions, steps)}
                for start in dispute.starts
            ],
        }
        for dispute in disputes
    ]
    return {
        "rulebook": rulebook.id,
        "house_rules": list(rulebook.in_force),
        "digest": rulebook.digest,
        "disputes": listed,
        "nodes": nodes.values,
        "questions": questions.values,
        "steps": steps.values,
    }


def _write(node: Node, nodes: _Table, questions: _Table, steps: _Table) -> int:
    """Write a node after those it leads to; give its place."""
    if node.ruling is not None:
        said = node.ruling.to_json()
        said["steps"] = [_write_step(step, steps) for step in node.ruling.steps]
        return nodes.place(repr(said), said)
    assert node.fact is not None
    asked = node.fact.to_json()
    options = [
        [option.sample.label, option.sample.value, _write(option.to, nodes, questions, steps)]
        for option in node.options
    ]
    written = {"ask": questions.place(repr(asked), asked), "options": options}
    return nodes.place(repr(written), written)


def _write_step(step: Step, steps: _Table) -> int:
    return steps.place((step.kind, step.text, step.clause.id if step.clause else ""), step.to_json())
