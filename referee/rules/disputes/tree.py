"""Every possible hearing: all answers walked, for tests and for the offline bundle of a phone.

A fact with choices is walked in full. Cards, hands, numbers and names are walked by samples: a few
values, each with the words that say what it stands for, chosen so that every branch is met.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import Any

from referee.rules.books.rulebook import Clause, Rulebook, once_a_rulebook
from referee.rules.cards.cards import BLANK, Card, Deck
from referee.rules.cards.decks import CLASSIC, decks
from referee.rules.disputes import DISPUTES, DISPUTES_BY_ID, beside_the_point, name_of_moment
from referee.rules.disputes.announcing import announce
from referee.rules.disputes.base import Dispute, Facts, Sample, Samples, example, read_facts
from referee.rules.disputes.deciding import read_on, rule
from referee.rules.disputes.facts import COLOR_IN_PLAY, PLAYERS, TOP_CARD, Fact, WrongAnswer, beyond_deck, on_sale
from referee.rules.disputes.hearing_documents import is_silent, left_open
from referee.rules.disputes.open_points import Hear, choices, closes, not_open, say_new
from referee.rules.disputes.ruling import Role, Ruling, Voice
from referee.rules.text.problem import Impossible, Problem
from referee.rules.text.words import begun

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
    hear: Hear | None = None
    """hears the case of the ruling again under another rulebook"""


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


@once_a_rulebook
def open_questions(rulebook: Rulebook) -> Mapping[tuple[str, str], Mapping[str, object]]:
    """Return what a rulebook leaves open, by dispute and clause, with what is answered in the case that misses most."""
    found: dict[tuple[str, str], tuple[int, Mapping[str, object]]] = {}
    for dispute in DISPUTES:
        for leaf in every_hearing(dispute, rulebook):
            for point in leaf.ruling.open:
                question, missed = (dispute.id, point.clause), (len(point.parts), leaf.given)
                found[question] = max(found.get(question, missed), missed, key=lambda one: one[0])
    return {question: given for question, (_, given) in found.items()}


def open_case(rulebook: Rulebook, dispute_id: str, clause: str) -> tuple[Facts, Ruling]:
    """Return a case that leaves a question open, with nothing else open; raises `Impossible` where none does."""
    known, dispute = open_questions(rulebook), DISPUTES_BY_ID.get(dispute_id)
    if dispute is None or (dispute_id, clause) not in known:
        open_here = [other for disputed, other in known if disputed == dispute_id]
        raise Impossible([Problem("clause", not_open(clause, open_here))])
    facts = read_facts(dispute, rulebook, known[dispute_id, clause])
    ruling = rule(dispute, rulebook, facts, asking=True)
    assert isinstance(ruling, Ruling)
    return facts, replace(ruling, open=tuple(point for point in ruling.open if point.clause == clause))


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
        names = naming(dispute, known)
        hear = partial(rule, dispute, facts=known, names=names, asking=True)
        return Node(ruling=asked, voice=dispute.voice(names, dispute.is_between_two(known, rulebook)), hear=hear)
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
    deciding: Callable[[Sequence[str]], str] | None = None,
) -> dict[str, Any]:
    """Return all hearings under one rulebook, with its house rules in force, as one JSON document.

    ``disputes`` has for each dispute its starts, each with the place of its first node; ``nodes`` are
    questions ``{"ask", "options": [[label, value, place, statement], …]}`` or rulings as a page shows them, with the
    ``steps`` that cite a clause by place; ``questions``, ``statements`` and ``steps`` stand once. Equal subtrees are
    one node. The place of the statement is None for an option that is only an example, and stands for other values,
    too. What is `known` is not asked. Disputes whose roles have names by `naming` have ``named`` starts besides;
    ``outside`` says why the rulebook knows nothing of the kind.

    Where a table decides, `deciding` says of rulebooks that they have it so. An option or a start that leads to a
    ruling that leaves something open has a further place, ``open`` of a start: in ``opened``, lists of open points
    ``[place in open, [places of what is to be done, for each choice], [places of choices that close the others]]``.
    ``open`` has ``[clause, [[place of the text, of the hint, of a setting's name, its value, …], …]]``.
    """
    tables = _Tables(rulebook, deck, deciding)
    listed = []
    for dispute in disputes:
        written: dict[str, Any] = {
            "id": dispute.id,
            "title": dispute.heading(rulebook).title,
            "lead": dispute.heading(rulebook).lead,
            "found_by": dispute.found_by,
            "moment": name_of_moment(dispute),
            "outside": beside_the_point(dispute, rulebook, known.get(PLAYERS.key)),
            "starts": [tables.write_start(dispute, start, known, unnamed) for start in dispute.starts],
        }
        if naming(dispute, known):
            written["named"] = [tables.write_start(dispute, start, known, naming) for start in dispute.starts]
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
        "open": tables.points.values,
        "opened": tables.opened.values,
    }


@dataclass
class _Tables:
    """The tables that all hearings of a document share; `say_books` where a table may decide."""

    rulebook: Rulebook
    deck: Deck | None
    say_books: Callable[[Sequence[str]], str] | None
    nodes: _Table = field(default_factory=_Table)
    questions: _Table = field(default_factory=_Table)
    statements: _Table = field(default_factory=_Table)
    steps: _Table = field(default_factory=_Table)
    points: _Table = field(default_factory=_Table)
    opened: _Table = field(default_factory=_Table)

    def write_start(self, dispute: Dispute, start: tuple[str, ...], known: Facts, naming: Naming) -> dict[str, Any]:
        tree = grow(dispute, self.rulebook, start, known, naming, self.deck)
        return {"ask": list(start), "node": self.write(tree)} | dict(
            zip(("open",), self.write_open(tree), strict=False)
        )

    def write(self, node: Node) -> int:
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
                self.write(option.to),
                self.write_statement(node.fact, option.sample),
                *self.write_open(option.to),
            ]
            for option in node.options
        ]
        written = {"ask": self.questions.index_of(repr(asked), asked), "options": options}
        return self.nodes.index_of(repr(written), written)

    def write_statement(self, fact: Fact[Any], sample: Sample) -> int | None:
        if fact.kind != "choice" and not sample.exact:  # it stands for others than its own value
            return None
        return self.write_text(fact.statement(fact.parse(sample.value)))

    def write_text(self, text: str) -> int:
        return self.statements.index_of(text, text)

    def write_ruling(self, ruling: Ruling, voice: Voice) -> dict[str, Any]:
        """Write a ruling as a page shows it."""
        written = ruling.to_json()
        return {
            "verdict": ruling.verdict,
            "silent": is_silent(written),
            "announced": asdict(announce(written, voice)),
            "open_questions": left_open(written),
            "steps": [self.steps.index_of(step.clause.id, step.to_json()) for step in ruling.steps if step.clause],
        }

    def write_open(self, node: Node) -> list[int]:
        """Write what a table may decide where a ruling is silent, and what that makes someone do; else nothing."""
        if self.say_books is None or node.ruling is None or not node.ruling.open or not node.hear or not node.voice:
            return []
        written = []
        for point in node.ruling.open:
            offers, told = choices(node.hear, self.rulebook, node.ruling, point), []
            for one in offers:
                settings = ((self.write_text(name), value) for name, value in one.decision.settings.items())
                texts = self.write_text(one.label), self.write_text(self.say_books(one.books))
                told.append([*texts, *chain.from_iterable(settings)])
            then = [say_new(one.heard, node.ruling, node.voice) for one in offers]
            places = [[self.write_text(said) for said in sentences] for sentences in then]
            heard = (self.rulebook, node.ruling)
            closing = [place for place, one in enumerate(offers) if closes(node.hear, *heard, one.decision)]
            filled = [point.clause, told]
            written.append([self.points.index_of(repr(filled), filled), places, *([closing] if closing else [])])
        return [self.opened.index_of(repr(written), written)]


COMMON_SAMPLES: Samples = MappingProxyType(
    {
        PLAYERS.key: lambda _, book: (
            Sample(2, example("two"), exact=True),
            Sample(max(3, book.players.start), example("three-or-more")),
        ),
        TOP_CARD.key: lambda facts, rulebook: (Sample("red-5", example("a-colored-card")),),
        COLOR_IN_PLAY.key: lambda facts, rulebook: (Sample("red", example("the-color-in-play")),),
    }
)


def samples_of(
    dispute: Dispute, rulebook: Rulebook, fact: Fact[Any], facts: Facts, deck: Deck | None = None
) -> tuple[Sample, ...]:
    """List the answers to walk: all choices, or the samples of the dispute, or those common to all.

    Answers that cannot be true beside those given before are left out, and cards that the `deck` on the table, or
    every deck of the box, does not hold; where one of several decks is played with, also cards of two decks at once.
    """
    here = (deck,) if deck else on_sale(rulebook)
    named = {**COMMON_SAMPLES, **dispute.samples}.get(fact.key)
    if named is None:
        every = tuple(Sample(value, label) for value, label in fact.choices)
    else:
        every = tuple(_of_box(named(facts, rulebook), fact, here))
    if not every and fact.kind == "cards":
        with suppress(WrongAnswer):  # what isn't a hand but cards of several players
            fact.parse([str(rulebook.deck.faces[0])])
            every = (Sample([str(rulebook.deck.faces[0])], example("any-cards")),)

    def is_possible(sample: Sample) -> bool:
        if fact.key == PLAYERS.key and not dispute.any_players and sample.value not in rulebook.players:
            return False
        told = {**facts, fact.key: fact.parse(sample.value)}
        if len(here) > 1 and beyond_deck(told, here, (), dispute.counted_within):
            return False
        return not any(dispute.problems(told, rulebook))

    return tuple(filter(is_possible, every))


def _of_box(samples: Iterable[Sample], fact: Fact[Any], here: Sequence[Deck]) -> Iterator[Sample]:
    """Translate samples, which are of the classic box, to another: its colors, and its own faces for an extra card."""
    if here[0].box == decks()[CLASSIC].box:
        yield from samples
        return
    faces = {face for deck in here for face in deck.faces}
    for sample in samples:
        for other in _translated(sample, here):
            with suppress(WrongAnswer):  # a card that this box doesn't hold
                answer = fact.parse(other.value)
                if not isinstance(answer, Card) or answer.face in faces:
                    yield other


def _translated(sample: Sample, here: Sequence[Deck]) -> Iterator[Sample]:
    if sample.value != BLANK:
        classic = decks()[CLASSIC].colors
        colors = {old.id: new.id for old, new in zip(classic, here[0].colors, strict=False)}
        value = _recolored(sample.value, colors)
        if not colors and isinstance(value, list) and value:  # of such hands only the wilds are in this box
            value = [card for card in value if card in here[0].faces]
        if value or not sample.value:
            yield replace(sample, value=value)
        return
    extra = (card for deck in reversed(here) for card in reversed(tuple(deck.cards)) if card.face.is_extra)
    for card in {card.face: card for card in extra}.values():
        yield Sample(str(card), begun(f"{card.label:a}"), exact=True)


def _recolored(value: Any, colors: Mapping[str, str]) -> Any:
    """Write every color and card in a JSON value with the color that stands in its place."""
    if isinstance(value, str):
        color, hyphen, face = value.partition("-")
        return f"{colors[color]}{hyphen}{face}" if color in colors else value
    if isinstance(value, list):
        return [_recolored(item, colors) for item in value]
    if isinstance(value, dict):
        return {key: _recolored(item, colors) for key, item in value.items()}
    return value
