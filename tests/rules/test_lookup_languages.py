"""The look-up in other languages: their files have what the English ones have, and they are told by their words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from referee.rules.boxes import boxes
from referee.rules.library import rulebooks
from referee.rules.lookup_model import folder, understood
from referee.rules.lookup_words import Vocabulary, stem, tokens
from referee.rules.words import ENGLISH, languages
from tests.rules.lookup_wordings import box_wordings, grammar, on_cards, phrasings, synonyms

LEAST = 15
"""Wordings of each question, of each matter of a card and of each that is left open."""
WRITTEN = [code for code in languages() if code != ENGLISH and (folder(code) / "phrasings.toml").is_file()]
UNDERSTOOD = [code for code in understood() if code != ENGLISH]


@pytest.mark.parametrize("code", WRITTEN)
def test_the_wordings_of_a_language_are_of_questions_that_there_are(code: str) -> None:
    said = phrasings(code)
    assert said["asked"].keys() <= phrasings()["asked"].keys()
    assert set(said.get("told", {})) <= {"any", *rulebooks()}
    assert set(box_wordings(code)) <= set(boxes())


@pytest.mark.parametrize("code", UNDERSTOOD)
def test_a_language_that_is_understood_has_enough_wordings_of_everything(code: str) -> None:
    said, english = phrasings(code), phrasings()
    assert {name: count for name, count in counted(code) if count < LEAST} == {}
    assert said["asked"].keys() == english["asked"].keys()
    assert sum(map(len, said["nothing"].values())) >= 80
    assert said["instead"] == english["instead"]
    assert [matter["topic"] for matter in said["open"]] == [matter["topic"] for matter in english["open"]]
    assert [part["setting"] for part in said["parts"]] == [part["setting"] for part in english["parts"]]
    assert on_cards(code)["matters"].keys() == on_cards()["matters"].keys()
    assert all("{card}" in matter["asked"] for matter in on_cards(code)["matters"].values())
    assert grammar(code).keys() == grammar().keys()
    words, english_words = synonyms(code), synonyms()
    assert words.keys() - {"endings"} == english_words.keys()
    assert set(words["cards"]) <= set(english_words["cards"])
    assert set(words["concepts"]) <= set(english_words["concepts"])


def counted(code: str) -> Iterator[tuple[str, int]]:
    """Count the different wordings of each question, open matter and matter of a card."""
    said: Mapping[str, Any] = phrasings(code)
    for id, group in said["asked"].items():
        yield id, len(set(group))
    for matter in said["open"]:
        yield matter["text"], len({*matter["asked"], *matter.get("told", ())})
    for id, matter in on_cards(code)["matters"].items():
        yield f"{id} of a card", len(set(matter["words"]))


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("de", ("karte", "karten")),
        ("de", ("lege", "legst", "legt", "legen")),
        ("de", ("müssen", "muss", "musst")),
        ("nl", ("kaart", "kaarten")),
        ("nl", ("leggen", "legt", "leg")),
        ("nl", ("speelt", "spelen", "speel")),
        ("es", ("carta", "cartas")),
        ("es", ("robar", "roba", "robo", "robando", "robas")),
    ],
)
def test_the_forms_of_a_word_have_one_stem(code: str, words: tuple[str, ...]) -> None:
    endings = tuple(grammar(code)["endings"])
    assert len({stem(tokens(word)[0], endings) for word in words}) == 1


def test_a_word_put_together_of_others_is_told_by_its_pieces() -> None:
    def pieces(code: str, word: str) -> set[str]:
        words = {"language": code, "grammar": grammar(code), "known": [word]}
        empty = {"forms": {}, "articles": [], "cards": {}, "phrases": {}, "verbs": [], "amounts": [], "with_two": []}
        return {each for each in Vocabulary(words | empty).hear(word).features if each.startswith("~")}

    assert pieces("de", "zugzwang") == {"~^zu", "~zug", "~ugz", "~gzw", "~zwa", "~wan", "~ang"}
    assert pieces(ENGLISH, "shuffle") == {"~shuf"}
