"""What the look-up learns from: the wordings of every question, and the words they are made of."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from referee.rules import library, lookup
from referee.rules.boxes import boxes
from referee.rules.lookup import BOX, NOTHING
from referee.rules.lookup_cards import AGAIN, NAME
from referee.rules.lookup_words import ASIDE, ELSEWHERE, FOREIGN, Vocabulary, tokens
from referee.rules.lookup_words import BOX as NAMED_BOX
from referee.rules.toml_files import read_toml

FOLDER = Path(lookup.__file__).parent


@cache
def phrasings() -> Mapping[str, Any]:
    """Read the wordings as they are in the file."""
    return read_toml(FOLDER / "phrasings.toml")


@cache
def synonyms() -> Mapping[str, Any]:
    """Read the synonyms as they are in the file."""
    return read_toml(FOLDER / "synonyms.toml")


@cache
def on_cards() -> Mapping[str, Any]:
    """Read what people ask of a card as it is in the file."""
    return read_toml(FOLDER / "card_matters.toml")


HELD_OUT = 5
"""Of the wordings as people tell them, every so many is only measured with."""
ANY = "any"
"""What stands for every rulebook among those under which something is told."""


@cache
def wordings() -> Mapping[str, tuple[str, ...]]:
    """Return how each target is asked: a question's id, ``open-`` and a place, ``box-`` and a box's id, `NOTHING`."""
    said = phrasings()["asked"]
    in_clauses = {id for rulebook in library.rulebooks().values() for id in rulebook.clauses}
    questions = {id: each for id, each in library.every_question().items() if id in said or id in in_clauses}
    asked = {id: (question.text, *said.get(id, ())) for id, question in questions.items()}
    left_open = {
        f"open-{place}": (matter["text"], *matter["asked"]) for place, matter in enumerate(phrasings()["open"])
    }
    asked |= left_open
    asked |= {f"{BOX}{box.id}": box.asked for box in boxes().values()}
    for each in told():
        if not each.held_out:
            asked[each.target] += (each.wording,)
    no_rule = tuple(text for group in phrasings()["nothing"].values() for text in group)
    return asked | {NOTHING: no_rule}


@dataclass(frozen=True)
class Told:
    """A question as somebody tells it, under one rulebook or `ANY`; every fifth is held out."""

    rulebook: str
    target: str
    wording: str
    held_out: bool


def told() -> Iterator[Told]:
    """Yield every question as people tell it."""
    groups = [(rulebook, id, group) for rulebook, asked in phrasings()["told"].items() for id, group in asked.items()]
    groups += [(ANY, f"open-{place}", matter["told"]) for place, matter in enumerate(phrasings()["open"])]
    each = ((rulebook, target, wording) for rulebook, target, group in groups for wording in group)
    yield from (Told(*one, place % HELD_OUT == HELD_OUT - 1) for place, one in enumerate(each))


def digest() -> str:
    """Return a digest of all that is learned from; of the clauses only the spelling is, so they are left out."""
    source = [wordings(), phrasings()["parts"], phrasings()["instead"], synonyms(), on_cards()]
    source += [{box.id: box.tells for box in boxes().values()}]
    canonical = json.dumps(source, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def learned_words() -> dict[str, Any]:
    """Return the vocabulary as `Vocabulary` reads it: all phrases as they are compared."""
    said = synonyms()
    forms = {word: " ".join(tokens(form)) for word, form in said["forms"].items()}
    words = {"forms": forms, "articles": [], "cards": {}, "phrases": {}, "known": known_words()}
    words |= {kind: on_cards()[kind] for kind in ("verbs", "amounts", "with_two")}
    words["articles"] = sorted({word for phrase in said["articles"] for word in Vocabulary(words).normalized(phrase)})
    words["cards"] = _compared(Vocabulary(words), said["cards"].items())
    words["phrases"] = _compared(Vocabulary(words), _meanings(Vocabulary(words)))
    return words


def _meanings(words: Vocabulary) -> Iterable[tuple[str, Iterable[str]]]:
    said = synonyms()
    yield "", said["fillers"]
    yield from ((f"{FOREIGN}:{' '.join(words.normalized(phrase))}", [phrase]) for phrase in said["foreign"])
    yield from said["concepts"].items()
    yield ELSEWHERE, [phrase for phrases in said["elsewhere"].values() for phrase in phrases]
    yield from ((f"{ASIDE}:{kind}", phrases) for kind, phrases in said["aside"].items())
    yield from ((f"{NAMED_BOX}:{box.id}", box.tells) for box in boxes().values())


def _compared(words: Vocabulary, groups: Iterable[tuple[str, Iterable[str]]]) -> dict[str, list[str]]:
    """Return the phrases of each meaning as they are compared; of several meanings the last one counts."""
    meant = {" ".join(words.normalized(phrase)): meaning for meaning, phrases in groups for phrase in phrases}
    found: dict[str, list[str]] = {}
    for phrase, meaning in meant.items():
        if phrase:
            found.setdefault(meaning, []).append(phrase)
    return found


def known_words() -> list[str]:
    """List every word that is written anywhere here, the most frequent first."""
    said = synonyms()
    written = [wording for group in wordings().values() for wording in group]
    for rulebook in library.rulebooks().values():
        written += [text for clause in rulebook.clauses.values() for text in (clause.title, clause.text)]
    written += [*said["articles"], *said["fillers"], *said["foreign"], *said["forms"]]
    for group in ("cards", "concepts", "elsewhere", "aside"):
        written += [phrase for phrases in said[group].values() for phrase in phrases]
    written += [phrase for box in boxes().values() for phrase in box.tells]
    written += [phrase for matter in on_cards()["matters"].values() for phrase in matter["words"]]
    written += [NAME, AGAIN]
    seen = Counter(word for word in tokens(" ; ".join(written)) if word.isalpha())
    return sorted(seen, key=lambda word: (-seen[word], word))
