"""The display face: light, with figures of one width, there before the page is drawn, and taken along."""

from __future__ import annotations

import json
import re

from PIL import ImageFont

from referee.paths import PACKAGE, STATIC
from tests.ground.client import Client

MOST = 8_000
"""Bytes of the face, as every first visit pays for it."""


def test_the_face_is_light_and_carries_its_license() -> None:
    assert (STATIC / "font" / "display.woff2").stat().st_size <= MOST
    for folder in (STATIC, PACKAGE / "web" / "pictures"):
        assert "SIL OPEN FONT LICENSE" in (folder / "font" / "OFL.txt").read_text("utf-8")


def test_figures_have_one_width_and_names_their_letters() -> None:
    font = ImageFont.truetype(str(PACKAGE / "web" / "pictures" / "font" / "display.ttf"), 100)
    assert len({font.getlength(figure) for figure in "0123456789"}) == 1
    missing = bytes(font.getmask("\U0010fffd"))
    assert not [letter for letter in "AZazÄéßøñç+−–’“" if bytes(font.getmask(letter)) == missing]


def test_a_page_asks_for_the_face_early_and_the_phone_takes_it_along(client: Client) -> None:
    page = client.get("/rules")
    found = re.search(r'<link rel="preload" href="([^"]+)" as="font" type="font/woff2" crossorigin>', page.text)
    assert found
    assert page.text.index("preload") < page.text.index("stylesheet")
    answer = client.get(found[1])
    assert answer.content_type == "font/woff2"
    assert answer.cache_control.immutable
    assert "default-src 'self'" in page.headers["Content-Security-Policy"]
    said = json.loads(client.get("/service-worker.js").text.partition("\n")[0].removeprefix("const referee = ")[:-1])
    assert said["fonts"] == [found[1]]
    assert found[1] not in client.get(said["files"]).text
