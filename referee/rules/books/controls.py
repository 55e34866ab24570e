"""Every setting of every clause as a control: what may be chosen, and the sentence that each choice makes.

What a setting can take is read from its declaration (`referee.rules.books.settings`); labels, sentences and the
bounds of numbers stand in ``setting_words.toml``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

from referee.rules import RULES_FOLDER
from referee.rules.books import library
from referee.rules.books import settings as registry
from referee.rules.books.rulebook import TABLE_SIZES
from referee.rules.books.settings import Setting, WholeOrWord, Word, Words, WrongValue
from referee.rules.cards.decks import CLASSIC, decks, face_named
from referee.rules.text import words as texts
from referee.rules.text.toml_files import read_toml

Kind = Literal["number", "yes-no", "one-of", "several", "numbers", "by-players", "number-or-word", "by-face"]

PATH = RULES_FOLDER / "setting_words.toml"
MOST = 50
"""The most that a number can be where the words of its setting name no other."""
COUNTED = texts.CATEGORIES | {"0"}
"""The plural forms of a setting's sentence besides *other*."""
_SIZES = frozenset(map(str, TABLE_SIZES))
_KINDS: Mapping[object, Kind] = {
    registry.whole: "number",
    registry.wholes: "numbers",
    registry.by_face: "by-face",
    registry.flag: "yes-no",
    registry.by_players: "by-players",
    registry.whole_or_by_players: "by-players",
    Word: "one-of",
    Words: "several",
    WholeOrWord: "number-or-word",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """One word that may be chosen, and how it is called."""

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Control:
    """How one setting of one clause is chosen.

    `least`, `most`, `step` and `quick` are for numbers; `choices` for words. `sentences` holds what each case says: by
    the word chosen, by ``yes``, ``no``, ``none`` and ``each`` (with ``{players}``), of a number by its plural forms,
    ``0``, ``one`` and ``other`` (with ``{n}``).
    A control ``by-face`` has a number for any faces of the deck, and ``{face}`` in the sentence of each.
    """

    clause: str
    setting: Setting[Any]
    kind: Kind
    label: str
    sentences: Mapping[str, str]
    choices: tuple[Choice, ...] = ()
    least: int = 0
    most: int = MOST
    step: int = 1
    quick: tuple[int, ...] = ()
    hint: str = ""
    """what the sheets say of it, where they differ"""

    @property
    def name(self) -> str:
        """Return the name of the setting."""
        return self.setting.name

    @property
    def id(self) -> str:
        """Return the id of the control: clause and setting."""
        return f"{self.clause}.{self.name}"

    def problem(self, value: object) -> str | None:
        """Return what is wrong with a value; None where the setting can take it."""
        by_face = self.kind == "by-face"
        if isinstance(value, Mapping) and not by_face and not all(str(players) in _SIZES for players in value):
            return texts.say("own.wrong-players", least=TABLE_SIZES[0], most=TABLE_SIZES[-1])
        try:
            parsed = self.setting.parse(value)
        except WrongValue as error:
            return str(error)
        numbers = parsed.values() if isinstance(parsed, Mapping) else parsed if self.kind == "numbers" else (parsed,)
        if self.kind not in ("yes-no", "one-of", "several") and not isinstance(parsed, str):
            if len(numbers) > len(TABLE_SIZES) and not by_face:
                return texts.say("own.too-many-numbers", most=len(TABLE_SIZES))
            if not all(self.least <= number <= self.most for number in numbers):
                return texts.say(
                    "own.out-of-bounds",
                    least=texts.language().number(self.least, ","),
                    most=texts.language().number(self.most, ","),
                )
        return None

    def meaning(self, value: object) -> str:
        """Return what a value means, in a sentence, or one for each number of players."""
        parsed = self.setting.parse(value)
        if isinstance(parsed, Mapping):
            each = self.sentences["each"]
            if self.kind == "by-face":
                labelled = ((face_named(face).label, n) for face, n in sorted(parsed.items()))
                return " ".join(each.format(face=face, n=_number(n)) for face, n in labelled)
            return " ".join(each.format(players=players, n=_number(n)) for players, n in sorted(parsed.items()))
        if self.kind == "yes-no":
            return self.sentences["yes" if parsed else "no"]
        if self.kind == "one-of" or isinstance(parsed, str):
            return self.sentences[parsed]
        if self.kind == "several":
            return self.sentences["+".join(choice.value for choice in self.choices if choice.value in parsed) or "none"]
        if self.kind == "numbers":
            if parsed and "list" in self.sentences:
                return self.sentences["list"].format(n=", ".join(map(str, parsed)))
            return " ".join(map(self._count, parsed)) or self.sentences["none"]
        return self._count(parsed)

    def _count(self, n: int) -> str:
        form = next(form for form in (str(n), texts.language().category(n), texts.OTHER) if form in self.sentences)
        return self.sentences[form].format(n=_number(n))


@texts.cached_by_language
def controls() -> Mapping[str, Mapping[str, Control]]:
    """Return every control by clause and setting, in the order in which the questions and settings are declared."""
    by_clause: dict[str, dict[str, Control]] = {}
    declared = registry.declared().values()
    for clause in library.every_question():
        here = [setting for setting in declared if clause in setting.carriers and _words_of(clause, setting.name)]
        if here:
            by_clause[clause] = {setting.name: _control(clause, setting) for setting in here}
    return by_clause


@texts.cached_by_language
def most_changed() -> tuple[Control, ...]:
    """Return what tables change most, in the order in which it is offered first."""
    ids = (id.split(".") for id in _words()["first"]["changed"])
    return tuple(controls()[clause][name] for clause, name in ids)


@texts.cached_by_language
def _words() -> dict[str, Any]:
    """Return the words of the settings in the language spoken."""
    code = texts.language().code
    return _over(read_toml(PATH), texts.translation(code, "settings") if code != texts.ENGLISH else {}, "")


def _over(english: Mapping[str, Any], ours: Mapping[str, str], path: str) -> dict[str, Any]:
    """Return a table with what a language has of it by key, but for English plural forms of what has its own."""
    merged: dict[str, Any] = {}
    for name in (*english, *COUNTED):
        english_text, key = english.get(name, english.get(texts.OTHER, "")), f"{path}{name}"
        forms = {form: ours[f"{key}.{form}"] for form in (texts.OTHER, *COUNTED) if f"{key}.{form}" in ours}
        if key in ours and (isinstance(english_text, dict) or texts.fits(ours[key], english_text)):
            merged[name] = ours[key]
        elif isinstance(english_text, dict):
            merged[name] = _over(english_text, ours, f"{key}.")
        elif forms and texts.fits("".join(forms.values()), english_text):
            merged[name] = forms
    kept = {name: text for name, text in english.items() if texts.OTHER not in merged or name not in COUNTED}
    return kept | merged


def _number(n: int) -> str:
    return texts.language().number(n, ",")


def card_of(clause: str) -> str:
    """Return the face that a clause of some boxes alone is about, ``flip`` of ``card-flip``; else empty."""
    return clause.removeprefix("start-").removeprefix("card-") if clause in library.card_questions() else ""


def required_face(control: Control) -> str:
    """Return the face a box must have for a control to be offered; empty where every box may have it."""
    needs: Mapping[str, str] = _words()["needs"]
    return needs.get(control.name) or needs.get(control.clause) or card_of(control.clause)


def _words_of(clause: str, name: str) -> dict[str, Any] | None:
    words = _words()
    of_card = words.get(f"{name}@card") if clause in registry.CARD_CLAUSES else None
    own_words: dict[str, Any] | None = words.get(f"{name}@{clause}") or of_card or words.get(name)
    return own_words


def _control(clause: str, setting: Setting[Any]) -> Control:
    words = _words_of(clause, setting.name) or {}
    parse: object = setting.parse
    labels = _words()["labels"] | words.get("labels", {})
    says = words.get("says") or {}
    allowed = parse.allowed if isinstance(parse, Word | Words | WholeOrWord) else ()
    if setting.name == registry.DECK.name:
        labels, says = _decks()
    if isinstance(parse, Word | Words):
        sentences = {key: says[key] for key in _cases(parse)}
    else:
        sentences = {key: words[key] for key in ("yes", "no", "none", "each", "list") if key in words}
        forms = {texts.OTHER: says} if isinstance(says, str) else says | says.get("number", {})
        sentences |= {form: text for form, text in forms.items() if isinstance(text, str)}
    face = card_of(clause)
    card = texts.say("own.card", card=face_named(face).label) if face else _words()["cards"].get(clause, "")
    return Control(
        clause=clause,
        setting=setting,
        kind=_KINDS.get(type(parse)) or _KINDS[parse],
        label=words["label"],
        sentences={key: texts.begun(text.replace("{card}", card)) for key, text in sentences.items()},
        choices=tuple(Choice(word, labels[word]) for word in allowed),
        least=words.get("min", 0),
        most=words.get("max", MOST),
        step=words.get("step", 1),
        quick=tuple(words.get("quick", ())),
        hint=words.get("hint", ""),
    )


def _decks() -> tuple[dict[str, str], dict[str, str]]:
    """Return the label of each deck by its id, and the sentence that says what is played with."""
    labels, says = {}, {}
    for id, deck in decks().items():
        classic = deck.box == decks()[CLASSIC].box
        named = deck.title if classic else texts.say("own.deck-named", box=deck.box_title, title=deck.title)
        labels[id] = texts.begun(named)
        says[id] = texts.say("own.deck" if classic else "own.deck-of-box", box=deck.box_title, title=deck.title)
    return labels, says


def _cases(parse: Word | Words) -> list[str]:
    """List the keys of the sentences that a closed list needs: its words, or every choice among them."""
    if isinstance(parse, Word):
        return list(parse.allowed)
    some = (choice for size in range(1, len(parse.allowed) + 1) for choice in combinations(parse.allowed, size))
    return ["none", *("+".join(choice) for choice in some)]
