"""What people read: whole sentences in one catalogue a layer, with places for names and numbers, and in which language.

``words.toml`` beside this file holds every sentence of a ruling, an order and a silence, one for each case; records
and the web have catalogues of their own. Code names a sentence and gives what goes into its places; it never joins
parts of sentences.

A language is a folder of ``referee/translations``: ``language.toml`` and a file for each catalogue. English needs no
such file: its sentences stand beside the code that says them. A translation is found by file and key, and what waits
for one, can't be read, or has a place that its English lacks is said in English.
"""

from __future__ import annotations

import logging
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache, cached_property, lru_cache, partial, wraps
from pathlib import Path
from string import Formatter
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from referee.rules import RULES_FOLDER

T = TypeVar("T")

FOLDER = RULES_FOLDER.parent / "translations"
ENGLISH = "en"
OTHER = "other"
"""The plural category that every language has."""
CATEGORIES = frozenset({"zero", "one", "two", "few", "many"})
"""CLDR's others."""

_CURRENT: ContextVar[str] = ContextVar("language", default=ENGLISH)
_FROM_THE_RIGHT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_RELATION = re.compile(r"n(?: % (\d+))? (!?=) ([\d.,]+)")


@dataclass(frozen=True, slots=True)
class Language:
    """A language: what it calls itself, which way it runs, and how it counts, lists and writes numbers.

    `plurals` has CLDR's rule on whole numbers for each category but *other*. `lists` has for ``and`` and ``or`` the
    patterns between two items and before the last one, and may have a third with an expression: the one before a last
    item that begins so, as in Spanish *e Inés*. `long` is how a date is written, with places for day, month and year;
    `of_year` is a month with its year; `clock` is a time of day.
    """

    code: str
    name: str
    direction: str
    plurals: Mapping[str, str]
    lists: Mapping[str, Sequence[str]]
    group: str
    decimal: str
    percent: str
    long: str
    clock: str
    of_year: str
    months: Sequence[str]
    short_months: Sequence[str]
    weekdays: Sequence[str]
    """short too, Monday first"""
    spoken: bool = True
    """whether phones have words of it; any other is spoken to nobody"""
    whole: bool = False
    """whether it has every sentence; another one is spoken only to who asks for it by name"""
    behind: frozenset[str] = frozenset()
    """whose English changed and whose translation didn't yet, each as ``file.key``; ``help.offline`` is a page"""

    def category(self, n: object) -> str:
        """Return the plural category of a number: ``one``, ``few`` …; *other* for what is no number."""
        if not isinstance(n, int):
            return OTHER
        return next((name for name, rule in self.plurals.items() if _holds(rule, abs(n))), OTHER)

    def join(self, items: Sequence[str], how: str = "and") -> str:
        """Join items as they are said: ``Ada, Bo, and Cy``; `how` is ``and`` or ``or``."""
        between, last, *others = self.lists[how]
        joined = items[0] if items else ""
        for place, item in enumerate(items[1:], 2):
            pattern = between if place < len(items) else last.replace(",", "" if len(items) == 2 else ",")
            if place == len(items) and others and re.match(others[1], item, re.IGNORECASE):
                pattern = others[0]
            joined = pattern.format(joined, item)
        return joined

    def month(self, day: date) -> str:
        """Write the month of a day: ``May 2026``."""
        return self.of_year.format(month=self.months[day.month - 1], year=day.year)

    def date(self, day: date) -> str:
        """Write a date: ``May 3, 2026``."""
        return self.long.format(day=day.day, month=self.months[day.month - 1], year=day.year)

    def time(self, moment: datetime) -> str:
        """Write a time of day: ``5:56 PM``."""
        return self.clock.format(at=moment, noon=moment.hour % 12 or 12, half="AM" if moment.hour < 12 else "PM")

    def number(self, n: float, form: str = "") -> str:
        """Write a number: ``1,200``, ``−0.5``; `form` is a format as Python has it."""
        return format(n, form).translate({ord(","): self.group, ord("."): self.decimal, ord("-"): "−"})


@lru_cache(maxsize=4096)
def _holds(rule: str, n: int) -> bool:
    """Return whether a rule of CLDR holds: relations joined by ``and``, these by ``or``."""
    return any(all(_relation(each, n) for each in joined.split(" and ")) for joined in rule.split(" or "))


def _relation(text: str, n: int) -> bool:
    relation = _RELATION.fullmatch(text)
    if relation is None:
        raise ValueError(text)
    modulus, sign, listed = relation.groups()
    value = n % int(modulus) if modulus else n
    ranges = [(each + ".." + each).split("..")[:2] for each in listed.split(",")]
    return any(int(least) <= value <= int(most) for least, most in ranges) is (sign == "=")


@cache
def languages() -> Mapping[str, Language]:
    """Return every language there is, by its code, English first; one whose file can't be read is left out."""
    files = sorted(FOLDER.glob("*/language.toml"), key=lambda file: (file.parent.name != ENGLISH, file.parent.name))
    read = ((file, readable(file)) for file in files)
    return MappingProxyType({file.parent.name: _language(file, table) for file, table in read if table})


def _language(file: Path, table: Mapping[str, Any]) -> Language:
    return Language(
        code=file.parent.name,
        name=table["name"],
        direction=table["direction"],
        plurals=table["plurals"],
        lists=table["lists"],
        spoken=file.parent.name == ENGLISH or file.with_name("phone.toml").is_file(),
        whole=table.get("whole", False),
        behind=frozenset(table.get("checked", {}).get("behind", ())),
        **table["numbers"],
        **table["dates"],
    )


def readable(file: Path) -> dict[str, Any]:
    """Return the tables of a file; of one that isn't TOML none, with the place of the fault in the log."""
    try:
        return tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}
    except ValueError as error:
        logging.getLogger(__name__).error("English takes its place, since it can't be read: %s: %s", file, error)
        return {}


def cached_by_language(make: Callable[..., T]) -> Callable[..., T]:
    """Return a function that is called once for its arguments and each language spoken."""

    @cache
    def made(_code: str, *given: object) -> T:
        return make(*given)

    @wraps(make)
    def find(*given: object) -> T:
        return made(_CURRENT.get(), *given)

    return find


def language() -> Language:
    """Return the language that is spoken now."""
    return languages()[_CURRENT.get()]


def speak(code: str) -> None:
    """Speak a language until the block of `speaking` around ends; one that there is not changes nothing."""
    if code in languages():
        _CURRENT.set(code)


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """Speak a language inside the block, and then the one before again; raises `KeyError` for one that there is not."""
    token = _CURRENT.set(languages()[code].code)
    try:
        yield
    finally:
        _CURRENT.reset(token)


class Catalogue:
    """The sentences of a TOML file by ``table.key``, in English and in every language that has them.

    English stands in the file itself, another language in ``translations/<language>/<name>.toml`` under the same keys.
    A sentence with a number is a table of its plural forms: ``key.one`` is taken where the place ``{n}`` is 1.
    """

    def __init__(self, path: Path, name: str = "") -> None:
        self.path = path
        self.name = name or path.stem
        self._read: dict[str, dict[str, str]] = {}

    @cached_property
    def english(self) -> dict[str, str]:
        """Return every sentence in English, by ``table.key``."""
        return sentences_of(self.path)

    @property
    def sentences(self) -> dict[str, str]:
        """Return every sentence there is, by ``table.key``, in the language spoken; English for one not translated.

        A sentence with plural forms stands under ``table.key`` as for many, and under ``table.key.one`` for one.
        """
        code = language().code
        if code not in self._read:  # two threads may both read it
            english = self.english
            translated = dict(flat("", readable(FOLDER / code / f"{self.name}.toml"))) if code != ENGLISH else {}
            translated = {key: text for key, text in translated.items() if self._usable(key, text)}
            whole = {key for key in english if key.rpartition(".")[0] in translated}  # no form of another language
            self._read[code] = {key: text for key, text in english.items() if key not in whole} | translated
        return self._read[code]

    def _usable(self, key: str, text: str) -> bool:
        """Return whether a translation is to be said: it is up to date and has only places that are filled."""
        above = key.rpartition(".")[0]
        sentence = above if above in self.english else key
        behind = language().behind
        if behind and {f"{self.name}.{key}", f"{self.name}.{sentence}"} & behind:
            return False
        table = above.rpartition(".")[0]  # of a form that English doesn't have: “cards.einen.f”
        return fits(text, *(self._forms.get(sentence) or self._forms.get(above) or self._forms.get(table, ())))

    @cached_property
    def _forms(self) -> Mapping[str, Sequence[str]]:
        """Return the English of each sentence in all its forms, and of each table."""
        forms: dict[str, list[str]] = {}
        for key, text in self.english.items():
            for name in (key, key.rpartition(".")[0]):
                forms.setdefault(name, []).append(text)
        return forms

    def text(self, key: str, n: object = None) -> str:
        """Look up a sentence with its places still empty; raises `KeyError` for one that nobody wrote."""
        sentences = self.sentences
        form = None if n is None else sentences.get(f"{key}.{n}") or sentences.get(f"{key}.{language().category(n)}")
        return form or sentences[key]

    def say(self, key: str, /, **places: object) -> str:
        """Return a sentence; raises `KeyError` for an unknown one, or a place that is not given."""
        return self.text(key, places.get("n")).format(**with_numbers(places))


_PLACE = re.compile(r"([a-z_][a-z_-]*)(\|.*)?", re.DOTALL)


def places_of(*texts: str) -> set[str]:
    """Return the places of sentences; raises ValueError for one that nothing could fill."""
    places = set()
    for text in texts:
        for _, place, _, conversion in Formatter().parse(text):
            name = _PLACE.fullmatch(place or "")
            if place is not None and (name is None or conversion):
                raise ValueError(f"{{{place}}} is no place for a name or number")
            if name:
                places.add(name[1])
    return places


def fits(text: str, *english: str) -> bool:
    """Return whether a translation can be filled wherever the English can, in one of its forms."""
    try:
        return not {"{", "}"} & {*text} or places_of(text) <= places_of(*english)
    except ValueError:
        return False


def sentences_of(file: Path) -> dict[str, str]:
    """Return the sentences of a file by ``table.key``; none where there is no such file."""
    if not file.is_file():
        return {}
    return dict(flat("", tomllib.loads(file.read_text("utf-8"))))


def flat(path: str, table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Go through the sentences of a table; one with plural forms comes by its own key too, as for many.

    What is neither text nor table says nothing, and is passed over.
    """
    if isinstance(table.get(OTHER), str) and path.count("."):
        yield path, table[OTHER]
    for key, value in table.items():
        below = f"{path}.{key}" if path else key
        if isinstance(value, str):
            if key != OTHER or not path.count("."):
                yield below, value
        elif isinstance(value, dict):
            yield from flat(below, value)


# --- prose that stands in files of its own ---------------------------------------------------------

NOT_PROSE = frozenset(
    {"id", "topic", "cite", "base", "box", "kind", "side", "shape", "sign", "deck", "settings", "silent",
     "first", "needs", "since", "answer"}
)  # fmt: skip
"""Keys of the files of rules whose values are no words that people read."""


def published(group: str) -> Mapping[str, Mapping[str, str]]:
    """Return the English words that stand in files of their own: by the file of their translation, and key.

    `group` is ``rulebooks`` (with ``house_rules`` and ``questions``), ``decks``, ``boxes`` or ``settings``.
    """
    if group == "boxes":
        return {group: prose_of(RULES_FOLDER / "boxes.toml")}
    if group == "settings":
        return {group: prose_of(RULES_FOLDER / "setting_words.toml")}
    by_file: dict[str, dict[str, str]] = {}
    for folder in ("rulebooks", "house_rules") if group == "rulebooks" else (group,):
        for file in sorted((RULES_FOLDER / folder).glob("*.toml")):
            words = prose_of(file)
            if file.stem == "questions":
                by_file[file.stem] = words
            elif folder == "rulebooks":
                by_file[f"{folder}/{file.stem}"] = words
            else:  # all in one file, a face as it is called in every deck
                keyed = {key if key.startswith("faces.") else f"{file.stem}.{key}": text for key, text in words.items()}
                by_file.setdefault(folder, {}).update(keyed)
    return by_file


def prose_of(file: Path) -> dict[str, str]:
    """Return the words of a file of rules, or of its translation, by key; none where there is no such file."""
    return dict(_read_out("", tomllib.loads(file.read_text("utf-8")))) if file.is_file() else {}


def _read_out(path: str, table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Go through the words of a table; a table in a list goes by its id."""
    for key, value in table.items():
        below = f"{path}.{key}" if path else key
        if isinstance(value, dict) and (key not in NOT_PROSE or "label" in value):
            yield from _read_out(below, value)
        elif isinstance(value, str) and key not in NOT_PROSE and value.strip():
            yield below, value.strip()
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, dict) and "id" in item:
                    yield from _read_out(f"{below}.{item['id']}", item)


@cache
def translation(code: str, file: str) -> Mapping[str, str]:
    """Return what a language has of a file of prose, by key, but for what is behind."""
    behind = languages()[code].behind
    read = _read_out("", readable(FOLDER / code / f"{file}.toml"))
    return MappingProxyType({key: text for key, text in read if f"{file}.{key}" not in behind})


def translated(file: str, key: str, english: str) -> str:
    """Return a published text by its file and key in the language spoken; the English where it has none."""
    code = language().code
    return english if code == ENGLISH else translation(code, file).get(key, english)


class RuleText(str):
    """A text of a rulebook as it is read, with the words that a match freezes."""

    frozen: str
    lang: str
    """English, where that stands in for the language spoken; else empty"""

    def __new__(cls, frozen: str, translated: str | None) -> RuleText:
        """Make a text of the frozen words and their translation, None where there is none."""
        text = super().__new__(cls, frozen if translated is None else translated)
        text.frozen = frozen
        text.lang = ENGLISH if translated is None else ""
        return text


def begun(sentence: str) -> str:
    """Return a sentence with a capital at its beginning."""
    return sentence[:1].upper() + sentence[1:]


class Name(str):
    """What something is called, which a sentence may ask for in a form: ``{card}`` is *Skip*, ``{card:a}`` *a Skip*.

    `inflect` returns a form, of those that the language has; ``{card:A}`` begins a sentence with it.
    """

    inflect: Callable[[str], str]

    def __new__(cls, called: str, inflect: Callable[[str], str]) -> Name:
        """Make a name of a text and what inflects it."""
        name = super().__new__(cls, called)
        name.inflect = inflect
        return name

    def __format__(self, form: str) -> str:
        inflected = self.inflect(form.lower()) if form else str(self)
        return begun(inflected) if form[:1].isupper() else inflected


class _Number(int):
    """A whole number that is written as the language does."""

    def __format__(self, form: str) -> str:
        return language().number(int(self), form)


def with_numbers(places: Mapping[str, object]) -> dict[str, object]:
    """Return the values for a sentence, so that numbers are written as the language does, and names stand apart."""
    return {
        name: _Number(value)
        if isinstance(value, int) and not 0 <= value < 1000  # most are written alike
        else apart(value)
        if type(value) is str
        else value
        for name, value in places.items()
    }


def apart(text: str) -> str:
    """Return a name for a sentence; one written from the right gets marks that keep what stands beside it in order."""
    return f"\u200e{text}\u200e" if not text.isascii() and _FROM_THE_RIGHT.search(text) else text


def number(value: object, form: str = "") -> str:
    """Write a number for people: ``20``, ``−20``, in a form as Python has it; any other value as it is."""
    alike = isinstance(value, int) and 0 <= value < 1000  # in every language, as most are
    return language().number(value, form) if isinstance(value, int | float) and not alike else f"{value}"


CATALOGUE = Catalogue(RULES_FOLDER / "words.toml", "rules")
say = CATALOGUE.say


class Line(NamedTuple):
    """One sentence to be said: its key in the catalogue and what goes into its places.

    A key without a dot is looked up under the dispute that says it, ``orders.draw`` under that table.
    `text` is a sentence that stands in no catalogue.
    """

    key: str
    places: tuple[tuple[str, object], ...] = ()
    text: str = ""


def line(key: str, **places: object) -> Line:
    """Return a line of the catalogue: the key of a sentence, and what fills its places."""
    return Line(key, tuple(places.items()))


def in_presses(sentence: Line) -> Line:
    """Return a sentence on a number of draws with the place ``{times}`` filled: ``once``, ``twice``, ``3 times``."""
    n = dict(sentence.places).get("n", 0)
    times = CATALOGUE.text("orders.times", n).format(n=n)
    return Line(sentence.key, (*sentence.places, ("times", times)), sentence.text)


def by_launcher(sentence: Line, table: str) -> Line:
    """Return the line on pressing a launcher instead of drawing, if the catalogue has one: ``draws-presses``."""
    key = f"{sentence.key}-presses"
    known = (key if "." in key else f"{table}.{key}") in CATALOGUE.sentences
    return in_presses(Line(key, sentence.places)) if known else sentence


def template(sentence: Line, table: str) -> str:
    """Look up a sentence with its places still empty; raises `KeyError` for one that nobody wrote."""
    return sentence.text or CATALOGUE.text(
        sentence.key if "." in sentence.key else f"{table}.{sentence.key}", dict(sentence.places).get("n")
    )


def say_line(sentence: Line) -> str:
    """Return the sentence of a line that has no places for roles."""
    return template(sentence, "").format(**with_numbers(dict(sentence.places)))


def silence(part: str, question: str) -> str:
    """Return what a rulebook leaves open: the very setting that was wanted, else the question it belongs to."""
    known = CATALOGUE.sentences
    return known.get(f"open.{part}") or known.get(f"open.{question}") or known["open.anything"]


def joined(names: Iterable[str]) -> str:
    """Join names as they are said: ``Ada, Bo, and Cy``."""
    return language().join(tuple(apart(name) for name in names))


def name_of(key: str) -> Name:
    """Return the name that stands in the catalogue, with its forms beside it: ``sides.light``."""
    return Name(CATALOGUE.text(key), partial(CATALOGUE.text, key))


def listed(names: Sequence[Name], join: Callable[[Iterable[str]], str] = joined) -> Name:
    """Join names to one that takes the forms that they take."""
    return Name(join(names), lambda form: join(format(name, form) for name in names))


def either(choices: Iterable[str]) -> str:
    """Join choices as they are said: ``5, 7 or 9``."""
    return language().join(tuple(choices), "or")
