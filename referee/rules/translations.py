"""Translations beside the English they stand for: what is missing, too many, wrong, or of English that has changed.

``seen.toml`` of a language has for each file and key a fingerprint of the English that its translator looked at.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from referee.rules import words
from referee.rules.words import CATEGORIES, OTHER, Catalogue, Language, prose_of, published, sentences_of

GROUPS = ("rulebooks", "decks", "boxes", "settings")
OWN_TABLES = ("genders.", "cards.")
"""Tables that a language may have though English has none."""
LONGEST = 1.6
"""How much longer than the English a translation may be, besides a few letters."""
_PLACE = re.compile(r"(?<!\{)\{([a-z_][a-z_-]*)")
_FORM = re.compile(r"\{([a-z-]+):([A-Za-z]+)")
"""A place that asks for a form of a name, ``{card:a}``."""


class Flaw(NamedTuple):
    """A sentence that is missing, unknown, stale or long, or has other places or forms than the English."""

    kind: str
    file: str
    key: str
    both: str
    """the English and the translation; empty where one of them is missing"""

    def __str__(self) -> str:
        return f"{self.kind}: {self.file}.toml, {self.key}{self.both}"


def english(catalogues: Iterable[Catalogue]) -> dict[str, dict[str, str]]:
    """Return every English sentence that a language has a place for, by file and key."""
    found = {catalogue.name: sentences_of(catalogue.path) for catalogue in catalogues}
    for group in GROUPS:
        found |= {file: dict(texts) for file, texts in published(group).items()}
    return found


class Sentence(NamedTuple):
    """A sentence in English and in another language, each in its forms, with the kinds of its flaws."""

    file: str
    key: str
    english: Mapping[str, str]
    ours: Mapping[str, str]
    flaws: Sequence[str]


def sentences(language: Language, catalogues: Iterable[Catalogue]) -> Iterator[Sentence]:
    """Yield every sentence of English or of a language, file by file, with what is wrong with it."""
    seen = _seen(language.code)
    tables = ("cards.", "sides.")
    inflected = {
        part for key in translation(language.code, "rules") if key.startswith(tables) for part in key.split(".")
    }
    for file, texts in english(catalogues).items():
        forms = _by_sentence(texts)
        theirs = _by_sentence(translation(language.code, file))
        for key in forms | theirs:
            said, ours = forms.get(key, {}), theirs.get(key, {})
            kinds = [*_wrong(key, said, ours, language, inflected)]
            if said and ours and seen.get(file, {}).get(key) != _fingerprint(said):
                kinds.append("stale")
            yield Sentence(file, key, said, ours, kinds)


def flaws(language: Language, catalogues: Iterable[Catalogue]) -> Iterator[Flaw]:
    """Yield what is missing from a language, and what is wrong with what it has."""
    for one in sentences(language, catalogues):
        both = f": {one.english['']} | {one.ours['']}" if one.english and one.ours else ""
        yield from (Flaw(kind, one.file, one.key, both) for kind in one.flaws)


def see(code: str, catalogues: Iterable[Catalogue]) -> int:
    """Note the present English of everything translated as looked at, and return how many sentences that are."""
    lines, count = [], 0
    for file, texts in english(catalogues).items():
        forms, theirs = _by_sentence(texts), _by_sentence(translation(code, file))
        known = [key for key in forms if key in theirs]
        if known:
            lines += ["", f"[{json.dumps(file)}]"]
            lines += [f"{json.dumps(key)} = {json.dumps(_fingerprint(forms[key]))}" for key in sorted(known)]
        count += len(known)
    (words.FOLDER / code / "seen.toml").write_text("\n".join(lines).lstrip() + "\n", "utf-8")
    return count


def translation(code: str, file: str) -> dict[str, str]:
    """Return the sentences of one file of a language, by key."""
    read = sentences_of if file in ("rules", "records", "web", "phone") else prose_of
    return read(words.FOLDER / code / f"{file}.toml")


def _seen(code: str) -> Mapping[str, Mapping[str, str]]:
    file = words.FOLDER / code / "seen.toml"
    return tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}


def _by_sentence(texts: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return the forms of each sentence by its key; the form as for many, or the only one, has an empty name."""
    found: dict[str, dict[str, str]] = {key: {"": text} for key, text in texts.items()}
    for key in texts:
        sentence, _, form = key.rpartition(".")
        counted = f"{sentence}.{OTHER}" in texts and any(f"{sentence}.{each}" in texts for each in (*CATEGORIES, "0"))
        if sentence in texts or counted:
            found.setdefault(sentence, {})["" if form == OTHER else form] = found.pop(key)[""]
    return found


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
    places = [{name for text in forms.values() for name in _PLACE.findall(text)} for forms in (english, ours)]
    asked = [{found for text in forms.values() for found in _FORM.findall(text)} for forms in (english, ours)]
    bare = {place for place, _ in asked[1]} - {place for place, _ in asked[0]}  # nothing that has forms comes there
    if places[0] != places[1] or bare:
        yield "places"
    categories = set(language.plurals)
    unknown = {form.lower() for _, form in asked[1]} - inflected
    if unknown or ours.keys() & CATEGORIES - categories or ("one" in english and categories - ours.keys()):
        yield "forms"
    if len(ours[""]) > LONGEST * len(english[""]) + 12:
        yield "long"


def _fingerprint(forms: Mapping[str, str]) -> str:
    return hashlib.sha256(json.dumps(dict(forms), sort_keys=True).encode()).hexdigest()[:12]
