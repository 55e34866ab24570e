"""Help in the app: the documentation's pages, each complete, also as texts for a phone that is offline."""

from __future__ import annotations

import re

import pytest

from referee.rules.text.words import ENGLISH, languages
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
