"""The look-up in other languages: their files have what the English ones have, and they are told by their words."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from referee.rules.books.library import boxes, get_rulebook, rulebooks
from referee.rules.lookup.lookup import look_up
from referee.rules.lookup.model import understood
from referee.rules.lookup.query import Vocabulary, foreign_words, language_asked, stem, tokens, vocabulary
from referee.rules.text.words import ENGLISH, languages, speaking
from tools.lookup.wordings import FOLDER, box_wordings, grammar, phrasings, synonyms

LEAST = 15
"""Wordings of each question and of each that is left open."""
WRITTEN = [code for code in languages() if code != ENGLISH and (FOLDER / code / "phrasings.toml").is_file()]
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
    assert said["of_cards"].keys() == english["of_cards"].keys()
    assert grammar(code).keys() == grammar().keys()
    words, english_words = synonyms(code), synonyms()
    assert words.keys() - {"endings"} == english_words.keys()
    assert set(words["cards"]) <= set(english_words["cards"])
    assert set(words["concepts"]) <= set(english_words["concepts"])


def counted(code: str) -> Iterator[tuple[str, int]]:
    """Count the different wordings of each question and open matter."""
    said: Mapping[str, Any] = phrasings(code)
    for id, group in said["asked"].items():
        yield id, len(set(group))
    for matter in said["open"]:
        yield matter["text"], len({*matter["asked"], *matter.get("told", ())})


@pytest.mark.parametrize(
    ("code", "words"),
    [("de", ("karte", "karten")), ("de", ("lege", "legst", "legt", "legen")), ("de", ("müssen", "muss", "musst")),
     ("nl", ("kaart", "kaarten")), ("nl", ("leggen", "legt", "leg")), ("nl", ("speelt", "spelen", "speel")),
     ("es", ("carta", "cartas")), ("es", ("robar", "roba", "robo", "robando", "robas"))],
)  # fmt: skip
def test_the_forms_of_a_word_have_one_stem(code: str, words: tuple[str, ...]) -> None:
    endings = tuple(grammar(code)["endings"])
    assert len({stem(tokens(word)[0], endings) for word in words}) == 1


def test_a_word_put_together_of_others_is_told_by_its_pieces() -> None:
    def pieces(code: str, word: str) -> set[str]:
        words = {"language": code, "known": word, **{key: grammar(code)[key] for key in ("endings", "on", "pieces")}}
        empty: dict[str, Any] = {"forms": {}, "articles": [], "cards": {}, "phrases": {}}
        return {each for each in Vocabulary(words | empty).hear(word).features if each.startswith("~")}

    assert pieces("de", "zugzwang") == {"~^zu", "~zug", "~ugz", "~gzw", "~zwa", "~wan", "~ang"}
    assert pieces(ENGLISH, "shuffle") == {"~shuf"}


TOLD = {
    "en": "can I stack a +2|who starts|he forgot to say uno, what now|what does a reverse do with two players",
    "de": "wer fängt an|darf ich auf eine +2 noch eine +2 legen|er hat vergessen uno zu sagen|stapeln erlaubt?",
    "nl": "wie begint er eigenlijk|mag ik een +2 op een +2 leggen|hij vergat uno te zeggen|hoeveel kaarten krijg je",
    "es": "quién empieza|puedo poner un +2 encima de otro +2|se olvidó de decir uno|cuántas cartas se reparten",
}


@pytest.mark.parametrize("page", understood())
def test_the_language_of_a_question_is_told_by_its_words_whatever_the_page_speaks(page: str) -> None:
    asked = [(code, query) for code in understood() for query in TOLD[code].split("|")]
    with speaking(page):
        assert [(language_asked(query), query) for _, query in asked] == asked
        assert language_asked("+4") == language_asked("uno") == page


def test_what_spanish_tables_misspell_too_is_english_on_an_english_page() -> None:
    assert language_asked("chalenge a +4") == ENGLISH


@pytest.mark.parametrize(
    "query",
    ["cosa succede se qualcuno dimentica di dire uno", "combien de cartes au début de la partie",
     "posso jogar um mais dois em cima de outro", "czy mogę położyć plus dwa na plus dwa",
     "hány lapot kap mindenki az elején", "можно ли положить плюс два на плюс два"],
)  # fmt: skip
def test_a_question_in_a_language_that_is_not_understood_gets_no_answer(query: str) -> None:
    found = look_up(query)
    assert (found.language, found.answered, found.silent, found.hits) == (None, False, False, ())
    assert found.suggested_topics


def test_no_foreign_word_is_known_in_a_language_that_is_understood() -> None:
    """They are chosen by what is known alone: never by the questions that measure."""
    assert {code: {word for word in foreign_words() if vocabulary(code).lists(word)} for code in understood()} == {
        code: set() for code in understood()
    }
    assert {word for word in foreign_words() if tokens(word) != [word]} == set()
    assert len(" ".join(foreign_words()).encode()) <= 1000


@pytest.mark.parametrize("code", ["es", "de"])
def test_every_box_has_eight_wordings(code: str) -> None:
    assert set(box_wordings(code)) == set(boxes())
    assert min(len(set(wordings)) for wordings in box_wordings(code).values()) >= 8


def test_the_answer_is_in_the_language_of_the_page() -> None:
    said = {page: [answer(query, page) for query in ("wer fängt an", "who starts")] for page in (ENGLISH, "de")}
    assert said[ENGLISH] == [("Who deals, and who plays first?", "Highest number deals, left of dealer begins")] * 2
    assert said["de"] == [("Wer gibt, und wer legt zuerst?", "Die höchste Zahl gibt, links davon geht es los")] * 2
    assert answer("was macht aussetzen", ENGLISH)[0] == "What does a Skip do?"
    assert answer("what does a skip do", "de")[0] == "Was macht die Karte Aussetzen?"
    assert answer("jemand muss heim, was nun", ENGLISH)[0] == "What if a player leaves before the end?"


def answer(query: str, page: str) -> tuple[str, str]:
    """Return the question as understood, and the title of the first clause, as the page shows them."""
    with speaking(page):
        found = look_up(query, get_rulebook("official"))
        assert found.asked is not None
        return found.asked.text, found.hits[0].clause.title
