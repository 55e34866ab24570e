"""The rulebooks of this installation, each read once when first asked for, and any rulebook in the language spoken.

A match keeps the English of its rules. What it kept is found in a catalogue by the key of the published text, where
that still means the same; elsewhere it is read in English.

Boxes and ways to play are here too, with the words that show a question is about one.

Files are read with each fault named by file, clause and key.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from referee.rules import RULES_FOLDER
from referee.rules.books import settings as registry
from referee.rules.books.rulebook import ANSWERS, TOPICS, Clause, HouseRule, Rulebook, TableQuestion
from referee.rules.books.settings import WrongValue
from referee.rules.cards import decks
from referee.rules.cards.decks import extra_faces
from referee.rules.text.problem import Impossible, Problem
from referee.rules.text.toml_files import Reader, ids_of, read_toml
from referee.rules.text.words import ENGLISH, RuleText, cached_by_language, language, say, translated, translation

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

    titles: Mapping[str, Clause] = MappingProxyType({})
    """clauses whose titles those of the same id have that bring none"""

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
        entry = (catalogue_entry[0], f"{catalogue_entry[1]}{id}")
        titled = None if "title" in item else self.titles.get(id)
        return Clause(
            id=id,
            topic=topic,
            title=titled.title if titled else self.text(item, "title", id),
            text=self.text(item, "text", id),
            quote=quote,
            cite=self.text(item, "cite", id),
            reading=self.text(item, "reading", id, required=False),
            settings=MappingProxyType(self.settings(item, id)),
            catalogue_entry=entry,
            title_entry=titled.title_entry if titled else entry,
            since=self.text(item, "since", id, required=False),
            earlier=self.texts(item, "earlier", id, "texts in quotation marks"),
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
            _answer(reader, item, id),
        )
        if question.topic not in TOPICS:
            reader.fault(id, "topic", f"“{question.topic}” is not one of {', '.join(TOPICS)}")
        if id in questions:
            reader.fault(id, "id", "stands twice in this file")
        questions[id] = question
    reader.finish()
    return MappingProxyType(questions)


def _answer(reader: _RulebookReader, item: Mapping[str, Any], id: str) -> tuple[str, str]:
    raw = item.get("answer", {"": ""})
    how, name = next(iter(raw.items()), (None, None)) if isinstance(raw, dict) else (None, None)
    if how not in ("", *ANSWERS) or name not in ("", *registry.declared()):
        reader.fault(id, "answer", f'must be a setting by {", ".join(ANSWERS)}, as in {{ allowed = "stacks" }}')
        return ("", "")
    return (how, name)


def load_house_rule(path: Path, questions: Mapping[str, TableQuestion]) -> HouseRule:
    """Read one house rule, in the words any table may use; raises `BrokenRulebook`."""
    reader = _RulebookReader(path)
    document = reader.document
    reader.known_keys(document, _HOUSE_RULE_KEYS, "")
    rule = HouseRule(
        id=reader.text(document, "id", ""),
        title=reader.text(document, "title", ""),
        text=reader.text(document, "text", ""),
        excludes=reader.texts(document, "excludes", "", "ids of house rules"),
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
    reader.titles = known[next(iter(known))].clauses if known else {}
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
    without = reader.texts(reader.document, "without", "", "ids of clauses and house rules")
    base = known.get(id)
    if id and base is None:
        reader.fault("", "base", "is no rulebook that is read before; put that one first in `ORDER`")
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


ORDER = (
    "official", "classic-500", "two-player", "duo-200", "online-100-200", "speluitslagen",
    "challenge-500", "partners", "flip", "no-mercy", "attack", "triple-play", "all-wild",
    "dare",
)  # fmt: skip
"""The rulebooks that are offered first; any other file in the folder follows by its id."""
IDS = ids_of(RULES_FOLDER / "rulebooks", ORDER, besides="questions")
SECOND = MappingProxyType({"nl": "speluitslagen"})
"""The rulebook offered second in a language whose speakers grew up with it."""


@cached_by_language
def questions() -> Mapping[str, TableQuestion]:
    """Return the questions a table asks, in their order, by id."""
    return load_questions(RULES_FOLDER / "rulebooks" / "questions.toml")


@cached_by_language
def further_questions() -> Mapping[str, TableQuestion]:
    """Return what only some rulebooks answer, and what rulings find open in all, by id; none lists these as silent."""
    return load_questions(RULES_FOLDER / "rulebooks" / "questions.toml", "further")


@cached_by_language
def card_questions() -> Mapping[str, TableQuestion]:
    """Return what a text may answer on each face that only some boxes hold: what it does, also as the first card."""
    by_id: dict[str, TableQuestion] = {}
    for id, face in extra_faces().items():
        by_id[f"card-{id}"] = TableQuestion(f"card-{id}", "special-cards", say("card-questions.card", card=face.label))
        asked = say("card-questions.start-card", card=face.label)
        by_id[f"start-card-{id}"] = TableQuestion(f"start-card-{id}", "start-card", asked)
    return MappingProxyType(by_id)


@cached_by_language
def every_question() -> Mapping[str, TableQuestion]:
    """Return every question that a clause may answer, by id: a table's first."""
    return MappingProxyType({**questions(), **further_questions(), **card_questions()})


@cached_by_language
def house_rules() -> Mapping[str, HouseRule]:
    """Return every house rule in its general wording, by id."""
    return MappingProxyType({id: _rule_in_language(rule, rule) for id, rule in _published_house_rules().items()})


@cache
def _published_house_rules() -> Mapping[str, HouseRule]:
    known = every_question()
    rules = (load_house_rule(path, known) for path in sorted((RULES_FOLDER / "house_rules").glob("*.toml")))
    return MappingProxyType({rule.id: rule for rule in rules})


class Library(Mapping[str, Rulebook]):
    """Rulebooks by their ids, each read when it is first asked for; which there are is known without reading any."""

    def __init__(self, ids: tuple[str, ...], read: Callable[[str], Rulebook]) -> None:
        self._ids = ids
        self._make = read
        self._read: dict[str, Rulebook] = {}

    def __getitem__(self, id: str) -> Rulebook:
        """Read a rulebook, unless it was read before."""
        if id not in self._ids:
            raise KeyError(id)
        if id not in self._read:  # two threads may both read it
            self._read[id] = self._make(id)
        return self._read[id]

    def __contains__(self, id: object) -> bool:
        """Return whether there is such a rulebook."""
        return id in self._ids

    def __iter__(self) -> Iterator[str]:
        """Go through the ids in the order in which rulebooks are offered."""
        return iter(self._ids)

    def __len__(self) -> int:
        """Count the rulebooks."""
        return len(self._ids)


@cache
def published() -> Mapping[str, Rulebook]:
    """Return every rulebook by its id as its file has it, in English."""
    return Library(IDS, _load)


def _load(id: str) -> Rulebook:
    before = Library(IDS[: IDS.index(id)], published().__getitem__)  # a file adds only to those of an earlier one
    return load_rulebook(RULES_FOLDER / "rulebooks" / f"{id}.toml", questions(), _published_house_rules(), before)


@cached_by_language
def rulebooks() -> Mapping[str, Rulebook]:
    """Return every rulebook by its id, in the order in which they are offered in the language spoken."""
    ids = dict.fromkeys((IDS[0], SECOND.get(language().code, IDS[0]), *IDS))
    return Library(tuple(ids), lambda id: in_language(published()[id]))


def in_language(rulebook: Rulebook) -> Rulebook:
    """Return a published or frozen rulebook in the language spoken; what the published one says otherwise in English.

    A table's own title, sentence and source stay as they are.
    """
    known = published().get(rulebook.base or rulebook.id)
    if language().code == ENGLISH or known is None:
        return rulebook
    book = rulebook.without_house_rules()
    clauses = {id: clause_in_language(clause, known.clauses.get(id)) for id, clause in book.clauses.items()}
    rules = {id: _rule_in_language(rule, known.house_rules.get(id)) for id, rule in book.house_rules.items()}
    parts: dict[str, Any] = {}
    for name in () if rulebook.base else ("title", "sentence", "source", "in_short"):
        text = getattr(book, name)
        alike = text == getattr(known, name)
        parts[name] = _text(text, f"rulebooks/{known.id}", name, alike=alike)
    spoken = replace(book, clauses=MappingProxyType(clauses), house_rules=MappingProxyType(rules), **parts)
    return spoken.with_house_rules(rulebook.in_force)


def clause_in_language(clause: Clause, known: Clause | None) -> Clause:
    """Return a clause in the language spoken, by the key of the published one where that means the same.

    It does where the settings are equal. Where there are none, or they don't tell a change of its meaning (`since`),
    it is known by its text, today's or an `earlier` one; settings may have been added that this said all along.
    """
    if known is None:
        return replace(clause, title=_text(clause.title), text=_text(clause.text), reading=_text(clause.reading))
    worded = clause.text in (known.text, *known.earlier)
    if worded:
        alike = all(known.settings.get(name) == value for name, value in clause.settings.items())
    else:
        alike = clause.settings == known.settings and bool(known.settings and not known.since)
    file, key = known.catalogue_entry
    quoted = translation(language().code, file).get(f"{key}.quote", "") if clause.quote == known.quote else ""
    general = file == "house_rules" and clause.cite == known.cite
    return replace(
        clause,
        title=_text(clause.title, known.title_entry[0], f"{known.title_entry[1]}.title", alike=alike),
        text=_text(clause.text, file, f"{key}.text", alike=alike),
        reading=_text(clause.reading, file, f"{key}.reading", alike=alike),
        cite=RuleText(clause.cite, say("own.agreed")) if general else clause.cite,
        quote_translation=quoted,
        replaces=clause.replaces and clause_in_language(clause.replaces, known),
    )


def _rule_in_language(rule: HouseRule, known: HouseRule | None) -> HouseRule:
    if language().code == ENGLISH:
        return rule
    own = {clause.id: clause for clause in known.clauses} if known else {}
    alike = [(clause.id, clause.settings) for clause in rule.clauses] == [(id, own[id].settings) for id in own]
    return replace(
        rule,
        title=_text(rule.title, "house_rules", f"{rule.id}.title", alike=alike),
        text=_text(rule.text, "house_rules", f"{rule.id}.text", alike=alike),
        clauses=tuple(clause_in_language(clause, own.get(clause.id)) for clause in rule.clauses),
    )


def _text(text: str, file: str = "", key: str = "", *, alike: bool = False) -> str:
    """Return a text by its key if it means the same, else as English; one that is empty stays so."""
    return RuleText(text, translation(language().code, file).get(key) if alike else None) if text else ""


def get_rulebook(id: str) -> Rulebook:
    """Find a rulebook by its id; raises `Impossible` on ``rulebook``, naming those that there are."""
    rulebook = rulebooks().get(id)
    if rulebook is None:
        known = ", ".join(rulebooks())
        raise Impossible([Problem.said("rulebook", "rulebook-unknown", rulebook=id[:40], choices=known)])
    return rulebook


FILE = RULES_FOLDER / "boxes.toml"


@dataclass(frozen=True, slots=True)
class Box:
    """A box by its id, with the title it has in a sentence and one sentence about it."""

    id: str
    title: str
    about: str
    tells: tuple[str, ...]
    """Words that only this box uses."""
    asked: tuple[str, ...]
    """How people ask about it in words that also stand elsewhere."""
    deck: str | None = None
    """The deck that it is scored with where it has no rulebook of its own."""

    @property
    def notice(self) -> str:
        """Return a sentence on a question about this box, and whether the app has its rulebook or deck."""
        if self.known:
            return say("other-boxes.known", box=self.title)
        return say("other-boxes.counted" if self.deck else "other-boxes.unknown", box=self.title)

    @property
    def known(self) -> bool:
        """Return whether there is a rulebook of this box; it has the id of the box."""
        return self.id in rulebooks()


def box_of_rulebook(rulebook: Rulebook | None) -> str | None:
    """Return the id of the box that a rulebook is for, or is based on; None for one of the classic box."""
    if rulebook is None:
        return None
    home = rulebook.base or rulebook.id
    return home if home in boxes() else None


@cached_by_language
def boxes() -> Mapping[str, Box]:
    """Read all boxes by id, once."""
    listed = read_toml(FILE)["boxes"]
    return {
        each["id"]: Box(
            each["id"],
            translated("boxes", f"boxes.{each['id']}.title", each["title"]),
            translated("boxes", f"boxes.{each['id']}.about", each["about"]),
            tuple(each["tells"]),
            tuple(each["asked"]),
            each.get("deck"),
        )
        for each in listed
    }


@cached_by_language
def _of_the_classic_box() -> Mapping[str, Rulebook]:
    return MappingProxyType({id: book for id, book in rulebooks().items() if box_of_rulebook(book) is None})


def searched(rulebook: Rulebook | None) -> Mapping[str, Rulebook]:
    """Return the published rulebooks that a look-up searches: those of the classic box.

    The one in force leads; under another box it is the only one, as no other text speaks of those cards.
    """
    books = _of_the_classic_box()
    if rulebook is None:
        return books
    others = {id: book for id, book in books.items() if book.deck.box == rulebook.deck.box}
    return {rulebook.id: rulebook, **{id: others[id] for id in others if id != rulebook.id}}
