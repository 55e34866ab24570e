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

from referee.rules.books import library
from referee.rules.books.library import boxes
from referee.rules.cards.decks import extra_faces
from referee.rules.lookup.lookup import BOX, NOTHING
from referee.rules.lookup.query import ASIDE, ELSEWHERE, FOREIGN, USUAL, Vocabulary, tokens
from referee.rules.lookup.query import BOX as NAMED_BOX
from referee.rules.text.toml_files import read_toml
from referee.rules.text.words import ENGLISH, speaking

FOLDER = Path(__file__).parent
"""Where each language has a folder with what is learned from."""


@cache
def phrasings(language: str = ENGLISH) -> Mapping[str, Any]:
    """Read the wordings as they are in the file."""
    return read_toml(FOLDER / language / "phrasings.toml")


@cache
def synonyms(language: str = ENGLISH) -> Mapping[str, Any]:
    """Read the synonyms as they are in the file."""
    return read_toml(FOLDER / language / "synonyms.toml")


@cache
def grammar(language: str = ENGLISH) -> Mapping[str, Any]:
    """Read what the look-up knows of a language besides its words as it is in the file."""
    return read_toml(FOLDER / language / "grammar.toml")


HELD_OUT = 5
"""Of the wordings as people tell them, every so many is only measured with."""
ANY = "any"
"""What stands for every rulebook among those under which something is told."""


@cache
def wordings(language: str = ENGLISH) -> Mapping[str, tuple[str, ...]]:
    """Return how each target is asked: a question's id, ``open-`` and a place, ``box-`` and a box's id, `NOTHING`."""
    said = phrasings(language)
    in_clauses = {id for rulebook in library.rulebooks().values() for id in rulebook.clauses}
    in_clauses |= {f"start-{id}" for id in in_clauses if id.startswith("card-")}  # on which its box may be silent
    questions = {id for id in library.every_question() if id in said["asked"] or id in in_clauses}
    texts = {id: text for id, text in question_texts(language).items() if id in questions}
    asked = {id: (*([texts[id]] if id in texts else []), *said["asked"].get(id, ())) for id in library.every_question()}
    asked = {id: group for id, group in asked.items() if id in questions}
    for target, wording in _of_cards(language):
        if target in asked:
            asked[target] += (wording,)
    for target, group in said.get("cards", {}).items():
        asked[target] += tuple(group)
    asked |= {f"open-{place}": (matter["text"], *matter["asked"]) for place, matter in enumerate(said["open"])}
    asked |= {f"{BOX}{id}": tuple(group) for id, group in box_wordings(language).items()}
    for each in told(language):
        if not each.held_out:
            asked[each.target] += (each.wording,)
    no_rule = tuple(text for group in said["nothing"].values() for text in group)
    return asked | {NOTHING: no_rule}


def _of_cards(language: str) -> Iterator[tuple[str, str]]:
    """Yield how people ask about each card that only some boxes hold and that has a name of its own."""
    said = synonyms(language)
    classic = {name for names in said["cards"].items() for name in (names[0], *names[1])}
    with speaking(language):
        labels = {face: face.label for face in extra_faces().values()}
    plain = {face: " ".join(said["forms"].get(word, word) for word in tokens(label)) for face, label in labels.items()}
    cards = {face: label for face, label in labels.items() if plain[face] not in classic}
    for kind, wordings in phrasings(language)["of_cards"].items():
        for card, label in cards.items():
            of_one = {"card": f"card-{card}", "start-card": f"start-card-{card}"}
            of_one["points"] = "points-wild" if card.is_wild else "points-actions"
            yield from ((of_one.get(kind, kind), wording.replace("#", label)) for wording in wordings)


def box_wordings(language: str) -> Mapping[str, Iterable[str]]:
    """Return how people ask about other boxes: in English beside the boxes, else among the wordings."""
    if language == ENGLISH:
        return {box.id: box.asked for box in boxes().values()}
    return dict(phrasings(language).get("boxes", {}))


def question_texts(language: str) -> Mapping[str, str]:
    """Return the questions in a language by id, those left out that nobody translated."""
    english = {id: question.text for id, question in library.every_question().items()}
    with speaking(language):
        texts = {id: question.text for id, question in library.every_question().items()}
    return {id: text for id, text in texts.items() if language == ENGLISH or text != english[id]}


@dataclass(frozen=True)
class Told:
    """A question as someone tells it, under one rulebook or `ANY`; every fifth is held out."""

    rulebook: str
    target: str
    wording: str
    held_out: bool


def told(language: str = ENGLISH) -> Iterator[Told]:
    """Yield every question as people tell it."""
    said = phrasings(language)
    groups = [(rulebook, id, group) for rulebook, asked in said.get("told", {}).items() for id, group in asked.items()]
    groups += [(ANY, f"open-{place}", matter.get("told", ())) for place, matter in enumerate(said["open"])]
    each = ((rulebook, target, wording) for rulebook, target, group in groups for wording in group)
    yield from (Told(*one, place % HELD_OUT == HELD_OUT - 1) for place, one in enumerate(each))


def digest(language: str = ENGLISH) -> str:
    """Return a digest of the files that are learned from; of clauses and translated questions only the spelling is."""
    source = [phrasings(language), synonyms(language), grammar(language)]
    source += [{box.id: (box.tells, box.asked) for box in boxes().values()}, wordings()] if language == ENGLISH else []
    canonical = json.dumps(source, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def learned_words(language: str = ENGLISH) -> dict[str, Any]:
    """Return the vocabulary as `Vocabulary` reads it: all phrases as they are compared."""
    said = synonyms(language)
    forms = {word: " ".join(tokens(form)) for word, form in said["forms"].items()}
    words = {"forms": forms, "articles": [], "cards": {}, "phrases": {}, "known": " ".join(known_words(language))}
    words |= {"language": language, **{key: grammar(language)[key] for key in ("endings", "on", "pieces")}}
    words["on"] = sorted({part for word in words["on"] for part in Vocabulary(words).normalized(word)})
    words["articles"] = sorted({word for phrase in said["articles"] for word in Vocabulary(words).normalized(phrase)})
    words["cards"] = _compared(Vocabulary(words), said["cards"].items())
    words["phrases"] = _compared(Vocabulary(words), _meanings(said, Vocabulary(words)))
    return words


def _meanings(said: Mapping[str, Any], words: Vocabulary) -> Iterable[tuple[str, Iterable[str]]]:
    yield from ((f"{NAMED_BOX}:{box.id}", box.tells) for box in boxes().values())
    yield "", said["fillers"]
    yield from ((f"{FOREIGN}:{' '.join(words.normalized(phrase))}", [phrase]) for phrase in said["foreign"])
    yield from said["concepts"].items()
    yield ELSEWHERE, [phrase for phrases in said["elsewhere"].values() for phrase in phrases]
    yield from ((f"{ASIDE}:{kind}", phrases) for kind, phrases in said["aside"].items())


def _compared(words: Vocabulary, groups: Iterable[tuple[str, Iterable[str]]]) -> dict[str, list[str]]:
    """Return the phrases of each meaning as they are compared; of several meanings the last one counts."""
    meant = {" ".join(words.normalized(phrase)): meaning for meaning, phrases in groups for phrase in phrases}
    found: dict[str, list[str]] = {}
    for phrase, meaning in meant.items():
        if phrase:
            found.setdefault(meaning, []).append(phrase)
    return found


def known_words(language: str = ENGLISH) -> list[str]:
    """List every word that is written anywhere here, first the most frequent, then the others from a to z."""
    said = synonyms(language)
    written = [wording for group in wordings(language).values() for wording in group]
    written += [text for text, _ in clause_texts(language)]
    written += [*said["articles"], *said["fillers"], *said["foreign"], *said["forms"]]
    for group in ("cards", "concepts", "elsewhere", "aside"):
        written += [phrase for phrases in said[group].values() for phrase in phrases]
    written += [phrase for box in boxes().values() for phrase in box.tells]
    seen = Counter(word for word in tokens(" ; ".join(written)) if word.isalpha())
    order = sorted(seen, key=lambda word: (-seen[word], word))
    return order[:USUAL] + sorted(order[USUAL:])  # which takes a phone less


def clause_texts(language: str) -> list[tuple[str, str]]:
    """List titles and texts of all clauses, each with its question; those left out that nobody translated."""
    clauses = [clause for rulebook in library.rulebooks().values() for clause in rulebook.clauses.values()]
    english = [(text, clause.id) for clause in clauses for text in (clause.title, clause.text)]
    with speaking(language):
        said = [(text, clause.id) for clause in clauses for text in (clause.title, clause.text)]
    return [one for one, other in zip(said, english, strict=True) if language == ENGLISH or one != other]
