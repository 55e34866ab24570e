"""Help in the app: the documentation's pages, each complete, also as texts for a phone that is offline."""

from __future__ import annotations

import html
import re

import pytest

from referee.rules.words import ENGLISH, languages
from referee.web.help import FIRST, PAGES
from tests.ground.client import Client
from tests.web.test_offline import fetched_ahead
from tools.documents.for_the_app import SOURCES, sources

LONGEST = 12_000
"""Bytes of a page, packed, beside its pictures."""
SPOKEN = [code for code, one in languages().items() if one.spoken]


@pytest.mark.parametrize("code", SPOKEN)
def test_every_page_of_help_is_there_with_pictures_and_leads_only_to_what_there_is(client: Client, code: str) -> None:
    client.set_cookie("language", code)
    targets = set()
    for name in PAGES:
        answer = client.get("/help" if name == FIRST else f"/help/{name}", headers={"Accept-Encoding": "gzip"})
        assert answer.status_code == 200, name
        assert len(answer.data) <= LONGEST, name
        text = client.get("/help" if name == FIRST else f"/help/{name}").text
        said = code if name in sources(code) else ENGLISH
        body = text.split(f'<div class="help" lang="{said}">')[1].split("</main>")[0]
        title = (SOURCES / sources(said)[name]).read_text("utf-8").partition("\n")[0].removeprefix("# ")
        assert name == FIRST or f">{title}</h1>" in body
        targets |= set(re.findall(r'(?:href|src)="(/[^"#]+)', body))
        assert ('<img class="shot"' in body) == PAGES[name].startswith("play/"), name
    assert len(targets) > 30
    assert [target for target in targets if client.get(target).status_code != 200] == []
    assert client.get("/help/index").status_code == client.get("/help/nothing").status_code == 404


@pytest.mark.parametrize("code", SPOKEN)
def test_a_phone_takes_every_page_of_help_along(client: Client, code: str) -> None:
    client.set_cookie("language", code)
    (address,) = [one for one in fetched_ahead(client) if one.endswith("/help.json")]
    texts = client.get(address).get_json()
    assert texts.keys() == PAGES.keys()
    for name, text in texts.items():
        assert text in client.get("/help" if name == FIRST else f"/help/{name}").text


def test_every_sentence_of_a_language_stands_beside_the_english_with_where_it_is_used(client: Client) -> None:
    first = client.get("/languages/de?catalogue=rulebooks/classic-500")
    assert len(first.data) < 150_000
    following = re.search(r'rel="next" href="([^"]+)"', first.text)
    assert following
    second = client.get(html.unescape(following[1])).text
    shown = [set(re.findall(r"<code>(clauses\.[^<]+)</code>", page)) for page in (first.text, second)]
    assert len(shown[0]) > 50
    assert shown[1]
    assert not shown[0] & shown[1]
    page = client.get("/languages/de?catalogue=web&q=page.reading").text
    assert page.count('<article class="sentence">') == 1
    assert '<div lang="en"><p dir="auto">How we read it: {text}</p></div>' in page
    assert '<div lang="de"><p dir="auto">So lesen wir das: {text}</p></div>' in page
    assert "templates/rules/_pages.html" in page
    assert "templates/disputes/_pages.html" in page
    assert 'class="mark"' not in page


@pytest.mark.parametrize(
    "query", ["catalogue=nothing", "q=" + "a" * 201, "catalogue=../../etc", "catalogue=" + "x" * 5000]
)
def test_a_search_for_sentences_that_cannot_be_says_why(client: Client, query: str) -> None:
    answer = client.get(f"/languages/nl?{query}")
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text
    assert "<article" not in answer.text


@pytest.mark.parametrize(("query", "status"), [("page=99999999999999999999", 200), ("page=-3", 200), ("page=x", 200)])
def test_any_page_of_sentences_is_one_that_there_is(client: Client, query: str, status: int) -> None:
    answer = client.get(f"/languages/es?catalogue=boxes&{query}")
    assert answer.status_code == status
    assert "<article" in answer.text


def test_only_a_translation_has_its_sentences_beside_the_english(client: Client) -> None:
    assert [client.get(f"/languages/{code}").status_code for code in ("en", "tlh", "%00")] == [404, 404, 404]
