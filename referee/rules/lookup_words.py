"""What a player types, as terms: misspellings corrected, synonyms unified, filler words dropped.

A *term* is a concept of ``synonyms.toml`` ("+4", "wd4" and "plus four" are all ``draw-four``) or, where no concept
fits, the stem of a word. Texts and questions are processed the same way, so that they match.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

TOKEN = re.compile(r"\+\s*\d+|\d+\s*\+(?!\s*\d)|\+|\d+(?:st|nd|rd|th)?(?![^\W\d_])|\d+|[^\W\d_]+")
LONGEST_WORD = 24
"""How many letters of a word are read; players' words are not longer."""
ELSEWHERE = "elsewhere"
"""The term for another edition or another game."""
BOX = "box"
"""The prefix of the term for another box that has a name here."""
LONGEST_PREFIX = 4
"""First letters of a word that stand for its relatives: "shuffle", "shuffler" and "shuffling" begin alike."""
ASIDE = "aside"
"""The prefix of what is seldom said in a question of rules: tactics, trade, small talk."""
FOREIGN = "foreign"
"""The prefix of a word of which nothing here speaks."""
MOST_STRANGERS = 3
"""Words of other matters that are counted; more of them say nothing more."""

_VOWEL = re.compile("[aeiouy]")


@dataclass(frozen=True, slots=True)
class Heard:
    """What was understood of a query: terms once each, in order; features to tell questions apart by; corrections."""

    terms: tuple[str, ...]
    features: tuple[str, ...]
    elsewhere: bool
    box: str | None
    corrected: Mapping[str, str]


def tokens(text: str) -> list[str]:
    """Split a text into lower-case words, numbers and signed numbers ("+4"); everything else separates."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    parts = folded if folded.isascii() else unicodedata.normalize("NFKD", folded)
    plain = parts if parts.isascii() else "".join(c for c in parts if not unicodedata.combining(c))
    found = TOKEN.findall(re.sub(r"['’`´]", "", plain))
    return [_signed(token) if "+" in token else token[:LONGEST_WORD] for token in found if token != "+"]


def _signed(token: str) -> str:
    digits = token.replace("+", "").strip()
    return "+" + digits[:LONGEST_WORD]


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """Cut the usual endings of English words; both sides of a comparison are cut alike, so accuracy hardly matters."""
    if len(word) <= 3 or not word.isascii():
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("ches", "shes", "sses", "xes", "zes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= 3 and _VOWEL.search(rest):
            doubled = rest[-1] == rest[-2] and rest[-1] not in "lsfz"
            word = rest[:-1] if doubled else rest
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


class Vocabulary:
    """The vocabulary: synonyms, fillers, and every word that may be meant by a misspelling."""

    def __init__(self, synonyms: Mapping[str, Any], boxes: Mapping[str, Iterable[str]], texts: Iterable[str]) -> None:
        """Read ``synonyms.toml`` (as parsed) and what tells other boxes, and learn the spelling of words in `texts`."""
        self._forms = {word: tuple(tokens(form)) for word, form in synonyms["forms"].items()}
        self._articles = {word for phrase in synonyms["articles"] for word in self._stems(tokens(phrase))}
        self._names: dict[str, str] = {}
        self._longest_name: dict[str, int] = {}
        self._names = {self._key(phrase): card for card, phrases in synonyms["cards"].items() for phrase in phrases}
        self._longest_name = _longest_by_first_word(self._names)
        self._phrases: dict[str, tuple[str, ...]] = {}
        for phrase in synonyms["fillers"]:
            self._phrases[self._key(phrase)] = ()
        for phrase in synonyms["foreign"]:
            self._phrases[self._key(phrase)] = (f"{FOREIGN}:{self._key(phrase)}",)
        for concept, phrases in synonyms["concepts"].items():
            for phrase in phrases:
                self._phrases[self._key(phrase)] = tuple(concept.split())
        for phrases in synonyms["elsewhere"].values():
            for phrase in phrases:
                self._phrases[self._key(phrase)] = (ELSEWHERE,)
        for kind, phrases in synonyms["aside"].items():
            for phrase in phrases:
                self._phrases[self._key(phrase)] = (f"{ASIDE}:{kind}",)
        for box, tells in boxes.items():
            for phrase in tells:
                self._phrases[self._key(phrase)] = (f"{BOX}:{box}",)
        self._phrases.pop("", None)
        self._longest_phrase = _longest_by_first_word(self._phrases)
        written = [*synonyms["articles"], *synonyms["fillers"], *synonyms["foreign"], *synonyms["forms"], *texts]
        for group in ("cards", "concepts", "elsewhere", "aside"):
            written += [phrase for phrases in synonyms[group].values() for phrase in phrases]
        written += [phrase for tells in boxes.values() for phrase in tells]
        self._seen = Counter(word for word in tokens(" ; ".join(written)) if word.isalpha())
        self._stems_seen = {stem(word) for word in self._seen}
        self._letters = {word: frozenset(word) for word in self._seen if len(word) > 2}
        self.correct = lru_cache(maxsize=4096)(self._correct)

    def terms(self, text: str) -> tuple[str, ...]:
        """Reduce a text of ours to its terms, in order, repetitions kept; its spelling is trusted."""
        return tuple(self._terms(self._stems(tokens(text))))

    def hear(self, query: str) -> Heard:
        """Understand what a player typed."""
        corrected: dict[str, str] = {}
        words = []
        for word in tokens(query):
            known = self.correct(word)
            if known != word:
                corrected[word] = known
            words.append(known)
        stems = self._stems(words)
        terms = tuple(dict.fromkeys(self._terms(stems)))
        box = next((term.removeprefix(f"{BOX}:") for term in terms if term.startswith(f"{BOX}:")), None)
        return Heard(
            terms=tuple(
                term for term in terms if not term.startswith((ELSEWHERE, f"{BOX}:", f"{FOREIGN}:", f"{ASIDE}:"))
            ),
            features=self._features(terms, stems),
            elsewhere=ELSEWHERE in terms or box is not None,
            box=box,
            corrected=corrected,
        )

    def _features(self, terms: Iterable[str], stems: list[str]) -> tuple[str, ...]:
        """Give a query's terms, with ``=`` its words, fillers too ("who" …), with ``~`` their prefixes, sorted."""
        strangers = sum(term.startswith(FOREIGN + ":") for term in terms)
        stranger_features = (f"{FOREIGN}:{number}" for number in range(min(strangers, MOST_STRANGERS)))
        words = self._plain(stems)
        prefixes = (f"~{word[:LONGEST_PREFIX]}" for word in words if len(word) > LONGEST_PREFIX)
        return tuple(sorted({*terms, *(f"={word}" for word in words), *prefixes, *stranger_features}))

    def corrected(self, query: str) -> list[str]:
        """Give the words of a query, misspelled ones as they were meant."""
        return [self.correct(word) for word in tokens(query)]

    def stems_of(self, words: Iterable[str]) -> list[str]:
        """Give the stems of words, articles left out."""
        return [word for word in self._stems(words) if word not in self._articles]

    def _stems(self, words: Iterable[str]) -> list[str]:
        found = []
        for word in words:
            base = self._forms.get(word)
            found += [stem(part) for part in base] if base else [stem(word)]
        return found

    def _key(self, phrase: str) -> str:
        return " ".join(self.normalized(phrase))

    def normalized(self, text: str) -> list[str]:
        """Give the words of a text as they are compared: stems, without articles, each card by its one name."""
        return self._plain(self._stems(tokens(text)))

    def _plain(self, stems: list[str]) -> list[str]:
        """Leave out the articles, and put a card's one name for all its names."""
        words = [word for word in stems if word not in self._articles]
        found: list[str] = []
        place = 0
        while place < len(words):
            for end in range(min(place + self._longest_name.get(words[place], 0), len(words)), place, -1):
                card = self._names.get(" ".join(words[place:end]))
                if card is not None:
                    found.append(card)
                    place = end
                    break
            else:
                found.append(words[place])
                place += 1
        return found

    def _terms(self, stems: list[str]) -> Iterator[str]:
        words = self._plain(stems)
        understood = 0
        for place, word in enumerate(words):
            for end in range(min(place + self._longest_phrase.get(word, 0), len(words)), place, -1):
                meaning = self._phrases.get(" ".join(words[place:end]))
                if meaning is not None:
                    if end > understood:  # else it is a part of a longer phrase
                        yield from meaning
                        understood = end
                    break
            else:
                if place >= understood:
                    yield word

    def to_document(self) -> dict[str, Any]:
        """Write the vocabulary as JSON values, its phrases already as they are compared, for a phone to hear with.

        ``phrases`` lists for each meaning its phrases (for "" the fillers), ``cards`` for each card its names,
        ``known`` every word of which the spelling is known, the most frequent first.
        """
        phrases: dict[str, list[str]] = {}
        for phrase, meaning in self._phrases.items():
            phrases.setdefault(" ".join(meaning), []).append(phrase)
        cards: dict[str, list[str]] = {}
        for name, card in self._names.items():
            cards.setdefault(card, []).append(name)
        return {
            "forms": {word: " ".join(form) for word, form in self._forms.items()},
            "articles": sorted(self._articles),
            "cards": cards,
            "phrases": phrases,
            "known": sorted(self._seen, key=lambda word: (-self._seen[word], word)),
        }

    def _correct(self, word: str) -> str:
        """Give the known word nearest to a misspelled one, or the word itself.

        Words of four to six letters may have one mistake, longer ones two (a letter too many, too few, wrong, or two
        exchanged); short words with another first letter are left alone.
        """
        if not word.isalpha() or len(word) <= 3 or word in self._seen or stem(word) in self._stems_seen:
            return word
        allowed = 1 if len(word) < 7 else 2
        letters = frozenset(word)
        best: tuple[float, int, str] | None = None
        for near, its_letters in self._letters.items():
            if abs(len(near) - len(word)) > allowed or len(letters ^ its_letters) > 2 * allowed:
                continue  # one edit exchanges two letters at most
            distance = edits(word, near, allowed)
            if distance > allowed or (distance == len(word) // 3 and word[0] != near[0] and len(word) < 6):
                continue
            found = (distance + (word[0] != near[0]) / 2, -self._seen[near], near)
            best = found if best is None else min(best, found)
        return best[2] if best else word


def _longest_by_first_word(phrases: Iterable[str]) -> dict[str, int]:
    longest: dict[str, int] = {}
    for phrase in phrases:
        first, _, rest = phrase.partition(" ")
        longest[first] = max(longest.get(first, 1), 1 + len(rest.split()))
    return longest


def edits(one: str, other: str, most: int) -> int:
    """Count the edits between two words: insert, delete, replace, exchange neighbors (Damerau–Levenshtein, restricted).

    Gives ``most + 1`` when there are more than `most`.
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, last, row = row, before, [i]
        for j, b in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and b == one[i - 2]:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return min(row[-1], most + 1)
