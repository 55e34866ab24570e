"""Translations: what the files of each language lack, what old matches say in them, and whether English is left.

The last is shown by a language that is made here: every letter of the English as a letter of full width.
"""

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from flask import Flask
from sqlalchemy import update

from referee.paths import CHECKOUT
from referee.records.models import Club
from referee.rules.books import library
from referee.rules.books.controls import controls
from referee.rules.books.library import boxes, clause_in_language
from referee.rules.books.rulebook import Clause, Rulebook, frozen
from referee.rules.cards.decks import decks
from referee.rules.disputes import DISPUTES, tree
from referee.rules.own.rulebook import OwnRulebook, as_read, changed_clause
from referee.rules.text import words
from referee.rules.text.translations import WAITING, english, flaws, translation
from referee.rules.text.words import RuleText, languages, speaking
from referee.web.commands import translating
from referee.web.commands.main import main
from referee.web.offline.documents import write_rulebook
from referee.web.server.database import db
from referee.web.words import CATALOGUES
from tests.records.test_releases import rows_of
from tools.pictures.sample import FRIENDS, LONG, SEVENTEEN, furnish
from tools.pictures.states import STATES

OTHERS = [code for code in languages() if code != words.ENGLISH]
RELEASES = Path(__file__).parent / "records" / "releases"
MADE = "xx"
WIDE = str.maketrans(
    {letter: chr(ord(letter) + 0xFEE0) for letter in map(chr, range(ord("A"), ord("z") + 1)) if letter.isalpha()}
)
LETTER = re.compile(r"[A-Za-z]")
TYPED = (
    "Sunday table", "Monday table", "Sunday rules", "Season 2025", "Our season",
    "Bo’s kitchen", "stak +2", "jump in", "capital of france",
    "monopoly", "Thursday table", "Autumn cup", *FRIENDS, *LONG, *SEVENTEEN,
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
CUT = [f"{re.escape(name[:6])}[^…]*…" for name in (*FRIENDS, *LONG, *SEVENTEEN) if len(name) > 9]  # as charts name them
OURS = re.compile(
    "|".join((r"https?://[^ ]+", r"\b[0-9a-f]{12}\b", *CUT, *map(re.escape, sorted(KEPT, key=len, reverse=True))))
)
"""What stays as it is in every language."""
SIMPLE = re.compile(r"(\{\{|\}\}|\{[a-z_-]+(?:[:!][^{}]*)?\}|\{[a-z-]+\|)")
"""What stays as it is in a sentence: its places."""
DOCUMENT: dict[str, Any] = {
    "title": "Kitchen", "base": "classic-500", "changes": {"target": {"target": 300}}, "clauses": ["Shoes off."],
}  # fmt: skip
KITCHEN = OwnRulebook.read(DOCUMENT).rulebook("k")


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
    words.translation.cache_clear()
    for catalogue in CATALOGUES:
        catalogue._read.pop(MADE, None)


@contextmanager
def edited(file: str, text: str) -> Iterator[Path]:
    """Have another text in a file of the language that is made here, for a while."""
    path = words.FOLDER / MADE / file
    before = path.read_text("utf-8")
    path.write_text(text, "utf-8")
    forget()
    try:
        yield path
    finally:
        path.write_text(before, "utf-8")
        forget()


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
    (folder / MADE / "language.toml").write_text(counting.replace("{half}", "～"), "utf-8")
    for file, texts in english(CATALOGUES).items():
        write(folder / MADE, file, texts)
    words.FOLDER = folder
    forget()
    yield MADE
    words.FOLDER = there
    forget()


@pytest.mark.parametrize("code", OTHERS)
def test_a_translation_has_nothing_wrong_though_it_may_be_behind(code: str) -> None:
    assert [flaw for flaw in flaws(languages()[code], CATALOGUES) if flaw.kind not in WAITING] == []


def heard(document: dict[str, Any]) -> Iterator[str]:
    """Go through all that people read in the document of a rulebook's hearings."""
    for dispute in document["disputes"]:
        yield from (dispute["title"], dispute["lead"], dispute["found_by"], dispute["moment"])
    for node in document["nodes"]:
        yield from (option[0] for option in node.get("options", ()))
        if "announced" in node:
            said = node["announced"]
            yield from (node["verdict"], said["verdict"], said["headline"], said["lead"])
            yield from (*said["before"], *said["orders"])
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
        applied = library.rulebooks()[id].with_house_rules([*book.house_rules][:1])
        document = applied.to_document()
        read = as_read(Rulebook.from_document(document))
        assert not LETTER.search(read.title)
    assert document == book.with_house_rules([*book.house_rules][:1]).to_document()
    assert read.digest == applied.digest == book.with_house_rules([*book.house_rules][:1]).digest


def test_a_tables_own_rulebook_is_frozen_alike_in_any_language(made: str) -> None:
    with speaking(made):
        there = OwnRulebook.read(DOCUMENT).rulebook("k")
        clauses = there.clauses
        assert not LETTER.search(clauses["target"].text + clauses["deal"].text)
        assert clauses["own-1"].text == "Shoes off."  # the table's own words
    assert there.digest == KITCHEN.digest


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
                clause = changed_clause(None, id, {control.name: value})
                assert clause is not None
                book = replace(KITCHEN, clauses={id: replace(clause, replaces=replace(clause, settings={}))})
                with speaking(code):
                    ours = controls()[id][control.name]
                    made = (ours.label, ours.meaning(value), words.say("own.cite"))
                    said = as_read(book).clauses[id]
                if (said.title, said.text, said.cite) != made or frozen(said.text) != clause.text:
                    left.append(said)
    assert left == []


def test_what_no_setting_can_say_stays_as_it_came(made: str) -> None:
    imported = replace(KITCHEN.clauses["target"], settings={"target": "many"}, text="Up to a lot.")
    with speaking(made):
        assert as_read(replace(KITCHEN, clauses={"target": imported})).clauses["target"].text == "Up to a lot."


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({}, "own.changes-no"),
        (DOCUMENT | {"house_rules": ["jump-in"]}, "own.changes"),
        ({"changes": {"target": {"target": None}}}, "own.changes-some"),
        ({"without": ["deal"]}, "own.changes-some"),
    ],
)
def test_how_much_a_table_changes_is_counted_in_what_a_match_froze(made: str, parts: dict[str, Any], said: str) -> None:
    frozen_book = OwnRulebook.read({"title": "Kitchen", "base": "classic-500", **parts}).rulebook("k")
    with speaking(made):
        read = as_read(Rulebook.from_document(frozen_book.to_document()))
        base = library.rulebooks()["classic-500"]
        assert read.sentence == words.say(said, base=base.title, n=3)
        assert read.source == words.say("own.source", base=base.title, source=base.source)


def test_rewording_what_is_said_of_a_tables_own_rules_loses_no_translation(
    made: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = KITCHEN.to_document()
    for key in ("own.rule", "own.source", "own.cite"):
        monkeypatch.setitem(words.CATALOGUE.english, key, "Reworded {n} {base} {source}")
    with speaking(made):
        read = as_read(Rulebook.from_document(document))
        own = read.clauses["own-1"]
        assert not LETTER.search(own.title + own.cite + OURS.sub("", read.source))


def frozen_in(release: str) -> list[dict[str, Any]]:
    """Return the documents of the rulebooks that were frozen into matches under a release."""
    return [json.loads(row["document"]) for row in rows_of(release)["rulebook_texts"]]


def paired(book: Rulebook, read: Rulebook, known: Rulebook) -> Iterator[tuple[Clause, Clause, Clause | None]]:
    """Go through the clauses of a rulebook as frozen, as read, and as published today."""
    for id, clause in book.clauses.items():
        yield clause, read.clauses[id], known.clauses.get(id)
    for id, rule in book.house_rules.items():
        today = {clause.id: clause for clause in known.house_rules[id].clauses}
        for clause, said in zip(rule.clauses, read.house_rules[id].clauses, strict=True):
            yield clause, said, today.get(clause.id)


@pytest.mark.parametrize("code", OTHERS)
@pytest.mark.parametrize("release", [file.name.removesuffix(".sql.gz") for file in RELEASES.glob("*.sql.gz")])
def test_what_a_release_froze_is_read_in_each_language_and_never_with_another_meaning(release: str, code: str) -> None:
    waiting = set()
    for document in frozen_in(release):
        book = Rulebook.from_document(document)
        known = library.published()[book.base or book.id]
        with speaking(code):
            read = as_read(book)
        assert read.digest == book.digest
        for clause, said, today in paired(book.without_house_rules(), read.without_house_rules(), known):
            assert said.settings == clause.settings
            if clause.id.startswith("own-"):
                assert said.text == clause.text
                continue
            assert isinstance(said.text, RuleText)
            if said.text.lang:
                assert said.text == clause.text
                waiting.add(f"{book.id}/{clause.id}")
            elif clause.replaces is None:
                assert today is not None
                worded = clause.text in (today.text, *today.earlier)
                assert worded or (clause.settings and today.settings == clause.settings)
                with speaking(code):
                    file, key = today.catalogue_entry
                    assert said.text == words.translation(code, file)[f"{key}.text"]
    assert release != "1.0.0" or {name for name in waiting if not name.endswith("/jump-in")} == {
        "partners/special-cards"
    }


@pytest.mark.parametrize("code", OTHERS)
def test_a_rule_whose_english_is_reworded_keeps_its_translation(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    frozen_text = json.dumps(library.published()["official"].to_document())
    old = Rulebook.from_document(json.loads(frozen_text.replace(" card", " piece of card")))
    assert old.clauses["deal"].text != library.published()["official"].clauses["deal"].text
    monkeypatch.setitem(words.CATALOGUE.english, "own.cite", "As you play it")
    with speaking(code):
        today = library.rulebooks()["official"]
        assert as_read(old).clauses["deal"].text == today.clauses["deal"].text
        assert as_read(old).clauses["special-cards"].text == old.clauses["special-cards"].text  # has no settings
        assert as_read(KITCHEN).clauses["target"].cite == words.say("own.cite") != KITCHEN.clauses["target"].cite


def test_a_clause_whose_meaning_changed_but_not_its_settings_is_read_in_english_where_it_was_frozen_before() -> None:
    old = replace(library.published()["official"].clauses["deal"], text="Deal 7 to each, and 7 to the table.")
    today = library.published()["official"].clauses["deal"]
    with speaking("de"):
        assert clause_in_language(old, today).text != old.text
        assert clause_in_language(old, replace(today, since="1.1")).text == old.text
        assert clause_in_language(old, replace(today, since="1.1", earlier=(old.text,))).text != old.text
        assert clause_in_language(replace(old, settings={}), replace(today, settings={})).text == old.text


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
            self.texts.append(" ".join(data.replace("\u00ad", "").split()))


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


def checked(code: str, *options: str) -> Result:
    """Run the command that says what a language lacks."""
    return CliRunner().invoke(main, ["translations", "check", code, *options])


@pytest.fixture
def behind(made: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Note all of the made language as translated, reword two English sentences and a page of help, and note again."""
    docs = tmp_path / "pages"
    shutil.copytree(translating.DOCS / "play", docs / "play")
    shutil.copytree(docs / "play" / "de", docs / "play" / made)
    monkeypatch.setattr(translating, "DOCS", docs)
    monkeypatch.setattr(translating, "RECORD", tmp_path / "tools" / "checked.json")
    with edited("language.toml", (words.FOLDER / made / "language.toml").read_text("utf-8")):
        assert "xx/web" in checked(made, "--write").output
        assert languages()[made].behind == frozenset()
        monkeypatch.setitem(CATALOGUES[2].english, "tab.rules", "Rules, reworded")
        monkeypatch.setitem(CATALOGUES[3].english, "phone.offline", "Off: {when}")
        (docs / "play" / "offline.md").write_text("# Off the net\n")
        checked(made, "--write")
        forget()
        yield docs


def test_a_language_a_sentence_behind_says_it_in_english_and_check_lists_it(behind: Path, made: str) -> None:
    assert languages()[made].behind == {"web.tab.rules", "phone.phone.offline", "help.offline"}
    with speaking(made):
        assert CATALOGUES[2].say("tab.rules") == "Rules, reworded"
        assert not LETTER.search(CATALOGUES[2].say("tab.start"))
        assert CATALOGUES[3].text("phone.offline") == "Off: {when}"
    result = checked(made)
    assert result.exit_code == 1
    assert "behind: web.toml, tab.rules: Rules, reworded: " in result.output
    assert "behind: help.toml, offline: # Off the net\n" in result.output
    of = len(translating._english()["web"])
    assert f"xx/web: {of - 1} of {of} translated\n" in result.output
    assert [flaw.kind for flaw in translating.gaps_of(languages()[made]) if flaw.kind not in ("long", "behind")] == []
    write(words.FOLDER / made, "web", CATALOGUES[2].english)  # and then it is translated
    (behind / "play" / made / "offline.md").write_text("# Aus\n")
    checked(made, "--write")
    assert languages()[made].behind == {"phone.phone.offline"}


def test_a_clause_that_waits_is_marked_as_english_on_a_page_and_on_a_phone(made: str, app: Flask) -> None:
    counting = (words.FOLDER / made / "language.toml").read_text("utf-8")
    waiting = '[checked]\nbehind = ["rulebooks/classic-500.clauses.deal.text"]'
    with edited("language.toml", f"{counting}\n{waiting}\n"), speaking(made), app.app_context():
        book = library.in_language(library.published()["classic-500"])
        draw = app.jinja_env.get_template("rules/_pages.html").module.clause_text  # type: ignore[attr-defined]
        marked = [id for id, clause in book.clauses.items() if 'lang="en"' in draw(clause)]
        ahead = json.loads(write_rulebook(book, {}))["clauses"]
    assert marked == ["deal"]
    assert [clause["id"] for clause in ahead if clause.get("lang") == "en"] == ["deal"]


def test_english_that_changed_after_the_last_check_is_said_and_refused_by_a_release(behind: Path, made: str) -> None:
    assert translating.changed_since(languages()[made]) == []
    (behind / "play" / "offline.md").write_text("# Off the net again\n")
    assert translating.changed_since(languages()[made]) == ["help"]


def test_flaws_are_named_by_kind_and_key(made: str) -> None:
    assert {flaw.kind for flaw in flaws(languages()[made], CATALOGUES)} <= {"long"}
    ours = translation(made, "boxes")
    first, _, third, *_ = ours
    spoiled = {key: text for key, text in ours.items() if key != first} | {"boxes.poker.title": "P", third: "{card} ～"}
    lines = (f"{'.'.join(map(json.dumps, key.split('.')))} = {json.dumps(text)}" for key, text in spoiled.items())
    with edited("boxes.toml", "\n".join(lines)):
        found = {(flaw.kind, flaw.key) for flaw in flaws(languages()[made], CATALOGUES) if flaw.file == "boxes"}
        result = checked(made)
    assert found >= {("missing", first), ("unknown", "boxes.poker.title"), ("places", third)}
    assert result.exit_code == 1
    of = english(CATALOGUES)["boxes"]
    assert f"missing: boxes.toml, {first}: {of[first]}\n" in result.output
    assert f"places: boxes.toml, {third}: {of[third]}: {{card}} ～\n" in result.output


@pytest.mark.parametrize("text", ['[tab]\nrules = "Regeln\n', '[tab]\nrules = "a"\nrules = "b"\n'])
def test_a_catalogue_that_cannot_be_read_breaks_no_page_and_is_named_with_its_line(
    made: str, app: Flask, caplog: pytest.LogCaptureFixture, text: str
) -> None:
    client = app.test_client()
    client.set_cookie("language", made)
    with edited("web.toml", text) as file:
        assert "New match" in client.get("/matches/new").text
        result = checked(made)
    assert f"{file}: " in caplog.text
    assert "at line 2" in caplog.text or "at line 3" in caplog.text
    assert result.exit_code == 1
    assert "unreadable: web.toml: " in result.output


ODD = {
    "pairs with a dot": 'rules.one = "Eine Regel"\nrules.other = "{n} Regeln"\n',
    "forms without the one for many": 'rules = { one = "Eine Regel" }\n',
    "a number": "rules = 5\n",
    "a list": 'rules = ["Regeln"]\n',
    "a form that is no text": "rules = { other = 5 }\n",
    "a table too many": '[tab.rules.more]\nother = "Regeln"\n',
    "a date": "rules = 2026-11-24\n",
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_odd_values_in_a_catalogue_break_no_page(made: str, app: Flask, text: str) -> None:
    client = app.test_client()
    client.set_cookie("language", made)
    with edited("web.toml", f"[tab]\n{text}"):
        answers = [client.get(address).status_code for address in ("/", "/rules", "/matches/new")]
        result = checked(made)
    assert answers == [200, 200, 200]
    assert isinstance(result.exception, SystemExit)


@pytest.mark.parametrize("text", ["{who} {n}", "{", "{}", "{n!z}"])
def test_a_sentence_with_a_place_that_nothing_fills_is_said_in_english(made: str, text: str) -> None:
    key, before = '"page"."in-part" = ', (words.FOLDER / made / "web.toml").read_text("utf-8")
    spoiled = re.sub(f"^{re.escape(key)}.*$", key + json.dumps(text), before, flags=re.MULTILINE)
    with edited("web.toml", spoiled), speaking(made):
        assert CATALOGUES[2].say("page.in-part", language="xx").startswith("Not everything is in xx yet")


def test_a_language_that_is_not_there_is_refused_by_naming_those_that_are() -> None:
    result = checked("tlh")
    assert result.exit_code == 2
    assert "de" in result.output


def test_weblate_is_told_of_every_catalogue_and_has_an_english_template_for_each(tmp_path: Path) -> None:
    assert CliRunner().invoke(main, ["translations", "template", str(tmp_path)]).exit_code == 0
    parts = json.loads((CHECKOUT / "docs/pages/build/weblate.json").read_text("utf-8"))
    templates = str(translating.TEMPLATES.relative_to(CHECKOUT))
    named = set()
    for part in parts:
        file = part["filemask"].removeprefix("referee/translations/*/").removesuffix(".toml")
        within = part["template"].startswith(templates)
        path = tmp_path / f"{file}.toml" if within else CHECKOUT / part["template"]
        read = words.prose_of if within else words.sentences_of
        assert read(path) == english(CATALOGUES)[file]
        named.add(file)
    assert named == english(CATALOGUES).keys()
