"""Rulebooks: one published text a TOML file, as clauses that code and people both read.

A rulebook file says for each of the questions a table asks which clause answers it, or that the text
is silent. A clause is what the text says in our own words, what it settles (settings) and where it
was read (citation). A house rule replaces or adds named clauses, visibly.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from referee.rules import settings as registry
from referee.rules.problem import Impossible, Problem
from referee.rules.settings import Setting, WrongValue

T = TypeVar("T")

TOPICS = (
    "deck", "deal", "who-starts", "start-card", "playing", "drawing", "wild", "draw-four", "draw-four-challenge", "stacking", "draw-two",
    "skip-reverse", "with-two", "uno-call", "wrong-card", "draw-pile-empty", "last-card", "scoring", "game-over", "special-cards",
    "house-rules", "conduct",
)  # fmt: skip
LONGEST_QUOTE = 12
"""Words of a text that may be quoted in one clause; facts carry over, sentences do not."""
TABLE_SIZES = range(2, 11)
"""Numbers of players the app serves at all; a text may narrow it."""


@dataclass(frozen=True, order=True, slots=True)
class Fault:
    """One thing wrong in a rulebook file: where, and what would be right."""

    file: str
    clause: str
    key: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}, {self.clause or 'top level'}, {self.key}: {self.message}"


class BrokenRulebook(ValueError):
    """A rulebook or house rule file that cannot be used, with all its faults."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(map(str, self.faults)))


@dataclass(frozen=True, slots=True)
class TableQuestion:
    """A question a table asks, which every rulebook answers by a clause or leaves open."""

    id: str
    topic: str
    text: str


@dataclass(frozen=True, slots=True)
class Clause:
    """What a rulebook says on one thing, what that settles, and where it was read."""

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


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True)
class Rulebook:
    """One text's rules, with the house rules in force already applied to its clauses."""

    id: str
    title: str
    sentence: str
    source: str
    clauses: Mapping[str, Clause]
    house_rules: Mapping[str, HouseRule]
    in_force: tuple[str, ...] = ()

    def find(self, setting: Setting[T]) -> tuple[T, Clause] | None:
        """Look up a setting's value and the clause that carries it; None where the text is silent."""
        clause = self.clauses.get(setting.question)
        if clause is None or setting.name not in clause.settings:
            return None
        return setting.parse(clause.settings[setting.name]), clause

    def value(self, setting: Setting[T], default: T) -> T:
        """Look up a setting's value alone, `default` where the text is silent; for lists and menus, not for verdicts."""
        found = self.find(setting)
        return default if found is None else found[0]

    @property
    def players(self) -> range:
        """Give the numbers of players that fit; where the text names no bound, what the app serves."""
        least = self.value(registry.PLAYERS_MIN, TABLE_SIZES.start)
        most = self.value(registry.PLAYERS_MAX, TABLE_SIZES.stop - 1)
        return range(least, most + 1)

    def with_house_rules(self, ids: Sequence[str]) -> Rulebook:
        """Put house rules in force: their clauses replace or join those of the text.

        Raises `Impossible` naming each id that is unknown, not possible under this rulebook, given
        twice, or excluded by another, as ``house_rules[i]``.
        """
        problems = []
        for place, id in enumerate(ids):
            where = f"house_rules[{place}]"
            rule = self.house_rules.get(id)
            if rule is None:
                allowed = ", ".join(self.house_rules) or "none"
                problems.append(Problem(where, f"“{id[:40]}” is not a house rule for {self.title}; possible are: {allowed}."))
            elif id in ids[:place]:
                problems.append(Problem(where, f"“{rule.title}” is there twice; name it once."))
            else:
                against = [other for other in ids[:place] if other in rule.excludes or id in self._excludes(other)]
                problems += [
                    Problem(where, f"“{rule.title}” and “{self.house_rules[other].title}” exclude each other; keep one.") for other in against
                ]
        if problems:
            raise Impossible(problems)
        clauses = dict(self.clauses)
        for id in ids:
            for clause in self.house_rules[id].clauses:
                old = clauses.get(clause.id)
                kept = {} if old is None else dict(old.settings)
                clauses[clause.id] = replace(clause, settings=MappingProxyType(kept | dict(clause.settings)), house_rule=id, replaces=old)
        return replace(self, clauses=MappingProxyType(clauses), in_force=self.in_force + tuple(ids))

    def _excludes(self, id: str) -> tuple[str, ...]:
        rule = self.house_rules.get(id)
        return rule.excludes if rule else ()

    def to_document(self) -> dict[str, Any]:
        """Write the whole rulebook as JSON values, to be frozen into a match; `from_document` reads it back."""
        base = self._without_house_rules()
        return {
            "id": base.id,
            "title": base.title,
            "sentence": base.sentence,
            "source": base.source,
            "clauses": [_clause_document(clause) for clause in base.clauses.values()],
            "house_rules": [
                {
                    "id": rule.id,
                    "title": rule.title,
                    "text": rule.text,
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
        )
        return base.with_house_rules(document["in_force"])

    def _without_house_rules(self) -> Rulebook:
        clauses = {}
        for clause in self.clauses.values():
            original: Clause | None = clause
            while original is not None and original.house_rule:
                original = original.replaces
            if original is not None:
                clauses[original.id] = original
        return replace(self, clauses=MappingProxyType(clauses), in_force=())

    @property
    def digest(self) -> str:
        """Fingerprint the rulebook with its house rules in force: SHA-256 over its document, in hex."""
        canonical = json.dumps(self.to_document(), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()


def _clause_document(clause: Clause) -> dict[str, Any]:
    document = {name: getattr(clause, name) for name in ("id", "topic", "title", "text", "quote", "cite", "reading")}
    return document | {"settings": dict(clause.settings)}


def _clause_from_document(document: Mapping[str, Any]) -> Clause:
    return Clause(**{**document, "settings": MappingProxyType(dict(document["settings"]))})


# --- reading files ------------------------------------------------------------------------------

_CLAUSE_KEYS = frozenset({"id", "topic", "title", "text", "quote", "cite", "reading", "settings"})
_RULEBOOK_KEYS = frozenset({"id", "title", "sentence", "source", "coverage", "clauses", "house_rules"})
_HOUSE_RULE_KEYS = frozenset({"id", "title", "text", "excludes", "clauses"})
_NAMED_KEYS = frozenset({"id", "named_by_source", "quote", "cite", "clauses"})


class _Reader:
    """Reads the tables of one file, collecting every fault with its file, clause and key."""

    def __init__(self, path: Path) -> None:
        self.file = path.name
        self.faults: list[Fault] = []
        try:
            self.document: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise BrokenRulebook([Fault(self.file, "", "", f"is not readable as TOML: {error}")]) from error

    def fault(self, clause: str, key: str, message: str) -> None:
        self.faults.append(Fault(self.file, clause, key, message))

    def text(self, table: Mapping[str, Any], key: str, clause: str, *, required: bool = True) -> str:
        value = table.get(key, "")
        if not isinstance(value, str):
            self.fault(clause, key, "must be a text in quotation marks")
            return ""
        if required and not value.strip():
            self.fault(clause, key, "is missing")
        return value.strip()

    def known_keys(self, table: Mapping[str, Any], allowed: frozenset[str], clause: str) -> None:
        for key in table.keys() - allowed:
            self.fault(clause, key, f"is not a key here; possible are {', '.join(sorted(allowed))}")

    def tables(self, table: Mapping[str, Any], key: str, clause: str) -> Iterator[Mapping[str, Any]]:
        value = table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self.fault(clause, key, f"must be tables, each under [[{key}]]")
            return
        yield from value

    def clauses(self, table: Mapping[str, Any], owner: str) -> tuple[Clause, ...]:
        found: dict[str, Clause] = {}
        for item in self.tables(table, "clauses", owner):
            clause = self.clause(item, owner)
            if clause.id in found:
                self.fault(clause.id, "id", "stands twice in this file")
            found[clause.id] = clause
        return tuple(found.values())

    def clause(self, item: Mapping[str, Any], owner: str) -> Clause:
        id = self.text(item, "id", owner)
        self.known_keys(item, _CLAUSE_KEYS, id)
        topic = self.text(item, "topic", id)
        if topic and topic not in TOPICS:
            self.fault(id, "topic", f"“{topic}” is not one of {', '.join(TOPICS)}")
        quote = self.text(item, "quote", id, required=False)
        if len(quote.split()) > LONGEST_QUOTE:
            self.fault(id, "quote", f"has {len(quote.split())} words; at most {LONGEST_QUOTE} are quoted")
        return Clause(
            id=id,
            topic=topic,
            title=self.text(item, "title", id),
            text=self.text(item, "text", id),
            quote=quote,
            cite=self.text(item, "cite", id),
            reading=self.text(item, "reading", id, required=False),
            settings=MappingProxyType(self.settings(item, id)),
        )

    def settings(self, item: Mapping[str, Any], id: str) -> dict[str, object]:
        value = item.get("settings", {})
        if not isinstance(value, dict):
            self.fault(id, "settings", "must be a table, as in { guilty_draws = 4 }")
            return {}
        for name, raw in value.items():
            setting = registry.declared().get(name)
            if setting is None:
                self.fault(id, name, "is a setting that no code reads")
            elif setting.question != id:
                self.fault(id, name, f"belongs to the clause “{setting.question}”")
            else:
                try:
                    setting.parse(raw)
                except WrongValue as error:
                    self.fault(id, name, str(error))
        return value

    def finish(self) -> None:
        if self.faults:
            raise BrokenRulebook(self.faults)


def load_questions(path: Path) -> Mapping[str, TableQuestion]:
    """Read the questions a table asks, in their order, by id; raises `BrokenRulebook`."""
    reader = _Reader(path)
    questions: dict[str, TableQuestion] = {}
    for item in reader.tables(reader.document, "questions", ""):
        id = reader.text(item, "id", "")
        question = TableQuestion(id, reader.text(item, "topic", id), reader.text(item, "text", id))
        if question.topic not in TOPICS:
            reader.fault(id, "topic", f"“{question.topic}” is not one of {', '.join(TOPICS)}")
        if id in questions:
            reader.fault(id, "id", "stands twice in this file")
        questions[id] = question
    reader.finish()
    return MappingProxyType(questions)


def load_house_rule(path: Path, questions: Mapping[str, TableQuestion]) -> HouseRule:
    """Read one house rule, in the words any table may use; raises `BrokenRulebook`."""
    reader = _Reader(path)
    document = reader.document
    reader.known_keys(document, _HOUSE_RULE_KEYS, "")
    excludes = document.get("excludes", [])
    if not isinstance(excludes, list) or not all(isinstance(id, str) for id in excludes):
        reader.fault("", "excludes", "must be a list of ids of house rules")
        excludes = []
    rule = HouseRule(
        id=reader.text(document, "id", ""),
        title=reader.text(document, "title", ""),
        text=reader.text(document, "text", ""),
        excludes=tuple(excludes),
        clauses=reader.clauses(document, ""),
        named_by_source=False,
    )
    carried = set(questions) | {setting.question for setting in registry.declared().values()}
    for clause in rule.clauses:
        if clause.id not in carried:
            reader.fault(clause.id, "id", "changes a clause that no rulebook has and no question asks for")
    if rule.id != path.stem:
        reader.fault("", "id", f"must be “{path.stem}”, as the file is called")
    reader.finish()
    return rule


def load_rulebook(path: Path, questions: Mapping[str, TableQuestion], house_rules: Mapping[str, HouseRule]) -> Rulebook:
    """Read one rulebook file, checked against the questions and the house rules there are.

    Raises `BrokenRulebook` with every fault, each naming file, clause and key.
    """
    reader = _Reader(path)
    document = reader.document
    reader.known_keys(document, _RULEBOOK_KEYS, "")
    id = reader.text(document, "id", "")
    if id != path.stem:
        reader.fault("", "id", f"must be “{path.stem}”, as the file is called")
    clauses = {clause.id: clause for clause in reader.clauses(document, "")}
    _check_coverage(reader, document.get("coverage"), questions, clauses)
    rulebook = Rulebook(
        id=id,
        title=reader.text(document, "title", ""),
        sentence=reader.text(document, "sentence", ""),
        source=reader.text(document, "source", ""),
        clauses=MappingProxyType(clauses),
        house_rules=MappingProxyType(_house_rules_of(reader, house_rules, clauses)),
    )
    reader.finish()
    return rulebook


def _check_coverage(reader: _Reader, coverage: object, questions: Mapping[str, TableQuestion], clauses: Mapping[str, Clause]) -> None:
    if not isinstance(coverage, dict):
        reader.fault("", "coverage", "is missing: say for each question which clause answers it, or “silent”")
        return
    for id in coverage.keys() - questions.keys():
        reader.fault("", f"coverage.{id}", "is not one of the questions a table asks")
    for id, question in questions.items():
        said = coverage.get(id)
        if said not in (id, "silent"):
            reader.fault("", f"coverage.{id}", f"must be “{id}” or “silent”")
        elif said == "silent" and id in clauses:
            reader.fault(id, f"coverage.{id}", "is called silent, yet there is a clause")
        elif said == id and id not in clauses:
            reader.fault(id, f"coverage.{id}", "has no clause")
        elif said == id and clauses[id].topic != question.topic:
            reader.fault(id, "topic", f"must be “{question.topic}”, as the question's")


def _house_rules_of(reader: _Reader, known: Mapping[str, HouseRule], clauses: Mapping[str, Clause]) -> dict[str, HouseRule]:
    found = {}
    for item in reader.tables(reader.document, "house_rules", ""):
        id = reader.text(item, "id", "")
        reader.known_keys(item, _NAMED_KEYS, id)
        named = item.get("named_by_source")
        if not isinstance(named, bool):
            reader.fault(id, "named_by_source", "must be true or false")
        general = known.get(id)
        if general is None:
            reader.fault(id, "id", f"is not a house rule; there are {', '.join(known)}")
            continue
        own = {clause.id: clause for clause in reader.clauses(item, id)}
        for clause_id in own.keys() - {clause.id for clause in general.clauses} - clauses.keys():
            reader.fault(clause_id, "id", f"is changed by “{id}”, but no clause of that id is there to change")
        merged = {clause.id: clause for clause in general.clauses} | own
        found[id] = replace(
            general,
            clauses=tuple(merged.values()),
            named_by_source=bool(named),
            quote=reader.text(item, "quote", id, required=False),
            cite=reader.text(item, "cite", id, required=named is True),
        )
    return found
