"""Rulebooks: one published text a TOML file, as clauses that code and people both read.

A rulebook file says for each of the questions a table asks which clause answers it, or that the text
is silent. A clause is what the text says in our own words, what it settles (settings) and where it
was read (citation). A house rule replaces or adds named clauses, visibly.

At the end: what several settings say together, as which points a face has.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from types import MappingProxyType
from typing import Any, TypeVar

from referee.rules.books import settings
from referee.rules.books.settings import FIRST_SITS, HIGHEST_CARD, OWN_FACES, Setting
from referee.rules.cards.cards import BLANK, DRAW_TWO, REVERSE, SKIP, WILD, WILD_DRAW_FOUR, Deck, Face
from referee.rules.cards.decks import CLASSIC, deck_of
from referee.rules.text.problem import Impossible, Problem
from referee.rules.text.words import RuleText

T = TypeVar("T")

TOPICS = (
    "deck", "deal", "who-starts", "start-card", "playing", "drawing", "wild", "draw-four", "draw-four-challenge",
    "stacking", "draw-two", "skip-reverse", "with-two", "uno-call", "wrong-card", "draw-pile-empty", "last-card",
    "scoring", "game-over", "special-cards", "house-rules", "conduct",
)  # fmt: skip
TABLE_SIZES = range(2, 11)
"""Numbers of players the app supports; a rulebook may narrow them."""


ANSWERS = ("allowed", "forbidden", "cards", "points")
"""How a setting answers a question: a flag that allows or forbids where it is true; a number of cards, or of points."""


@dataclass(frozen=True, slots=True)
class TableQuestion:
    """A question a table asks, which every rulebook answers by a clause or leaves open."""

    id: str
    topic: str
    text: str
    answered_by: tuple[str, str] = ("", "")
    """a word of `ANSWERS` and the setting whose value is the answer in a word; empty where no single one is"""


@dataclass(frozen=True)
class Clause:
    """What a rulebook says about one thing, what that settles, and where it says so."""

    id: str
    topic: str
    title: str
    text: str
    quote: str = ""
    cite: str = ""
    reading: str = ""
    settings: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    house_rule: str = ""
    replaces: Clause | None = None
    quote_translation: str = ""
    """the quotation in the language spoken, in our words; empty where nothing needs a translation"""
    catalogue_entry: tuple[str, str] = field(default=("", ""), compare=False)
    """where a published clause has its translations: the file, and how their keys begin"""
    title_entry: tuple[str, str] = field(default=("", ""), compare=False)
    """the entry that has the translation of the title; another clause's where the file leaves it to that"""
    since: str = field(default="", compare=False)
    """the release that changed the meaning of a published clause though not its settings"""
    earlier: tuple[str, ...] = field(default=(), compare=False)
    """texts that said the same in earlier releases"""
    decided: bool = False
    """whether a table decided it where its rulebook is silent; no text has it, and no match freezes it"""
    beside: Clause | None = None
    """what a table decided of the parts that this clause leaves open"""


@dataclass(frozen=True)
class HouseRule:
    """A change of named clauses that a table may agree on under one rulebook."""

    id: str
    title: str
    text: str
    excludes: tuple[str, ...]
    clauses: tuple[Clause, ...]
    named_by_source: bool
    quote: str = ""
    cite: str = ""


class Settled(dict[Setting[Any], Any]):
    """Values of settings and the clauses that carry them, looked up once: hearings ask the same over and over."""

    def __init__(self, clauses: Mapping[str, Clause]) -> None:
        self._clauses = clauses

    def __missing__(self, setting: Setting[Any]) -> tuple[Any, Clause] | None:
        """Look a setting up."""
        clause = self._clauses.get(setting.question)
        while clause is not None and setting.name not in clause.settings:
            clause = clause.beside
        found = self[setting] = None if clause is None else (setting.parse(clause.settings[setting.name]), clause)
        return found


@dataclass(frozen=True)
class Rulebook:
    """The rules of one text, with the house rules in force applied to its clauses."""

    id: str
    title: str
    sentence: str
    source: str
    clauses: Mapping[str, Clause]
    house_rules: Mapping[str, HouseRule]
    in_force: tuple[str, ...] = ()
    base: str = ""
    """the published rulebook that a table's own one is based on; empty for a published one"""
    in_short: str = ""
    """how it differs from the others, in about five words; told in lists, and no part of what a match freezes"""
    settles: int = 0
    """how many of the 40 most common quarrels it leaves nothing open in; told in lists too, 0 where nobody counted"""

    def find(self, setting: Setting[T]) -> tuple[T, Clause] | None:
        """Look up a setting's value and the clause that carries it; None where the text is silent."""
        found: tuple[T, Clause] | None = self.found[setting]
        return found

    @cached_property
    def found(self) -> Settled:
        """Return what `find` finds of each setting."""
        return Settled(self.clauses)

    @cached_property
    def derived(self) -> dict[Callable[[Rulebook], Any], Any]:
        """Keep what `once_a_rulebook` worked out."""
        return {}

    def value(self, setting: Setting[T], default: T) -> T:
        """Look up a setting's value alone, `default` where the text is silent; for lists, not for verdicts."""
        answer = self.find(setting)
        return default if answer is None else answer[0]

    @cached_property
    def deck(self) -> Deck:
        """Return the deck of the text, one box of it; the classic one where the text names none."""
        return deck_of(self.value(settings.DECK, CLASSIC))

    @cached_property
    def players(self) -> range:
        """Return the allowed numbers of players; without a limit in the text, those the app supports."""
        least = self.value(settings.PLAYERS_MIN, TABLE_SIZES.start)
        most = self.value(settings.PLAYERS_MAX, TABLE_SIZES.stop - 1)
        return range(least, most + 1)

    @cached_property
    def has_launcher(self) -> bool:
        """Return whether whoever draws presses a launcher, which fires any number of cards."""
        return self.value(settings.DRAW_UNIT, "cards") == "presses"

    def with_house_rules(self, ids: Sequence[str]) -> Rulebook:
        """Put house rules in force: their clauses replace or join those of the text.

        Raises `Impossible` naming each id that is unknown, not possible under this rulebook, given
        twice, or excluded by another, as ``house_rules[i]``. Those that are in force already stay so.
        """
        added = tuple(id for id in ids if id not in self.in_force)
        if not added:
            return self
        problems = []
        for place, id in enumerate(ids):
            where = ("house_rules", place)
            rule = self.house_rules.get(id)
            if rule is None:
                key = "house-rule-unknown" if self.house_rules else "house-rules-none"
                choices = ", ".join(self.house_rules)
                problems.append(Problem.said(where, key, rule=id[:40], rulebook=self.title, choices=choices))
            elif id in ids[:place]:
                problems.append(Problem.said(where, "house-rule-twice", rule=rule.title))
            else:
                before = (*self.in_force, *ids[:place])
                others = [self.house_rules[other] for other in before if other in self.house_rules]
                problems += [
                    Problem.said(where, "house-rules-exclude", first=rule.title, second=other.title)
                    for other in others
                    if other.id in rule.excludes or id in other.excludes
                ]
        if problems:
            raise Impossible(problems)
        clauses = dict(self.clauses)
        for id in added:
            for clause in self.house_rules[id].clauses:
                old = clauses.get(clause.id)
                kept = {} if old is None else dict(old.settings)
                clauses[clause.id] = replace(
                    clause, settings=MappingProxyType(kept | dict(clause.settings)), house_rule=id, replaces=old
                )
        return replace(self, clauses=MappingProxyType(clauses), in_force=self.in_force + added)

    def to_document(self) -> dict[str, Any]:
        """Return the whole rulebook as JSON values, to be frozen into a match; `from_document` reads it back.

        It has the published words, whatever language the rulebook speaks.
        """
        base = self.without_house_rules()
        return {
            **({"base": base.base} if base.base else {}),
            "id": base.id,
            "title": frozen(base.title),
            "sentence": frozen(base.sentence),
            "source": frozen(base.source),
            "clauses": [_clause_document(clause) for clause in base.clauses.values()],
            "house_rules": [
                {
                    "id": rule.id,
                    "title": frozen(rule.title),
                    "text": frozen(rule.text),
                    "excludes": list(rule.excludes),
                    "named_by_source": rule.named_by_source,
                    "quote": rule.quote,
                    "cite": rule.cite,
                    "clauses": [_clause_document(clause) for clause in rule.clauses],
                }
                for rule in base.house_rules.values()
            ],
            "in_force": list(self.in_force),
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Rulebook:
        """Read a frozen rulebook back, its house rules in force again."""
        rules = {
            rule["id"]: HouseRule(
                id=rule["id"],
                title=rule["title"],
                text=rule["text"],
                excludes=tuple(rule["excludes"]),
                clauses=tuple(_clause_from_document(clause) for clause in rule["clauses"]),
                named_by_source=rule["named_by_source"],
                quote=rule["quote"],
                cite=rule["cite"],
            )
            for rule in document["house_rules"]
        }
        base = cls(
            id=document["id"],
            title=document["title"],
            sentence=document["sentence"],
            source=document["source"],
            clauses=MappingProxyType({clause["id"]: _clause_from_document(clause) for clause in document["clauses"]}),
            house_rules=MappingProxyType(rules),
            base=document.get("base") or "",
        )
        return base.with_house_rules(document["in_force"])

    def with_decision(self, ours: Clause) -> Rulebook:
        """Return the rulebook with what a table decided where it is silent; what it says itself stays as it is."""
        old = self.clauses.get(ours.id)
        clause = replace(old, beside=replace(ours, beside=old.beside)) if old else ours
        filled = replace(self, clauses=MappingProxyType({**self.clauses, ours.id: clause}))
        filled.found.update((setting, found) for setting, found in self.found.items() if setting.question != ours.id)
        return filled

    def without_house_rules(self) -> Rulebook:
        """Return the rulebook as it reads when no house rule is in force."""
        clauses = {}
        for clause in self.clauses.values():
            original: Clause | None = clause
            while original is not None and original.house_rule:
                original = original.replaces
            if original is not None:
                clauses[original.id] = original
        return replace(self, clauses=MappingProxyType(clauses), in_force=())

    @cached_property
    def digest(self) -> str:
        """Fingerprint the rulebook with its house rules in force: SHA-256 over its document, in hex."""
        canonical = json.dumps(self.to_document(), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()

    def __hash__(self) -> int:
        """Return a number that tells most rulebooks apart without reading them, so that what follows can be cached."""
        return hash((self.id, self.in_force))


def once_a_rulebook(work: Callable[[Rulebook], T]) -> Callable[[Rulebook], T]:
    """Let what follows from a rulebook alone be worked out once for it: a rulebook never changes."""

    @wraps(work)
    def known(rulebook: Rulebook) -> T:
        derived = rulebook.derived
        try:
            made: T = derived[work]
        except KeyError:
            made = derived[work] = work(rulebook)
        return made

    return known


def frozen(text: str) -> str:
    """Return the words that a match freezes of a text."""
    return text.frozen if isinstance(text, RuleText) else text


def _clause_document(clause: Clause) -> dict[str, Any]:
    names = ("id", "topic", "title", "text", "quote", "cite", "reading")
    document = {name: frozen(getattr(clause, name)) for name in names}
    replaced = {"replaces": _clause_document(clause.replaces)} if clause.replaces else {}
    return document | {"settings": dict(clause.settings)} | replaced


def _clause_from_document(document: Mapping[str, Any]) -> Clause:
    replaced = document.get("replaces")
    return Clause(
        **{
            **document,
            "settings": MappingProxyType(dict(document["settings"])),
            "replaces": _clause_from_document(replaced) if replaced else None,
        }
    )


DRAWS_OF: Mapping[str, Setting[int]] = MappingProxyType(
    {DRAW_TWO: settings.DRAW_TWO_DRAWS, WILD_DRAW_FOUR: settings.DRAW_FOUR_DRAWS}
)
"""The settings of the faces that most boxes share; others have a clause of their own."""


def number_drawn(rulebook: Rulebook, face: str) -> int:
    """Look up how many cards a face makes someone draw; 0 where the text has no number for it."""
    if face in OWN_FACES:
        drawn = rulebook.value(settings.CARD_DRAWS.at(f"card-{face}"), 0)
        return drawn if isinstance(drawn, int) else 0
    of_all = DRAWS_OF.get(face)
    return 0 if of_all is None else rulebook.value(of_all, 0)


LEFT, RIGHT = 1, -1
"""Steps clockwise around the table."""


def steps_to_first(rulebook: Rulebook) -> int | None:
    """Return the steps clockwise from who opens the round to who plays first; None where the text doesn't say."""
    # who draws the highest card has one part, the player to the left has the other
    if rule := rulebook.find(HIGHEST_CARD):
        return RIGHT if rule[0] == "plays-first" else LEFT
    return LEFT if rulebook.find(FIRST_SITS) else None


_WORTH: Mapping[str, Setting[int]] = {
    **dict.fromkeys((SKIP, REVERSE, DRAW_TWO), settings.ACTION_POINTS),
    WILD: settings.WILD_POINTS,
    WILD_DRAW_FOUR: settings.WILD_DRAW_FOUR_POINTS,
    BLANK: settings.BLANK_POINTS,
    "wild-shuffle-hands": settings.SHUFFLE_HANDS_POINTS,
    "wild-customizable": settings.CUSTOMIZABLE_POINTS,
}
_FACE_POINTS = tuple(settings.FACE_POINTS.at(question) for question in sorted(settings.FACE_POINTS.carriers))
GROUP_POINTS = {settings.NUMBER_POINTS.name, *(group.name for group in _WORTH.values())}
"""The settings that give a whole group of faces its worth."""


def group_of(face: Face) -> Setting[Any]:
    """Find the setting with the value of a face's whole group."""
    if face.number is not None:
        return settings.NUMBER_POINTS
    return _WORTH.get(face, settings.ACTION_POINTS if face.is_action else settings.FACE_POINTS.at("points-special"))


def text_worth(rulebook: Rulebook, face: Face) -> Setting[Any] | None:
    """Find the setting with a face's value: its own, else its group's, else None."""
    for own in _FACE_POINTS:
        if face in rulebook.value(own, {}):
            return own
    group = group_of(face)
    return group if group not in _FACE_POINTS and rulebook.find(group) is not None else None


def note_on_worth(rulebook: Rulebook, face: Face) -> str:
    """Return what a rulebook remarks on the points of a face’s group, for a table that must agree on them."""
    clause = rulebook.clauses.get(group_of(face).question)
    return clause.reading if clause else ""
