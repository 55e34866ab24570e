"""Translations: what the files of each language lack, and whether English is left anywhere once all are there.

The second is shown by a language that is made here: every letter of the English as a letter of full width.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from flask import Flask
from sqlalchemy import update

from referee.paths import CHECKOUT
from referee.records.models import Club
from referee.rules import library, tree, words
from referee.rules.boxes import boxes
from referee.rules.controls import controls
from referee.rules.decks import decks
from referee.rules.disputes import DISPUTES
from referee.rules.own_clauses import changed_clause
from referee.rules.own_rulebook import OwnRulebook
from referee.rules.rulebook import Rulebook, changed
from referee.rules.translations import english, flaws, see, translation
from referee.rules.words import languages, speaking
from referee.web.commands.main import main
from referee.web.server.database import db
from referee.web.words import CATALOGUES
from tests.browser.season import FRIENDS, LONG, furnish
from tests.browser.states import STATES

WRONG = {"unknown", "places", "forms"}
"""What is wrong in any language; one that calls itself whole lacks nothing either."""
MADE = "xx"
WIDE = str.maketrans(
    {letter: chr(ord(letter) + 0xFEE0) for letter in map(chr, range(ord("A"), ord("z") + 1)) if letter.isalpha()}
)
LETTER = re.compile(r"[A-Za-z]")
TYPED = (
    "Sunday table", "Monday table", "Sunday rules", "Bo’s kitchen", "stak +2", "jump in", "capital of france",
    "monopoly", *FRIENDS, *LONG,
)  # fmt: skip
"""Names and questions that were typed."""
GIVEN = ("First phone", "Spectators", "Live board", "Hands at the table", "hand", "Help", "The first match")
"""What phones and links are called from their first day on, and titles of the help, which is in English so far."""
CITED = {
    clause.cite
    for book in library.rulebooks().values()
    for clause in (*book.clauses.values(), *(each for rule in book.house_rules.values() for each in rule.clauses))
}
"""Citations stay in the language of the text that they lead to; quotations say theirs."""
NAMES = [one.name for one in languages().values()]
KEPT = (*TYPED, *GIVEN, *CITED, *library.IDS, *NAMES, "Referee", "UTC", "Caddy", "docs/pages/host/https.md", "date,")
OURS = re.compile(
    "|".join((r"https?://[^ ]+", r"\b[0-9a-f]{12}\b", *map(re.escape, sorted(KEPT, key=len, reverse=True))))
)
"""What stays as it is in every language."""
SIMPLE = re.compile(r"(\{\{|\}\}|\{[a-z_-]+(?:[:!][^{}]*)?\}|\{[a-z-]+\|)")
"""What stays as it is in a sentence: its places."""


def wide(text: str) -> str:
    """Write a sentence in the language that is made here, a third longer."""
    parts = SIMPLE.split(text)
    return "".join(part if SIMPLE.fullmatch(part) else part.translate(WIDE) for part in parts) + "～" * (len(text) // 3)


def write(folder: Path, file: str, texts: dict[str, str]) -> None:
    """Write the sentences of one file of the language that is made here."""
    lines = []
    for key, text in texts.items():
        many = any(other.startswith(f"{key}.") for other in texts)  # a sentence of a catalogue, with plural forms
        path = [*key.split("."), *(["other"] if many else [])]
        lines.append(f"{'.'.join(map(json.dumps, path))} = {json.dumps(wide(text))}")
    (folder / f"{file}.toml").parent.mkdir(exist_ok=True)
    (folder / f"{file}.toml").write_text("\n".join(lines), "utf-8")


def forget() -> None:
    """Forget which languages there are, and what they say."""
    words.languages.cache_clear()
    words._prose.cache_clear()
    words._by_key.cache_clear()
    for catalogue in CATALOGUES:
        catalogue._read.pop(MADE, None)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Make a language that has every sentence."""
    there = words.FOLDER
    folder = tmp_path_factory.mktemp("translations")
    shutil.copytree(there, folder, dirs_exist_ok=True)
    (folder / MADE).mkdir()
    own = languages()["en"]
    counting = (there / "en" / "language.toml").read_text("utf-8")
    for word in (" and ", " or ", own.name, *own.months, *own.short_months, *own.weekdays):
        counting = counting.replace(word, word.translate(WIDE))
    (folder / MADE / "language.toml").write_text(counting, "utf-8")
    for file, texts in english(CATALOGUES).items():
        write(folder / MADE, file, texts)
    words.FOLDER = folder
    forget()
    yield MADE
    words.FOLDER = there
    forget()


@pytest.mark.parametrize("code", [code for code in languages() if code != words.ENGLISH])
def test_a_translation_has_nothing_wrong_and_a_whole_one_lacks_nothing(code: str) -> None:
    language = languages()[code]
    assert [flaw for flaw in flaws(language, CATALOGUES) if language.whole or flaw.kind in WRONG] == []


def heard(document: dict[str, Any]) -> Iterator[str]:
    """Go through all that people read in the document of a rulebook's hearings."""
    for dispute in document["disputes"]:
        yield from (dispute["title"], dispute["lead"], dispute["found_by"], dispute["moment"])
    for node in document["nodes"]:
        yield from (option[0] for option in node.get("options", ()))
        if "announced" in node:
            said = node["announced"]
            yield from (
                node["verdict"],
                said["headline"],
                *said["before"],
                *said["orders"],
                said["verdict"],
                said["lead"],
            )
            yield from node["open_questions"]
    yield from (asked["text"] for asked in document["questions"])
    yield from document["statements"]
    for step in document["steps"]:
        yield from (step["text"], (step["replaces"] or {}).get("text", ""))


@pytest.mark.parametrize("id", library.IDS)
def test_no_english_is_left_in_any_hearing(made: str, id: str) -> None:
    with speaking(made):
        said = set(heard(tree.document(library.rulebooks()[id])))
    assert len(said) > 100
    assert sorted(text for text in said if LETTER.search(text)) == []


def prose(book: Rulebook) -> Iterator[str]:
    """Go through the words of a rulebook."""
    yield from (book.title, book.sentence, book.in_short)
    for clause in (*book.clauses.values(), *(each for rule in book.house_rules.values() for each in rule.clauses)):
        yield from (clause.title, clause.text, clause.reading)
    for rule in book.house_rules.values():
        yield from (rule.title, rule.text)


def test_no_english_is_left_in_rulebooks_boxes_and_settings(made: str) -> None:
    with speaking(made):
        said = {text for book in library.rulebooks().values() for text in prose(book)}
        said |= {question.text for question in library.every_question().values()}
        said |= {dispute.heading(None).who for dispute in DISPUTES}
        said |= {text for box in boxes().values() for text in (box.title, box.about, box.notice)}
        for deck in decks().values():
            said |= {deck.name, deck.times(2).name, deck.box_title, deck.editions}
            said |= {text for face in deck.faces for text in (face.label, face.short)}
            said |= {text for card in deck.cards for text in (card.label, f"{card.label:a}")}
        for control in (control for table in controls().values() for control in table.values()):
            said |= {control.label, control.hint, *(choice.label for choice in control.choices)}
            said |= set(control.sentences.values())
    left = {re.sub(r"\{[a-z]+\}", "", text) for text in said}
    assert sorted(text for text in left if LETTER.search(text)) == []


@pytest.mark.parametrize("id", library.IDS)
def test_what_a_match_freezes_has_the_published_words_in_any_language(made: str, id: str) -> None:
    book = library.rulebooks()[id]
    with speaking(made):
        applied = book.with_house_rules([*book.house_rules][:1])
        frozen, read = applied.to_document(), Rulebook.from_document(applied.to_document())
        assert not LETTER.search(read.title)
    assert frozen == book.with_house_rules([*book.house_rules][:1]).to_document()
    assert read.digest == applied.digest == book.with_house_rules([*book.house_rules][:1]).digest


def test_a_tables_own_rulebook_is_frozen_alike_in_any_language(made: str) -> None:
    document = {
        "title": "Kitchen",
        "base": "classic-500",
        "changes": {"target": {"target": 300}},
        "clauses": ["Shoes off."],
    }
    with speaking(made):
        there = OwnRulebook.read(document).rulebook("k")
        assert not LETTER.search(there.clauses["target"].text)
        clauses = there.clauses
        assert clauses["own-1"].text == "Shoes off."  # the table's own words
        assert not LETTER.search(clauses["deal"].text)
    assert there.digest == OwnRulebook.read(document).rulebook("k").digest


@pytest.mark.parametrize("code", [one.code for one in languages().values() if one.whole and one.code != words.ENGLISH])
def test_what_settings_say_is_said_in_every_whole_language(code: str) -> None:
    """Each choice of every setting, so that no sentence of ours stays in English on anyone's rule card."""
    left = []
    for id, offered in controls().items():
        for control in offered.values():
            values = {
                "number": (control.least, control.most),
                "yes-no": (True, False),
                "one-of": [choice.value for choice in control.choices],
                "several": ([], [choice.value for choice in control.choices]),
                "numbers": ([control.least, control.most],),
                "by-players": ({"2": control.least, "3": control.most},),
                "number-or-word": (control.most,),
                "by-face": ({"skip": control.least},),
            }[control.kind]
            for value in values:
                if control.problem(value) is not None:
                    continue
                with speaking(words.ENGLISH):
                    clause = changed_clause(None, id, {control.name: value})
                assert clause is not None
                with speaking(code):
                    ours = controls()[id][control.name]
                    made = {"title": ours.label, "text": ours.say(value), "cite": words.say("own.cite")}
                    said = {name: getattr(clause, name) for name in made}
                # the rulebooks may translate the same English otherwise; what isn't said again stays in English
                left += [text for name, text in said.items() if text == vars(clause)[name] != made[name]]
    assert left == []


def test_words_that_no_setting_made_stay_as_they_came(made: str) -> None:
    own = OwnRulebook.read({"title": "Kitchen", "base": "classic-500", "changes": {"target": {"target": 300}}})
    clause = own.rulebook().clauses["target"]
    with speaking(made):
        assert changed(clause, text="Up to 300 points.").text == "Up to 300 points."
        assert changed(clause, settings={"target": "many"}).text == vars(clause)["text"]  # as an import may have it
        assert changed(own.rulebook(), sentence="Classic 500, by heart.").sentence == "Classic 500, by heart."


def test_a_strangers_text_costs_no_more_work_the_longer_it_is(made: str) -> None:
    def work(length: int) -> int:
        nested = "This isn’t a rulebook file: You play with " * 100
        own = OwnRulebook.read({"title": "Kitchen", "base": "classic-500", "clauses": ["Shoes off."]})
        hostile = changed(own.rulebook().clauses["own-1"], text=nested[:length])
        calls = 0

        def count(_frame: object, event: str, _given: object) -> None:
            nonlocal calls
            calls += event == "call"

        with speaking(made):
            assert hostile.text == nested[:length]  # what is read once is read
            sys.setprofile(count)
            try:
                assert hostile.text == nested[:length]
            finally:
                sys.setprofile(None)
        return calls

    assert work(4_000) == work(400) < 400


class Visible(HTMLParser):
    """Gathers what people see or hear of a page, but for what it says to be in another language."""

    VOID = frozenset({"br", "hr", "img", "input", "link", "meta", "path", "rect", "circle", "line", "use"})
    QUOTED = frozenset({"script", "style", "code", "textarea", "del", "ins"})
    HEARD = frozenset({"placeholder", "aria-label", "title", "alt"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._open: list[tuple[str, bool]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Read an element's names, and note whether what is in it is seen and in the page's language."""
        names = dict(attrs)
        seen = (not self._open or self._open[-1][1]) and names.get("lang", MADE) == MADE
        if seen:
            self.texts += [text for name, text in attrs if name in self.HEARD and text]
            if names.get("name") == "description" or names.get("type") == "submit":
                self.texts.append(names.get("content") or names.get("value") or "")
        if tag not in self.VOID:
            self._open.append((tag, seen and tag not in self.QUOTED))

    def handle_endtag(self, tag: str) -> None:
        """Leave an element, and those in it that need no end."""
        if any(tag == opened for opened, _ in self._open):
            while self._open.pop()[0] != tag:
                pass

    def handle_data(self, data: str) -> None:
        """Read a text."""
        if data.strip() and self._open and self._open[-1][1]:
            self.texts.append(" ".join(data.split()))


def test_no_english_is_left_on_any_page(made: str, app: Flask) -> None:
    season = furnish(app)
    with app.app_context():
        db.session.execute(update(Club).values(language=made))
        db.session.commit()
    left: dict[str, set[str]] = {}
    for state in STATES:
        client = app.test_client()
        if state.who in season.sessions:
            client.set_cookie("session", season.sessions[state.who])
        client.set_cookie("language", made)
        answer = client.get(state.path.format(**season.parts, **season.at))
        assert answer.status_code == state.status, state.path
        for text in Visible(answer.text).texts:
            if LETTER.search(OURS.sub("", text)):
                left.setdefault(text, set()).add(state.name)
    assert not left, "\n".join(f"{text}: {', '.join(sorted(where))}" for text, where in left.items())


def test_flaws_are_named_by_kind_and_key(made: str) -> None:
    folder, language = words.FOLDER / made, languages()[made]
    assert {flaw.kind for flaw in flaws(language, CATALOGUES)} <= {"stale", "long"}
    assert see(made, CATALOGUES) > 3000
    assert {flaw.kind for flaw in flaws(language, CATALOGUES)} <= {"long"}
    ours = translation(made, "boxes")
    first, second, third, *_ = ours
    spoiled = {key: text for key, text in ours.items() if key != first} | {"boxes.poker.title": "P", third: "{card} ～"}
    (folder / "boxes.toml").write_text(
        "\n".join(f"{'.'.join(map(json.dumps, key.split('.')))} = {json.dumps(text)}" for key, text in spoiled.items())
    )
    found = {(flaw.kind, flaw.key) for flaw in flaws(language, CATALOGUES) if flaw.file == "boxes"}
    assert found >= {("missing", first), ("unknown", "boxes.poker.title"), ("places", third)}
    seen = (folder / "seen.toml").read_text("utf-8")
    (folder / "seen.toml").write_text(re.sub(f"{json.dumps(second)} = .*", "", seen))
    assert ("stale", second) in {(flaw.kind, flaw.key) for flaw in flaws(language, CATALOGUES)}
    result = CliRunner().invoke(main, ["translations", "check", made])
    assert result.exit_code == 1
    assert f"missing: boxes.toml, {first}\n" in result.output
    assert f"places: boxes.toml, {third}: {english(CATALOGUES)['boxes'][third]} | {{card}} ～\n" in result.output
    assert "Marked" in CliRunner().invoke(main, ["translations", "seen", made]).output
    write(folder, "boxes", english(CATALOGUES)["boxes"])


def test_a_language_that_is_not_there_is_refused_by_naming_those_that_are() -> None:
    result = CliRunner().invoke(main, ["translations", "check", "tlh"])
    assert result.exit_code == 2
    assert "de" in result.output


def test_weblate_is_told_of_every_catalogue_that_has_the_keys_of_one_english_file() -> None:
    parts = json.loads((CHECKOUT / "docs/pages/build/weblate.json").read_text("utf-8"))
    for part in parts:
        own = words.sentences_of(CHECKOUT / part["filemask"].replace("*", "de")).keys()
        lacking = words.sentences_of(CHECKOUT / part["template"]).keys() - own
        assert not [key for key in lacking if key != "cards.a.an"], part["slug"]  # no other language has it
    assert {part["slug"] for part in parts} == {"rules", "records", "web", "phone"}
