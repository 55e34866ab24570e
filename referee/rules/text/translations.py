"""Translations beside the English they stand for: what is missing, too many, wrong, or behind English that changed."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from referee.rules.text import words
from referee.rules.text.words import (
    CATEGORIES,
    OTHER,
    Catalogue,
    Language,
    places_of,
    prose_of,
    published,
    sentences_of,
)

GROUPS = ("rulebooks", "decks", "boxes", "settings")
OWN_TABLES = ("genders.", "cards.")
"""Tables that a language may have though English has none."""
LONGEST = 1.6
"""How much longer than the English a translation may be, besides a few letters."""
WAITING = frozenset({"missing", "behind"})
"""Flaws of what is said in English until someone translates it; nothing is wrong meanwhile."""
_FORM = re.compile(r"\{([a-z-]+):([A-Za-z]+)")
"""A place that asks for a form of a name, ``{card:a}``."""


class Flaw(NamedTuple):
    """A sentence that is missing, behind, unknown or long, or has other places or forms than the English.

    A file that can't be read has one flaw, ``unreadable``, without a key.
    """

    kind: str
    file: str
    key: str
    both: str
    """the English, and the translation if there is one"""

    def __str__(self) -> str:
        return f"{self.kind}: {self.file}.toml{self.key and f', {self.key}'}{self.both}"


def english(catalogues: Iterable[Catalogue]) -> dict[str, dict[str, str]]:
    """Return every English sentence that a language has a place for, by file and key."""
    sentences = {catalogue.name: catalogue.english for catalogue in catalogues}
    for group in GROUPS:
        sentences |= {file: dict(texts) for file, texts in published(group).items()}
    return sentences


def flaws(language: Language, catalogues: Iterable[Catalogue]) -> Iterator[Flaw]:
    """Yield what is missing from a language, and what is wrong with what it has."""
    try:
        named = translation(language.code, "rules")
    except ValueError:
        named = {}
    inflected = {part for key in named if key.startswith(("cards.", "sides.")) for part in key.split(".")}
    for file, texts in english(catalogues).items():
        try:
            theirs = by_sentence(translation(language.code, file))
        except ValueError as error:
            yield Flaw("unreadable", file, "", f": {error}")
            continue
        forms = by_sentence(texts)
        for key in forms | theirs:
            english_forms, ours = forms.get(key, {}), theirs.get(key, {})
            both = "".join(f": {each['']}" for each in (english_forms, ours) if each)
            kinds = [*_wrong(key, english_forms, ours, language, inflected)]
            if ours and f"{file}.{key}" in language.behind:
                kinds.append("behind")
            yield from (Flaw(kind, file, key, both) for kind in kinds)


def translation(code: str, file: str) -> dict[str, str]:
    """Return the sentences of one file of a language, by key; raises ValueError where it can't be read."""
    read = sentences_of if file in ("rules", "records", "web", "phone") else prose_of
    return read(words.FOLDER / code / f"{file}.toml")


def by_sentence(texts: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return the forms of each sentence by its key; the form as for many, or the only one, has an empty name."""
    sentences: dict[str, dict[str, str]] = {key: {"": text} for key, text in texts.items()}
    for key in texts:
        sentence, _, form = key.rpartition(".")
        counted = f"{sentence}.{OTHER}" in texts and any(f"{sentence}.{each}" in texts for each in (*CATEGORIES, "0"))
        if sentence in texts or counted:
            sentences.setdefault(sentence, {})["" if form == OTHER else form] = sentences.pop(key)[""]
    return sentences


def _wrong(
    key: str, english: Mapping[str, str], ours: Mapping[str, str], language: Language, inflected: Set[str]
) -> Iterator[str]:
    if not ours:
        yield "missing"
        return
    if not english:
        if not key.startswith(OWN_TABLES):
            yield "unknown"
        return
    asked = [set().union(*map(_FORM.findall, forms.values())) for forms in (english, ours)]
    bare = {place for place, _ in asked[1]} - {place for place, _ in asked[0]}  # nothing that has forms comes there
    if bare or _places(ours.values()) != _places(english.values()):
        yield "places"
    categories = set(language.plurals)
    unknown = {form.lower() for _, form in asked[1]} - inflected
    if unknown or ours.keys() & CATEGORIES - categories or ("one" in english and categories - ours.keys()):
        yield "forms"
    if len(ours[""]) > LONGEST * len(english[""]) + 12:
        yield "long"


def _places(texts: Iterable[str]) -> Sequence[str] | None:
    """Return the places of sentences; None where their braces are wrong."""
    try:
        return sorted(places_of(*texts))
    except ValueError:
        return None
