"""The rulebooks of this installation, each read once when first asked for, and any rulebook in the language spoken.

A match keeps the English of its rules. What it kept is found in a catalogue by the key of the published text, where
that still means the same; elsewhere it is read in English.

Boxes and ways to play are here too, with the words that show a question is about one.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Any

from referee.rules import RULES_FOLDER
from referee.rules.books.loading import load_house_rule, load_questions, load_rulebook
from referee.rules.books.rulebook import Clause, HouseRule, Rulebook, TableQuestion
from referee.rules.cards.decks import extra_faces
from referee.rules.text.problem import Impossible, Problem
from referee.rules.text.toml_files import ids_of, read_toml
from referee.rules.text.words import ENGLISH, RuleText, cached_by_language, language, say, translated, translation

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
        title=_text(clause.title, file, f"{key}.title", alike=alike),
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
