"""The pages for people at the table: each has a picture, and every button they name is called so in the app.

In another language they are the same pages, with the buttons as that language calls them.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.paths import CHECKOUT, TEMPLATES
from referee.records import words as records
from referee.rules.text import words as rules
from referee.rules.text.words import ENGLISH, languages, speaking
from referee.web import words as web
from tools.pictures.help import HEAVIEST, PAGES, PICTURES

DOCS = CHECKOUT / "docs" / "pages"
PLAY = sorted((DOCS / "play").glob("*.md"))
LANGUAGES = [code for code, one in languages().items() if one.whole and code != ENGLISH]
PICTURE = re.compile(r"!\[([^]]*)\]\(([^)]+)\)")
NAMED = re.compile(r"\*\*([^*]+)\*\*")
TEXT = re.compile(r"[>}]([^<>{}]+)(?=[<{])|(?:aria-label|value)=\"([^\"{}]+)\"")


def named(page: Path) -> list[str]:
    """Give the names of buttons and the like on a page; they stand in bold, and nothing else does."""
    return [" ".join(name.split()) for name in NAMED.findall(page.read_text("utf-8"))]


def said() -> Iterator[str]:
    """Give all that the app shows, with ``{places}`` in what is filled in."""
    for layer in (rules, records, web):
        yield from layer.CATALOGUE.sentences.values()
    yield from web.PHONE.sentences.values()
    for file in (*TEMPLATES.rglob("*.html"), CHECKOUT / "referee" / "web" / "page" / "layout.py"):
        text = file.read_text("utf-8")
        yield from (" ".join(part.split()) for found in TEXT.findall(text) for part in found if part.strip())
        yield from re.findall(r'"([A-Z][a-z]+)"\)', text)  # the titles of tabs


def is_called_so(name: str, texts: set[str]) -> bool:
    """Tell whether the app shows a name, or a sentence with places that can become it."""
    patterns = [
        re.escape(text) for text in texts if "{" in text and len(re.findall(r"[A-Za-z]{3,}", text.split("{")[0])) > 0
    ]
    filled = (re.sub(r"\\\{\w+\\\}", ".+", pattern) for pattern in patterns)
    return name in texts or any(re.fullmatch(pattern, name) for pattern in filled)


def test_every_button_that_a_page_names_is_called_so_in_the_app() -> None:
    texts = set(said())
    buttons = {(page.name, name) for page in PLAY for name in named(page)}
    assert len(buttons) > 60
    assert sorted(one for one in buttons if not is_called_so(one[1], texts)) == []


def test_a_name_that_no_button_has_is_found() -> None:
    texts = set(said())
    assert is_called_so("Record round 8", texts)
    assert is_called_so("Strike this round", texts)
    assert not is_called_so("Delete this round", texts)
    assert not is_called_so("Strike", texts)


def shape(page: Path) -> list[list[str]]:
    """Return what a page has in every language: its headings' levels, pictures, links, names in code, and lists."""
    text = page.read_text("utf-8")
    headings = re.findall(r"^#+ ", text, re.MULTILINE)
    places = sorted(target.rpartition("/")[2] for target in re.findall(r"\]\(([^)]+)\)", text))
    return [headings, places, sorted(re.findall(r"`[^`]+`", text)), re.findall(r"^(?:- |\d\. |\|)", text, re.MULTILINE)]


def sentences(code: str) -> dict[str, str]:
    """Return all that the catalogues say in a language, by layer and key."""
    catalogues = {"rules": rules.CATALOGUE, "records": records.CATALOGUE, "web": web.CATALOGUE, "phone": web.PHONE}
    with speaking(code):
        return {f"{layer}: {key}": text for layer, one in catalogues.items() for key, text in one.sentences.items()}


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_page_is_there_in_a_whole_language_with_its_own_names_of_the_buttons(code: str) -> None:
    english, ours = sentences(ENGLISH), sentences(code)
    assert {page.name for page in (DOCS / "play" / code).iterdir()} == {page.name for page in PLAY}
    for page in PLAY:
        own = page.parent / code / page.name
        assert shape(own) == shape(page), own
        assert all(len(words.split()) > 1 for words, _ in PICTURE.findall(own.read_text("utf-8"))), own
        there = named(own)
        for name in named(page):
            keys = [key for key, text in english.items() if text == name]
            keys = keys or [key for key, text in english.items() if is_called_so(name, {text})]
            said = {ours[key] for key in keys}
            assert any(is_called_so(each, said) for each in there), f"{own}: {name} is called {said}"
        assert len(there) == len(named(page)), own


def test_every_page_has_a_picture_and_every_picture_is_light_and_described() -> None:
    shown: dict[Path, str] = {}
    for page in (*(DOCS / "play").rglob("*.md"), DOCS / "tour.md"):
        pictures = PICTURE.findall(page.read_text("utf-8"))
        assert pictures, f"{page.name} has no picture"
        assert all(len(words.split()) > 1 for words, _ in pictures), page.name
        shown |= {(page.parent / path).resolve(): page.name for _, path in pictures}
    assert [str(path) for path in shown if not path.is_file()] == []
    taken = {(PICTURES / f"{name}.webp").resolve() for name in PAGES}
    there = set(PICTURES.rglob("*.webp"))
    assert taken <= there == set(shown), "one script takes them all, and each is shown"
    assert {path.stem for path in there} == set(PAGES)
    assert [path.name for path in there if path.stat().st_size > HEAVIEST] == []
    tour = PICTURE.findall((DOCS / "tour.md").read_text("utf-8"))
    assert len(set(tour)) == 12
