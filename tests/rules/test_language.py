"""What differs from language to language besides words: how numbers are counted and written, and what is listed."""

from dataclasses import replace
from pathlib import Path

import pytest

from referee.rules.books.library import get_rulebook
from referee.rules.cards.decks import parse_card
from referee.rules.disputes.ruling import Voice
from referee.rules.text import words
from referee.rules.text.words import (
    CATALOGUE,
    ENGLISH,
    Catalogue,
    Language,
    either,
    joined,
    language,
    languages,
    listed,
    speaking,
)

FEW, MANY = "n % 10 = 2..4 and n % 100 != 12..14", "n % 10 = 0,1,5..9 or n % 100 = 12..14"
POLISH = Language(
    code="pl", name="polski", direction="ltr", plurals={"one": "n = 1", "few": FEW, "many": MANY},
    lists={"and": ["{0}, {1}", "{0} i {1}"], "or": ["{0}, {1}", "{0} lub {1}"]}, group=" ", decimal=",",
    percent="{n}%", long="{day} {month} {year}", clock="{at:%H}:{at:%M}", of_year="{month} {year}",
    months=["stycznia"] * 12, short_months=["sty"] * 12, weekdays=["pon"] * 7,
)  # fmt: skip


@pytest.mark.parametrize("name", ["محمد", "אדה"])
def test_a_number_stays_behind_a_name_that_is_written_from_the_right(name: str) -> None:
    kept = f"\u200e{name}\u200e"
    assert CATALOGUE.say("orders.draw", who=name, n=4).startswith(kept), "and the sentence runs from the left"
    assert joined(["Ada", name]) == f"Ada and {kept}"
    assert joined(["Ada", "Åsa"]) == "Ada and Åsa"


COUNTED = {1: "one", 2: "few", 4: "few", 5: "many", 12: "many", 22: "few", 112: "many", 0: "many", -1: "one"}


@pytest.mark.parametrize(("n", "category"), [*COUNTED.items(), ("no", "other"), (None, "other")])
def test_a_number_has_the_category_that_its_language_gives_it(n: object, category: str) -> None:
    assert POLISH.category(n) == category


LISTED = {"Bo": "Bo", "Bo Inés": "Bo e Inés", "Bo Hilda": "Bo e Hilda", "Bo Ada": "Bo y Ada", "": ""}


@pytest.mark.parametrize(("items", "said"), [*LISTED.items(), ("Inés Bo Hiena", "Inés, Bo y Hiena")])
def test_what_is_listed_is_joined_as_its_language_joins_it(items: str, said: str) -> None:
    spanish = {"and": ["{0}, {1}", "{0} y {1}", "{0} e {1}", "[ií]|h[ií](?!e)"]}
    assert replace(POLISH, lists=spanish).join(items.split()) == said


def test_numbers_are_written_as_the_language_does() -> None:
    assert POLISH.number(-1234567, ",") == "−1 234 567"
    assert POLISH.number(0.25, ".1f") == "0,2"
    assert language().number(1200, ",") == "1,200"


def test_english_comes_first_and_an_unknown_language_is_refused() -> None:
    assert next(iter(languages())) == ENGLISH
    with pytest.raises(KeyError), speaking("xx"):
        pass
    assert language().code == ENGLISH


def test_a_sentence_is_said_in_the_language_spoken_and_in_english_where_it_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    english = tmp_path / "words.toml"
    english.write_text(
        '[draw]\ncards.other = "{n:,} cards"\ncards.one = "1 card"\ntimes.other = "{n} times"\ntimes.2 = "twice"\n'
        'on = "{who} draws."\n',
        "utf-8",
    )
    monkeypatch.setattr(words, "languages", lambda: {"en": languages()["en"], "pl": POLISH})
    monkeypatch.setattr(words, "FOLDER", tmp_path)
    (tmp_path / "pl").mkdir()
    (tmp_path / "pl" / "rules.toml").write_text(
        '[draw]\ncards.one = "1 karta"\ncards.few = "{n} karty"\ncards.other = "{n:,} kart"\n', "utf-8"
    )
    catalogue = Catalogue(english, "rules")
    assert [catalogue.say("draw.cards", n=n) for n in (1, 2, 5000)] == ["1 card", "2 cards", "5,000 cards"]
    assert [catalogue.say("draw.times", n=n) for n in (1, 2)] == ["1 times", "twice"]
    with speaking("pl"):
        said = [catalogue.say("draw.cards", n=n) for n in (1, 2, 5, -5000)]
        assert said == ["1 karta", "2 karty", "5 kart", "−5 000 kart"]
        assert catalogue.say("draw.on", who="Ada") == "Ada draws."
        assert catalogue.say("draw.times", n=2) == "twice"


def test_a_card_is_said_by_the_gender_of_its_face(monkeypatch: pytest.MonkeyPatch) -> None:
    german = {
        "genders.skip": "n", "genders.number": "f", "colors.red": "rot", "colors.red.n": "rotes",
        "colors.red.f": "rote", "cards.a.n": "ein {card}", "cards.a.f": "eine {card}",
        "cards.after.n": "nach dem {card}",
    }  # fmt: skip
    skip, eight = parse_card("red-skip"), parse_card("8", colored=False)
    assert (f"{skip.label}, {skip.label:a}", f"{eight.label:a}") == ("red Skip, a red Skip", "an 8")
    with speaking("de"):
        for key, text in german.items():
            monkeypatch.setitem(CATALOGUE.sentences, key, text)
        assert f"{skip.label:a}" == f"ein rotes {skip.face.label}"
        assert f"{parse_card('red-7').label:a}" == "eine rote 7"
        both = listed([eight.label, skip.face.label], either)
        assert Voice().fill("{cards}; {cards:a}", {"cards": both}) == "8 oder Aussetzen; eine 8 oder ein Aussetzen"
        assert f"{skip.face.label:after}" == "nach dem Aussetzen", "a form of its own"


def test_a_house_rule_says_in_every_language_that_it_was_agreed_on() -> None:
    said = {}
    for code in languages():
        with speaking(code):
            book = get_rulebook("classic-500").with_house_rules(["stack-draw-two"])
            said[code] = book.clauses["stacking-draw-two"].cite
    assert said[ENGLISH] == "Agreed at this table"
    assert len(set(said.values())) == len(said)
