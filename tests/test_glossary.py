"""The glossary holds: each word has one meaning, and the words it rules out stand in nothing that people read."""

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from referee.paths import CHECKOUT
from referee.rules.disputes import DISPUTES
from referee.rules.text.words import Catalogue
from referee.web.words import PHONE

ROW = re.compile(r"^\| (?P<words>[^|]+) \| (?P<means>[^|]+) \|(?P<never>[^|]*)\|$", re.MULTILINE)
HEADINGS = {"word", "---"}
READ = ("title", "sentence", "source", "text", "reading", "about")
"""Keys of rulebooks, questions and boxes whose texts are ours; quotations and citations are not."""


def terms(column: str) -> list[str]:
    return [term.strip() for term in column.split(",") if term.strip()]


def tables() -> tuple[list[re.Match[str]], list[re.Match[str]]]:
    """Read the rows for people and those for the code."""
    page = CHECKOUT / "docs" / "pages" / "build" / "glossary.md"
    people, code = page.read_text("utf-8").split("\n## In the code\n")
    read = ([row for row in ROW.finditer(text) if row["words"] not in HEADINGS] for text in (people, code))
    return next(read), next(read)


PEOPLE, CODE = tables()


def never(rows: Iterable[re.Match[str]]) -> list[str]:
    return [word for row in rows for word in terms(row["never"])]


def misused(text: str, words: Iterable[str]) -> list[str]:
    """Find the words that a text must not use, quotations left out."""
    ours = re.sub(r"“[^”]*”", "", text)
    return [word for word in words if re.search(rf"\b{re.escape(word)}(?:s|es)?\b", ours, re.IGNORECASE)]


def texts_in(value: Any, key: str = "") -> Iterator[str]:
    """Give every text of ours in a TOML document of the rules."""
    if isinstance(value, str) and key in READ:
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from texts_in(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from texts_in(inner, key)


def sentences() -> Iterator[tuple[str, str]]:
    """Give all that people read, with the place where it stands."""
    for path in CHECKOUT.glob("referee/*/words.toml"):
        yield from ((str(path.relative_to(CHECKOUT)), text) for text in Catalogue(path).sentences.values())
    rules = CHECKOUT / "referee" / "rules"
    for path in (*rules.glob("rulebooks/*.toml"), *rules.glob("house_rules/*.toml"), rules / "boxes.toml"):
        document = tomllib.loads(path.read_text("utf-8"))
        yield from ((str(path.relative_to(CHECKOUT)), text) for text in texts_in(document))
    for dispute in DISPUTES:
        asked = [fact.text for fact in dispute.known_facts.values()]
        yield from ((dispute.id, text) for text in (dispute.title, dispute.heading(None).lead, *asked))
    for path in CHECKOUT.glob("templates/**/*.html"):
        yield str(path.relative_to(CHECKOUT)), shown(path.read_text("utf-8"))
    yield from (("phone.toml", text) for text in PHONE.sentences.values())


def shown(template: str) -> str:
    """Leave the text of a template that is read: no tags, but what their attributes say; no expressions."""
    plain = re.sub(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}|<!--.*?-->", " ", template, flags=re.DOTALL)
    said = re.findall(r'(?:aria-label|placeholder|title|alt)="([^"]+)"', plain)
    return " ".join((re.sub(r"<[^>]*>", " ", plain), *said))


def names() -> Iterator[tuple[str, str]]:
    """Give the names of modules, functions and classes, with their files."""
    for path in CHECKOUT.glob("referee/**/*.py"):
        where = str(path.relative_to(CHECKOUT))
        yield where, path.stem
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield where, node.name


def in_words(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name)


def test_every_word_has_one_meaning() -> None:
    defined = [word for row in (*PEOPLE, *CODE) for word in terms(row["words"])]
    assert len(defined) > 60
    assert sorted({word for word in defined if defined.count(word) > 1}) == []
    assert [word for word in never((*PEOPLE, *CODE)) if word in defined] == []


def test_no_sentence_that_people_read_uses_a_word_that_is_never_used() -> None:
    words = never(PEOPLE)
    read = list(sentences())
    assert len({where for where, _ in read}) > 60
    assert [(where, found, text) for where, text in read if (found := misused(text, words))] == []


def test_no_name_in_the_code_uses_a_word_that_is_never_used() -> None:
    words = never(CODE)
    assert [(where, name) for where, name in names() if misused(in_words(name), words)] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [("Which suit was named?", ["suit"]), ("“Suit” is a color.", []), ("Two sessions are open.", ["session"]),
     ("That suits us.", ["suit"]), ("The color counts.", [])],
)  # fmt: skip
def test_a_word_is_found_wherever_it_stands_but_in_quotations(text: str, found: list[str]) -> None:
    assert misused(text, never(PEOPLE)) == found


def test_templates_are_read_without_their_markup() -> None:
    template = '{# suit #}<p class="suit" title="A pip">{{ suit }} {% if suit %}hand{% endif %}</p>'
    assert misused(shown(template), never(PEOPLE)) == ["pip"]
