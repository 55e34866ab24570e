"""Read rulebook files, and name each fault with its file, clause and key."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from referee.rules.books import settings as registry
from referee.rules.books.rulebook import TOPICS, Clause, HouseRule, Rulebook, TableQuestion
from referee.rules.books.settings import WrongValue
from referee.rules.cards import decks
from referee.rules.text.toml_files import BrokenRulebook, Fault, Reader
from referee.rules.text.words import translated

__all__ = ["BrokenRulebook", "Fault", "load_house_rule", "load_questions", "load_rulebook"]

LONGEST_QUOTE = 12
"""Words of a text that may be quoted in one clause; facts carry over, sentences do not."""
LONGEST_SHORT = 7
"""Words in which a rulebook is told from the others in a list."""


CLAUSE_KEYS = frozenset({"id", "topic", "title", "text", "quote", "cite", "reading", "settings", "since", "earlier"})
RULEBOOK_KEYS = frozenset(
    {"id", "title", "sentence", "in_short", "settles", "source", "base", "without", "silent", "clauses", "house_rules"}
)
_HOUSE_RULE_KEYS = frozenset({"id", "title", "text", "excludes", "clauses"})
_NAMED_KEYS = frozenset({"id", "named_by_source", "quote", "cite", "clauses"})


class _RulebookReader(Reader):
    """Reads the clauses of one file besides."""

    def clauses(self, table: Mapping[str, Any], owner: str, file: str, key: str) -> tuple[Clause, ...]:
        """Read the clauses of a table, whose translations stand in a file under a key."""
        clauses: dict[str, Clause] = {}
        for item in self.tables(table, "clauses", owner):
            clause = self.clause(item, owner, (file, f"{key}clauses."))
            if clause.id in clauses:
                self.fault(clause.id, "id", "stands twice in this file")
            clauses[clause.id] = clause
        return tuple(clauses.values())

    def clause(self, item: Mapping[str, Any], owner: str, catalogue_entry: tuple[str, str]) -> Clause:
        id = self.text(item, "id", owner)
        self.known_keys(item, CLAUSE_KEYS, id)
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
            catalogue_entry=(catalogue_entry[0], f"{catalogue_entry[1]}{id}"),
            since=self.text(item, "since", id, required=False),
            earlier=self.texts(item, "earlier", id),
        )

    def texts(self, item: Mapping[str, Any], key: str, id: str) -> tuple[str, ...]:
        """Read a list of texts, which may be missing."""
        value = item.get(key, [])
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            self.fault(id, key, "must be a list of texts in quotation marks")
            return ()
        return tuple(value)

    def settings(self, item: Mapping[str, Any], id: str) -> dict[str, object]:
        value = item.get("settings", {})
        if not isinstance(value, dict):
            self.fault(id, "settings", "must be a table, as in { guilty_draws = 4 }")
            return {}
        for name, raw in value.items():
            setting = registry.declared().get(name)
            if setting is None:
                self.fault(id, name, "is a setting that no code reads")
            elif id not in setting.carriers:
                self.fault(id, name, f"belongs to the clause “{'” or “'.join(sorted(setting.carriers))}”")
            else:
                try:
                    setting.parse(raw)
                except WrongValue as error:
                    self.fault(id, name, str(error))
        return value


def load_questions(path: Path, kind: str = "questions") -> Mapping[str, TableQuestion]:
    """Read the questions a table asks (or the `further` ones), in their order, by id; raises `BrokenRulebook`."""
    reader = _RulebookReader(path)
    questions: dict[str, TableQuestion] = {}
    for item in reader.tables(reader.document, kind, ""):
        id = reader.text(item, "id", "")
        question = TableQuestion(
            id,
            reader.text(item, "topic", id),
            translated("questions", f"{kind}.{id}.text", reader.text(item, "text", id)),
        )
        if question.topic not in TOPICS:
            reader.fault(id, "topic", f"“{question.topic}” is not one of {', '.join(TOPICS)}")
        if id in questions:
            reader.fault(id, "id", "stands twice in this file")
        questions[id] = question
    reader.finish()
    return MappingProxyType(questions)


def load_house_rule(path: Path, questions: Mapping[str, TableQuestion]) -> HouseRule:
    """Read one house rule, in the words any table may use; raises `BrokenRulebook`."""
    reader = _RulebookReader(path)
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
        clauses=reader.clauses(document, "", "house_rules", f"{path.stem}."),
        named_by_source=False,
    )
    carried = set(questions).union(*(setting.carriers for setting in registry.declared().values()))
    for clause in rule.clauses:
        if clause.id not in carried:
            reader.fault(clause.id, "id", "changes a clause that no rulebook has and no question asks for")
    if rule.id != path.stem:
        reader.fault("", "id", f"must be “{path.stem}”, as the file is called")
    reader.finish()
    return rule


def load_rulebook(
    path: Path,
    questions: Mapping[str, TableQuestion],
    house_rules: Mapping[str, HouseRule],
    known: Mapping[str, Rulebook] = MappingProxyType({}),
) -> Rulebook:
    """Read one rulebook file, which may add to one of those `known`, checked against the questions and house rules.

    Raises `BrokenRulebook` with every fault, each naming file, clause and key.
    """
    reader = _RulebookReader(path)
    document = reader.document
    reader.known_keys(document, RULEBOOK_KEYS, "")
    id = reader.text(document, "id", "")
    if id != path.stem:
        reader.fault("", "id", f"must be “{path.stem}”, as the file is called")
    base = _base_of(reader, known)
    clauses = {} if base is None else dict(base.clauses)
    clauses |= {clause.id: clause for clause in reader.clauses(document, "", f"rulebooks/{path.stem}", "")}
    _check_faces(reader, clauses)
    if "base" not in document or "silent" in document:
        _check_silent(reader, document.get("silent"), questions, clauses)
    rules = {} if base is None else dict(base.house_rules)
    rules |= _house_rules_of(reader, house_rules, clauses)
    in_short = reader.text(document, "in_short", "", required=False)
    if len(in_short.split()) > LONGEST_SHORT:
        reader.fault("", "in_short", f"has {len(in_short.split())} words; at most {LONGEST_SHORT} fit a list")
    settles = document.get("settles", 0)
    if type(settles) is not int:
        reader.fault("", "settles", "must be a whole number")
    rulebook = Rulebook(
        id=id,
        title=reader.text(document, "title", ""),
        sentence=reader.text(document, "sentence", ""),
        source=reader.text(document, "source", ""),
        clauses=MappingProxyType(clauses),
        house_rules=MappingProxyType(rules),
        in_short=in_short,
        settles=settles,
    )
    reader.finish()
    return rulebook


def _base_of(reader: _RulebookReader, known: Mapping[str, Rulebook]) -> Rulebook | None:
    """Find the rulebook that this one is but for what it says itself, `without` the clauses and house rules named."""
    id = reader.text(reader.document, "base", "", required=False)
    without = reader.document.get("without", [])
    base = known.get(id)
    if id and base is None:
        reader.fault("", "base", "is no rulebook that is read before; put that one first in `ORDER`")
    if not isinstance(without, list) or not all(isinstance(each, str) for each in without):
        reader.fault("", "without", "must be a list of ids of clauses and house rules")
        return base
    if base is None:
        return None
    for each in without:
        if each not in base.clauses and each not in base.house_rules:
            reader.fault("", "without", f"names “{each}”, which is no clause or house rule of “{id}”")
    clauses = {id: clause for id, clause in base.clauses.items() if id not in without}
    rules = {id: rule for id, rule in base.house_rules.items() if id not in without}
    return replace(base, clauses=MappingProxyType(clauses), house_rules=MappingProxyType(rules))


def _check_faces(reader: _RulebookReader, clauses: Mapping[str, Clause]) -> None:
    """Refuse points for a face that no deck of the rulebook's box holds, or that two clauses give."""
    deck = clauses["deck-size"].settings.get(registry.DECK.name) if "deck-size" in clauses else None
    of_box = decks.decks_in_same_box(deck if isinstance(deck, str) and deck in decks.IDS else decks.CLASSIC)
    faces = dict.fromkeys(face for each in of_box for face in each.faces)
    given: dict[str, str] = {}
    for clause in clauses.values():
        points = clause.settings.get(registry.FACE_POINTS.name)
        for face in points if isinstance(points, dict) else ():
            if face not in faces and decks.is_face(face):
                reader.fault(
                    clause.id,
                    registry.FACE_POINTS.name,
                    f"has “{face}”, which is not in {of_box[0].box_title}; its faces are {', '.join(faces)}",
                )
            elif given.setdefault(face, clause.id) != clause.id:
                reader.fault(
                    clause.id, registry.FACE_POINTS.name, f"has “{face}”, whose points stand in “{given[face]}” already"
                )


def _check_silent(
    reader: _RulebookReader, silent: object, questions: Mapping[str, TableQuestion], clauses: Mapping[str, Clause]
) -> None:
    """Refuse a list of open questions that isn't complete: one that was overlooked would be a silence nobody meant."""
    if not isinstance(silent, list) or not all(isinstance(id, str) for id in silent):
        reader.fault("", "silent", "must be a list of the questions that no clause answers")
        return
    for id in silent:
        if id not in questions:
            reader.fault("", "silent", f"names “{id}”, which is not one of the questions a table asks")
        elif id in clauses:
            reader.fault(id, "silent", f"names “{id}”, yet there is a clause")
    for id, question in questions.items():
        if id not in clauses and id not in silent:
            reader.fault("", "silent", f"must name “{id}”, since no clause answers it")
        elif id in clauses and clauses[id].topic in TOPICS and clauses[id].topic != question.topic:
            reader.fault(id, "topic", f"must be “{question.topic}”, as the question's")


def _house_rules_of(
    reader: _RulebookReader, known: Mapping[str, HouseRule], clauses: Mapping[str, Clause]
) -> dict[str, HouseRule]:
    house_rules = {}
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
        read = reader.clauses(item, id, f"rulebooks/{Path(reader.file).stem}", f"house_rules.{id}.")
        own = {clause.id: clause for clause in read}
        for clause_id in own.keys() - {clause.id for clause in general.clauses} - clauses.keys():
            reader.fault(clause_id, "id", f"is changed by “{id}”, but no clause of that id is there to change")
        merged = {clause.id: clause for clause in general.clauses} | own
        house_rules[id] = replace(
            general,
            clauses=tuple(merged.values()),
            named_by_source=bool(named),
            quote=reader.text(item, "quote", id, required=False),
            cite=reader.text(item, "cite", id, required=named is True),
        )
    return house_rules
