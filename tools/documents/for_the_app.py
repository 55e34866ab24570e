"""Write the pages of help in the app from the documentation: templates whose links and pictures are the app's own."""

from __future__ import annotations

import json
import re
from posixpath import dirname, normpath

from markdown import markdown
from PIL import Image

from referee.paths import CHECKOUT, STATIC
from referee.rules.text.words import ENGLISH, languages, speaking
from referee.web.help import FIRST, PAGES
from referee.web.server.static_files import WORDS, words_of
from referee.web.words import say

SOURCES = CHECKOUT / "docs" / "pages"
EXTENSIONS = ("fenced_code", "tables", "toc")
NAMES = {path: name for name, path in PAGES.items()}
ELSEWHERE = {"host/https.md": "url_for('help.https')"}
"""Pages that the app has otherwise."""
LINK = re.compile(r'<a href="(?!https?:)([^"#]*)(#[^"]*)?">(.*?)</a>', re.DOTALL)
PICTURE = re.compile(r'<img alt="([^"]*)" src="([^"]*)" />')
ENTRY = re.compile(r'<li>(<a )(href="[^"]*">)(.*?)</a>: (.*?)</li>')
ROW = r'<li>\1class="list-row" \2<span class="grow"><b>\3</b> <span class="hint">\4</span></span></a></li>'
"""A page in the list of pages, and the row that leads to it in the app."""
PIXELS = 1.5
"""Pixels of a picture for one of the page, as tools.pictures.help takes them."""


def sources(code: str) -> dict[str, str]:
    """Return where the pages of a language stand in the documentation, by their names; one may lack some, or all."""
    if code == ENGLISH:
        return dict(PAGES)
    own = {name: path.replace("play/", f"play/{code}/") for name, path in PAGES.items() if path.startswith("play/")}
    return {name: path for name, path in own.items() if (SOURCES / path).is_file()}


def help_page(code: str, name: str) -> str:
    """Write one page as the template that help shows."""
    path = sources(code)[name]
    html = markdown((SOURCES / path).read_text("utf-8"), extensions=EXTENSIONS)
    assert not re.search(r"\{[{%#]", html), f"{path} holds what a template would evaluate"
    html = LINK.sub(lambda found: _link(code, path, *found.groups()), html)
    if name == FIRST:
        html = html.replace(f">{_title(path)}<", f">{titles_in(code)[FIRST]}<", 1)
        html = ENTRY.sub(ROW, html).replace("<ul>", '<ul class="plain list">', 1)
    return f"{{# From docs/pages/{path}, by python3 -m tools.documents #}}\n{PICTURE.sub(_picture, html)}\n"


def _link(code: str, path: str, target: str, heading: str | None, text: str) -> str:
    """Lead to the app's own page; where it has none, only the words stay."""
    page = (normpath(f"{dirname(path)}/{target}") if target else path).replace(f"play/{code}/", "play/")
    address = ELSEWHERE.get(page) or (_address(NAMES[page]) if page in NAMES else "")
    return f'<a href="{{{{ {address} }}}}{heading or ""}">{text}</a>' if address else text


def _address(name: str) -> str:
    return "url_for('help.index')" if name == FIRST else f"url_for('help.page', task='{name}')"


def _picture(found: re.Match[str]) -> str:
    words, path = found.groups()
    name = path.rpartition("/static/")[2]
    with Image.open(STATIC / name) as image:
        width, height = (round(pixels / PIXELS) for pixels in image.size)
    place = f"{{{{ static('{name}') }}}}"
    return f'<img class="shot" src="{place}" width="{width}" height="{height}" alt="{words}" loading="lazy">'


def write_phone_words() -> None:
    """Write what scripts say where they import it, for their linters and tests; the app makes it itself."""
    for name, code in WORDS.items():
        (STATIC / name).parent.mkdir(exist_ok=True)
        (STATIC / name).write_bytes(words_of(code))


def titles() -> str:
    """Write the titles of all pages by language and name, for the list beside them."""
    found = json.dumps({code: titles_in(code) for code in languages() if sources(code)}, ensure_ascii=False)
    return f"{{# By python3 -m tools.documents #}}\n{{% set titles = {found} %}}\n"


def titles_in(code: str) -> dict[str, str]:
    """Return the titles of the pages of a language; in the app the first one is called like its link."""
    with speaking(code):
        return {name: say("page.help") if name == FIRST else _title(path) for name, path in sources(code).items()}


def _title(path: str) -> str:
    return (SOURCES / path).read_text("utf-8").partition("\n")[0].removeprefix("# ")
