"""Scripts and styles as they are sent: without comments, and otherwise what stands in the source."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from PIL import ImageFont
from pygments.lexers.css import CssLexer  # of pytest
from pygments.lexers.javascript import JavascriptLexer
from pygments.token import Comment, Whitespace

from referee.paths import CHECKOUT, PACKAGE, STATIC
from referee.web.server.static_files import VERSION, WORDS, content_of, digest_of, words_of
from referee.web.words import PHONE
from tests.ground.client import Client, find_in
from tests.ground.each import check_each

NODE = shutil.which("node")
SCRIPTS = sorted((STATIC / "js").glob("*.js"))
LEXERS = {".js": JavascriptLexer(), ".css": CssLexer()}


def tokens(text: str, kind: str) -> str:
    """Return what a browser reads of a script or a style sheet, without blanks."""
    read = (text for kind, text in LEXERS[kind].get_tokens(text) if kind not in Comment and kind not in Whitespace)
    return re.sub(r"\s|;(?=\})", "", "".join(read))


def test_only_comments_and_blanks_are_left_out() -> None:
    def check(file: Path) -> None:
        sent = content_of(file).decode()
        assert tokens(sent, file.suffix) == tokens(file.read_text("utf-8"), file.suffix)
        assert "/*" not in sent

    check_each([*SCRIPTS, *(STATIC / "css").glob("*.css")], check, lambda file: file.name)


def test_scripts_link_as_they_are_sent() -> None:
    """A name that nobody exports, a file that there is not, and what is no script at all fail here."""
    if NODE is None:
        pytest.skip("no Node on this machine to link scripts as a browser does")
    sent = [[file.name, content_of(file).decode()] for file in SCRIPTS]
    words = ["--experimental-vm-modules", "--no-warnings", "tests/scripts/linked.js"]
    run = subprocess.run(
        [NODE, *words], cwd=CHECKOUT, input=json.dumps(sent), capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == {}
    later = {name for _, text in sent for name in re.findall(r'import\("\./([^"]+)"\)', text)}
    assert later
    assert later <= {name for name, _ in sent}


def test_no_style_sheet_waits_for_another() -> None:
    for file in (STATIC / "css").glob("*.css"):
        assert "@import" not in file.read_text("utf-8"), file.name


def test_what_scripts_say_is_a_module_a_language_and_changes_every_address(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert {"js/words/en.js", "js/words/de.js"} <= WORDS.keys()
    for name, code in WORDS.items():
        sent = client.get(f"/static/{VERSION}/{name}")
        assert (sent.mimetype, sent.data) == ("text/javascript", words_of(code))
        assert "immutable" in sent.headers["Cache-Control"]
        # a page of release 1.0 that is still open asks for the same file under its own version
        older = client.get(f"/static/0123456789ab/{name}")
        assert (older.data, older.headers["Cache-Control"]) == (sent.data, "no-cache")
    assert digest_of(STATIC) == VERSION
    monkeypatch.setitem(PHONE.sentences, "phone.offline", "Off since {when}")
    assert digest_of(STATIC) != VERSION
    assert client.get("/static/js/words/tlh.js").status_code == 404


# -- the font of headings ----------------------------------------------------------------------------------------------


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
    found = find_in(r'<link rel="preload" href="([^"]+)" as="font" type="font/woff2" crossorigin>', page.text)
    assert page.text.index("preload") < page.text.index("stylesheet")
    answer = client.get(found)
    assert answer.content_type == "font/woff2"
    assert answer.cache_control.immutable
    assert "default-src 'self'" in page.headers["Content-Security-Policy"]
    said = json.loads(client.get("/service-worker.js").text.partition("\n")[0].removeprefix("const referee = ")[:-1])
    assert said["fonts"] == [found]
    assert found not in client.get(said["files"]).text


def test_quiet_text_has_seven_times_the_light_of_its_ground_or_a_seventh() -> None:
    tokens = dict(re.findall(r"--(\w+): light-dark\((#\w+), (?:#\w+)\)", (STATIC / "css/base.css").read_text("utf-8")))
    dark = dict(re.findall(r"--(\w+): light-dark\((?:#\w+), (#\w+)\)", (STATIC / "css/base.css").read_text("utf-8")))

    def light(color: str) -> float:
        parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.05 + sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    for scheme in (tokens, dark):
        for ground in ("paper", "leaf", "wash"):
            dim, bright = sorted((light(scheme["quiet"]), light(scheme[ground])))
            assert bright / dim >= 7, (scheme["quiet"], ground)
