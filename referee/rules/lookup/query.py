"""What a player types, as terms: misspellings corrected, synonyms unified, filler words dropped.

A *term* is a concept of ``synonyms.toml`` ("+4", "wd4" and "plus four" are all ``draw-four``) or, where no concept
fits, the stem of a word. Texts and questions are processed the same way, so that they match.
"""

import re
import unicodedata
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import islice
from typing import Any

from referee.rules import RULES_FOLDER
from referee.rules.cards.cards import Face
from referee.rules.lookup.model import learned, spoken, understood
from referee.rules.text.toml_files import read_toml

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
MOST_CORRECTED = 12
"""Misspelled words of a query that are corrected; the questions of the tests have nine at most, in any language."""
USUAL = 300
"""How many words of a language are its most frequent ones, by which it is told from others."""

SENTENCE = 4
"""How many words are a sentence, whose language shows."""
AHEAD = 1.25
"""How many times more familiar the words must be in another language than in the one spoken."""
STRANGE = 0.5
"""A sentence of which no language has this share of words is in a language that is not understood."""
OUTWEIGHS = 3
"""How many words of a language that is understood one of `foreign_words` outweighs."""
_VOWEL = re.compile("[aeiouy]")
_DOUBLE = re.compile(r"(.)\1")


@dataclass(frozen=True, slots=True)
class Heard:
    """What was understood of a query: terms once each, in order; features to tell questions apart by; corrections."""

    terms: tuple[str, ...]
    features: tuple[str, ...]
    elsewhere: bool
    box: str | None
    corrected: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Named:
    """A card that a query names from one word up to another, and one to ask about alike; `is_under` what is played."""

    card: Face
    alike: str
    start: int
    end: int
    is_under: bool


def tokens(text: str) -> list[str]:
    """Split a text into lower-case words, numbers and signed numbers ("+4"); everything else separates."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    plain = "".join(letter for letter in folded if not unicodedata.combining(letter))
    matches = TOKEN.findall(re.sub(r"['’`´]", "", plain))
    return [
        f"+{token.replace('+', '').strip()[:LONGEST_WORD]}" if "+" in token else token[:LONGEST_WORD]
        for token in matches
        if token != "+"
    ]


@lru_cache(maxsize=8192)
def stem(word: str, endings: tuple[str, ...] = ()) -> str:
    """Cut the usual endings of a word; both sides of a comparison are cut alike, so accuracy hardly matters.

    Double letters become one, and whatever of `endings` leaves three letters is cut; without any, it is English.
    """
    if len(word) <= 3 or not word.isascii():
        return word
    if endings:
        cut = _DOUBLE.sub(r"\1", word)
        while ending := next((end for end in endings if cut.endswith(end) and len(cut) > len(end) + 2), ""):
            cut = cut.removesuffix(ending)
        return cut
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

    def __init__(self, learned: Mapping[str, Any]) -> None:
        """Read what training wrote of the words (see `tools.lookup.wordings`): all phrases as they are compared.

        ``forms`` are spelled out, ``articles`` dropped; ``cards`` lists for each card its names, ``phrases`` for each
        meaning its phrases (for "" the fillers), ``known`` every word whose spelling is known, first the most frequent.
        ``language`` is its code, ``endings`` are cut off words, ``on`` stand before the card that another one is played
        on, and ``pieces`` is how long the parts of words are.
        """
        self.language: str = learned["language"]
        self._pieces: int = learned["pieces"]
        self._endings = tuple(learned["endings"])
        self._forms = {word: tuple(form.split()) for word, form in learned["forms"].items()}
        self._articles = frozenset(learned["articles"])
        self._on = frozenset(learned["on"])
        self.names: Mapping[str, str] = {name: card for card, names in learned["cards"].items() for name in names}
        self._longest_name = _longest(self.names)
        self._phrases = {
            phrase: tuple(meaning.split()) if not meaning.startswith(FOREIGN) else (meaning,)
            for meaning, phrases in learned["phrases"].items()
            for phrase in phrases
        }
        self._longest_phrase = _longest(self._phrases)
        self._seen = {word: place for place, word in enumerate(learned["known"].split())}
        self._correct = lru_cache(maxsize=4096)(self._nearest)

    @cached_property
    def of_boxes(self) -> Mapping[str, str]:
        """The phrases that name a box, each with the id of the box."""
        prefix = f"{BOX}:"
        named = {phrase: meaning[0] for phrase, meaning in self._phrases.items() if meaning}
        return {phrase: first.removeprefix(prefix) for phrase, first in named.items() if first.startswith(prefix)}

    @cached_property
    def _stems_seen(self) -> frozenset[str]:
        return frozenset(self._stem(word) for word in self._seen)

    @cached_property
    def _by_length(self) -> Mapping[int, Sequence[tuple[int, int, str]]]:
        """The words by their number of letters, the most frequent first: which letters they have, place, word."""
        by_length: dict[int, list[tuple[int, int, str]]] = {}
        for word, place in self._seen.items():
            by_length.setdefault(len(word), []).append((_letters(word), place, word))
        return by_length

    def hear(self, query: str, written: Container[str] = (), here: Container[str] = ()) -> Heard:
        """Understand what a player typed.

        Stems that are `written` by the table itself are no misspellings, and phrases used `here` name no other box.
        """
        meant = self.corrected(query, written)
        corrected = {word: known for word, known in zip(tokens(query), meant, strict=True) if word != known}
        stems = self._stems(meant)
        words = self._plain(stems)
        terms = tuple(dict.fromkeys(self._terms(words, here)))
        box = next((term.removeprefix(f"{BOX}:") for term in terms if term.startswith(f"{BOX}:")), None)
        return Heard(
            terms=tuple(
                term for term in terms if not term.startswith((ELSEWHERE, f"{BOX}:", f"{FOREIGN}:", f"{ASIDE}:"))
            ),
            features=_features(terms, words, self._pieces),
            elsewhere=ELSEWHERE in terms or box is not None,
            box=box,
            corrected=corrected,
        )

    def corrected(self, query: str, written: Container[str] = ()) -> list[str]:
        """Return the words of a query, misspelled ones as they were meant; of many only the first are corrected."""
        words = tokens(query)
        misspelled = (word for word in dict.fromkeys(words) if self._is_misspelled(word, written))
        meant = {word: self._correct(word) for word in islice(misspelled, MOST_CORRECTED)}
        return [meant.get(word, word) for word in words]

    def places_of(self, words: Sequence[str], names: Mapping[str, tuple[Face, str]]) -> list[Named]:
        """Find the cards that words name, of several names the longest."""
        typed = [(stem, place) for place, word in enumerate(words) for stem in self.stems_of([word])]
        stems, longest = [stem for stem, _ in typed], _longest(names)
        named, at = list[Named](), 0
        while at < len(stems):
            phrase, end = _longest_at(at, stems, names, longest)
            if phrase:
                is_under = at > 0 and stems[at - 1] in self._on
                named.append(Named(*names[phrase], typed[at][1], typed[end - 1][1] + 1, is_under))
            at = end
        return named

    def stems_of(self, words: Iterable[str]) -> list[str]:
        """Return the stems of words, articles left out."""
        return [word for word in self._stems(words) if word not in self._articles]

    def _stem(self, word: str) -> str:
        return stem(word, self._endings)

    def _stems(self, words: Iterable[str]) -> list[str]:
        stems = []
        for word in words:
            base = self._forms.get(word)
            stems += [self._stem(part) for part in base] if base else [self._stem(word)]
        return stems

    def normalized(self, text: str) -> list[str]:
        """Return the words of a text as they are compared: stems, without articles, each card by its one name."""
        return self._plain(self._stems(tokens(text)))

    def _plain(self, stems: list[str]) -> list[str]:
        """Leave out the articles, and put a card's one name for all its names."""
        words = [word for word in stems if word not in self._articles]
        plain, place = list[str](), 0
        while place < len(words):
            phrase, end = _longest_at(place, words, self.names, self._longest_name)
            plain.append(self.names.get(phrase, words[place]))
            place = end
        return plain

    def _terms(self, words: list[str], here: Container[str]) -> Iterator[str]:
        understood = 0
        for place, word in enumerate(words):
            phrase, end = _longest_at(place, words, self._phrases, self._longest_phrase, here)
            if phrase and end > understood:  # else it is a part of a longer phrase
                yield from self._phrases[phrase]
                understood = end
            elif not phrase and place >= understood:
                yield word

    def knows(self, word: str) -> bool:
        """Return whether a word is spelled as here, its ending aside."""
        return word in self._seen or self._stem(word) in self._stems_seen

    def lists(self, word: str) -> bool:
        """Return whether a word is written so here."""
        return word in self._seen

    def familiarity(self, word: str) -> int:
        """Return 2 for one of the most frequent words here, 1 for another one that is known, else 0."""
        return 2 if self._seen.get(word, USUAL) < USUAL else int(self.knows(word))

    def _is_misspelled(self, word: str, written: Container[str]) -> bool:
        return word.isalpha() and len(word) > 3 and not self.knows(word) and self._stem(word) not in written

    def _nearest(self, word: str) -> str:
        """Return the known word nearest to a misspelled one, or the word itself.

        Words of four to six letters may have one mistake, longer ones two (a letter too many, too few, wrong, or two
        exchanged).
        """
        allowed = 1 if len(word) < 7 else 2
        letters = _letters(word)
        best = (allowed + 1, -1, word)
        for length in range(len(word) - allowed, len(word) + allowed + 1):
            for its_letters, place, near in self._by_length.get(length, ()):
                if (letters ^ its_letters).bit_count() > 2 * allowed:
                    continue  # one edit exchanges two letters at most
                best = min(best, (edits(word, near), place, near))
        return best[2]


def _letters(word: str) -> int:
    """Return which letters a word has once and which twice, as bits; rare ones share a bit, so that none is missed."""
    bits = 0
    for letter in word:
        bit = 1 << (ord(letter) & 31)
        bits |= bit << 32 if bits & bit else bit
    return bits


@cache
def vocabulary(language: str) -> Vocabulary:
    """Read the words of a language that were learned, once."""
    return Vocabulary(learned(language)["words"])


@cache
def foreign_words() -> frozenset[str]:
    """Read the everyday words of languages that are not understood, once."""
    languages = read_toml(RULES_FOLDER / "foreign_words.toml").values()
    return frozenset(word for words in languages for word in words.split())


def language_asked(query: str) -> str | None:
    """Return the code of the language whose words a query has most of, the most frequent counting twice.

    Another than the one spoken has to be clearly ahead; None where words of other languages outweigh those known, and
    for a sentence of which no language knows enough words.
    """
    words = [word for word in tokens(query) if word.isalpha()]
    familiar: dict[str, float] = {code: sum(map(vocabulary(code).familiarity, words)) for code in understood()}
    here = spoken()
    meant = vocabulary(here).corrected(query)
    misspelled = sum(word != known for word, known in zip(tokens(query), meant, strict=True))
    familiar[here] = (familiar[here] + misspelled) * AHEAD
    best = max(familiar, key=lambda code: (familiar[code], code == here))
    listed = sum(map(vocabulary(best).lists, words))
    strange = sum(word in foreign_words() for word in words)
    if strange and listed <= OUTWEIGHS * strange:
        return None
    return None if len(words) >= SENTENCE and listed < STRANGE * len(words) else best


def _features(terms: Iterable[str], words: Iterable[str], pieces: int) -> tuple[str, ...]:
    """Return a query's terms, with ``=`` the words that are none ("who" …), with ``~`` parts of words, sorted.

    Parts are prefixes, or where words are put together of others, all pieces of so many letters, ``^`` the beginning.
    """
    terms = set(terms)
    if pieces:
        begun = [f"^{word}" for word in words]
        parts = [f"~{word[at : at + pieces]}" for word in begun for at in range(len(word) - pieces + 1)]
    else:
        parts = [f"~{word[:LONGEST_PREFIX]}" for word in words if len(word) > LONGEST_PREFIX]
    others = (f"={word}" for word in words if word not in terms)
    return tuple(sorted({*terms, *others, *parts}))


def _longest_at(
    place: int, words: Sequence[str], table: Container[str], longest: int, without: Container[str] = ()
) -> tuple[str, int]:
    """Return the longest phrase of a table that begins at a place, or an empty one, and where to go on."""
    for end in range(min(place + longest, len(words)), place, -1):
        phrase = " ".join(words[place:end])
        if phrase in table and phrase not in without:
            return phrase, end
    return "", place + 1


def _longest(phrases: Iterable[str]) -> int:
    """Return how many words the longest of some phrases has."""
    return max((len(phrase.split()) for phrase in phrases), default=0)


def edits(word: str, other: str) -> int:
    """Count the edits between two words: insert, delete, replace, exchange neighbors (Damerau–Levenshtein)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(word, 1):
        before, last, row = row, before, [i]
        for j, b in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and b == word[i - 2]:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]
