"""Quotations stand in their texts letter by letter, and nothing else of the texts is copied.

The texts are not part of this project. `REFEREE_TEXTS` names a folder that holds them as ``*.txt``;
without it the comparisons are skipped, and say so. Each text is known by a phrase in it, whatever
its file is called.
"""

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from referee.rules import RULES_FOLDER
from referee.rules.books.library import LONGEST_QUOTE
from referee.rules.books.rulebook import TOPICS

LONGEST_SENTENCE = 20
"""Words of a sentence that a listener follows at the first hearing."""
COPIED_RUN = 9
"""Words in a row that two people do not write alike by chance."""

PHRASES = {
    "classic-500": "This Uno rules explained page",
    "two-player": "Rules of 2 players Uno",
    "duo-200": "OBJECTIVE OF UNO DUO",
    "online-100-200": "punished with two additional cards",
    "speluitslagen": "entered on speluitslagen.nl",
}
"""Words by which each rulebook's text is found in the folder."""
NO_TEXT = {
    "official": "the publisher's sheets are not in the folder",
    "challenge-500": "it prints the publisher's sheets",
    "triple-play": "it is known from pages that copy the publisher's sheet",
    "attack": "it is known from pages that copy the publisher's sheets",
    "partners": "it prints copies of the publisher's leaflet",
    "flip": "the publisher's sheets are not in the folder",
    "no-mercy": "the publisher's sheets are not in the folder",
    "dare": "no instruction sheet was found; it cites web pages",
    "all-wild": "no instruction sheet was found; it cites web pages",
}

RULEBOOKS = sorted(path.stem for path in (RULES_FOLDER / "rulebooks").glob("*.toml") if path.stem != "questions")
HOUSE_RULES = sorted(path.stem for path in (RULES_FOLDER / "house_rules").glob("*.toml"))
RULE_FILES = [f"rulebooks/{id}" for id in RULEBOOKS] + [f"house_rules/{id}" for id in HOUSE_RULES]


@cache
def read(file: str) -> dict[str, Any]:
    return tomllib.loads((RULES_FOLDER / f"{file}.toml").read_text(encoding="utf-8"))


def passages(table: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Walk a rule file's own table, its clauses, its house rules and their clauses."""
    yield table
    for key in ("clauses", "house_rules"):
        for inner in table.get(key, []):
            yield from passages(inner)


def own_words(file: str) -> list[tuple[str, str, str]]:
    """List what a rule file says in its own words: id, key, text."""
    spoken = ("text", "reading", "sentence")
    return [(table["id"], key, table[key]) for table in passages(read(file)) for key in spoken if key in table]


def folded(text: str) -> str:
    return " ".join(text.split())


def words(text: str) -> list[str]:
    return re.findall(r"\w+", re.sub(r"['’]", "", text.lower()))


def sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!?])\s+|(?<=[.!?][”)])\s+", text)


def runs(text: str) -> set[tuple[str, ...]]:
    said = words(text)
    return {tuple(said[place : place + COPIED_RUN]) for place in range(len(said) - COPIED_RUN + 1)}


@pytest.fixture(scope="session")
def texts() -> dict[str, str]:
    """Find the text of every rulebook that has one, white space folded."""
    folder = os.environ.get("REFEREE_TEXTS")
    if not folder:
        pytest.skip("QUOTATIONS NOT COMPARED: set REFEREE_TEXTS to the folder that holds the rulebooks' texts")
    there = [folded(path.read_text(encoding="utf-8")) for path in sorted(Path(folder).glob("*.txt"))]
    found = {id: [text for text in there if phrase in text] for id, phrase in PHRASES.items()}
    unclear = {id: len(matches) for id, matches in found.items() if len(matches) != 1}
    assert not unclear, f"each phrase must be in exactly one .txt of {folder}; these are in so many: {unclear}"
    return {id: matches[0] for id, matches in found.items()}


@pytest.mark.parametrize("rulebook", PHRASES)
def test_every_quotation_stands_in_its_text(rulebook: str, texts: dict[str, str]) -> None:
    quoted = [(table["id"], table["quote"]) for table in passages(read(f"rulebooks/{rulebook}")) if "quote" in table]
    assert quoted
    assert [(id, quote) for id, quote in quoted if folded(quote) not in texts[rulebook]] == []


@pytest.mark.parametrize("rulebook", PHRASES)
def test_every_clause_of_a_text_is_quoted_from_it(rulebook: str) -> None:
    assert [clause["id"] for clause in read(f"rulebooks/{rulebook}")["clauses"] if not clause.get("quote")] == []


@pytest.mark.parametrize("file", RULE_FILES)
def test_no_sentence_of_a_text_is_copied(file: str, texts: dict[str, str]) -> None:
    theirs = set().union(*map(runs, texts.values()))
    assert [(id, key, run) for id, key, text in own_words(file) for run in runs(text) & theirs] == []


@pytest.mark.parametrize("file", RULE_FILES)
def test_quotations_are_a_dozen_words_at_most_and_cited(file: str) -> None:
    quoted = [table for table in passages(read(file)) if "quote" in table]
    assert [table["id"] for table in quoted if not 0 < len(table["quote"].split()) <= LONGEST_QUOTE] == []
    assert [table["id"] for table in quoted if not table.get("cite")] == []


@pytest.mark.parametrize("file", RULE_FILES)
def test_every_topic_exists(file: str) -> None:
    topics = [(table["id"], table["topic"]) for table in passages(read(file)) if "topic" in table]
    assert [(id, topic) for id, topic in topics if topic not in TOPICS] == []


@pytest.mark.parametrize("file", RULE_FILES)
def test_sentences_are_short_enough_to_be_read_aloud(file: str) -> None:
    said = [(id, sentence) for id, _, text in own_words(file) for sentence in sentences(text)]
    assert said
    assert [(id, sentence) for id, sentence in said if len(sentence.split()) > LONGEST_SENTENCE] == []


def test_a_copied_run_is_found_whatever_its_case_and_marks() -> None:
    text = "Ada lays the red seven, then Bo's blue seven follows at once."
    assert runs("so: “ada lays the RED seven then Bo’s blue seven follows”") & runs(text)
    assert not runs("Ada lays the red seven; then a blue seven of Bo’s follows.") & runs(text)
