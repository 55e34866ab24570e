"""Hostile names wherever they leave the app otherwise than as a page: files, pictures, links, logs, a terminal."""

import csv
import io
import json
import logging
import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
import segno
import zxingcpp
from click.testing import CliRunner
from flask import Flask
from PIL import Image

from referee.records.ids import new_token
from referee.records.names import printable
from referee.web.commands.main import main
from referee.web.server.logs import HideTokens
from referee.web.sharing.wording import qr_code
from tests.conftest import MakeApp
from tests.fuzz.evening import Evening, empty
from tests.ground.record import rows

NAMES: Mapping[str, tuple[str, str]] = {
    "script": ("</script><script>alert(1)</script>", "]]><!--"),
    "attribute": ("\"'><img src=x onerror=alert(1)>", "javascript:alert(1)"),
    "entity": ("&lt;b&gt;&#0;&quot;", "&amp;amp;"),
    "templates": ("{{7*7}}{%raw%}", "%s%(x)s{0}%n\\x1b[31m"),
    "formula": ('=HYPERLINK("http://evil")', "@SUM(A1)"),
    "csv": ('a","b;c', "'quoted'"),
    "right to left": ("\u200fאדה\u200f", "عائشة"),
    "emoji": ("👩🏽\u200d🚀", "🏳️\u200d🌈🃏"),
    "addresses": ("a&b=c?d#e/../f%0d%0a", "x@example.org?bcc=y"),
    "stacked": ("Z\u0351\u0363\u0369algo\u0310\u0488", "\u0301x"),
}
STEERING = "\x1b[2J\x1b]0;title\x07\u202e\r\n"
SAVE = {"step": "save"}
REFUSED = ("Ada\x00", "Ada\r\nSet-Cookie: a=b", "Ada\x1b[2J", "\u202eAda", "Ada\u2028x", "x" * 1000, "\ud800")


@pytest.fixture(params=NAMES)
def evening(app: Flask, request: pytest.FixtureRequest) -> Evening:
    """A finished match of two with hostile names, in a club and under a name that are hostile too."""
    names = NAMES[request.param]
    evening = empty(app)
    headers = evening.bearer
    agreed = {"players": names, "rulebook": "classic-500", "target": 60, "name": names[0], "custom_rules": list(names)}
    match = evening.client.post("/api/v1/matches", json=agreed, headers=headers, status=201).get_json()["id"]
    notes = {"location": names[1], "note": " ".join(names)}
    assert evening.client.patch(f"/api/v1/matches/{match}", json=notes, headers=headers).status_code == 200
    for after in range(3):
        entry = {"after": after, "went_out": names[0], "hands": {names[1]: 20}}
        recorded = evening.client.post(f"/api/v1/matches/{match}/rounds", json=entry, headers=headers, status=201)
    assert recorded.get_json()["match"]["status"] == "finished"
    return Evening(app, evening.client, evening.club_id, evening.key, match)


def names_of(evening: Evening) -> tuple[str, str]:
    """Read the names back as programs get them: as they were given."""
    players = evening.client.get(f"/api/v1/matches/{evening.match_id}").get_json()["players"]
    found = (players[0], players[1])
    assert found in NAMES.values()
    return found


class Elements(HTMLParser):
    """Collects what a page is made of."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.wrong: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note elements and attributes that no template of ours has."""
        given = dict(attrs)
        if tag == "script" and not (given.get("src") or "").startswith("/static/"):
            self.wrong.append(f"<script> {given}")
        if tag in ("style", "iframe", "object", "embed", "base") or (tag == "img" and given.get("src") == "x"):
            self.wrong.append(f"<{tag}>")
        self.wrong += [f"{name}=" for name in given if name.startswith("on") or name == "style"]
        for name in ("href", "src", "action"):
            scheme = (given.get(name) or "").partition(":")[0].strip().lower()
            if scheme in ("javascript", "data", "vbscript"):
                self.wrong.append(f"{name}={given[name]}")

    def handle_data(self, data: str) -> None:
        """Gather the text."""
        self.text += data


@pytest.mark.promise("security#script-in-names")
def test_pages_and_their_drawings_hold_names_as_text(evening: Evening) -> None:
    names = names_of(evening)
    match = f"/matches/{evening.match_id}"
    pages = (match, f"{match}/menu", f"{match}/share", f"/history{match}", "/history/players", "/history/", "/club")
    drawn = 0
    for path in pages:
        answer = evening.client.get(path)
        assert answer.status_code == 200, path
        page = Elements(answer.text)
        assert not page.wrong, (path, page.wrong)
        assert names[0] in page.text or path == "/club", path
        for drawing in re.findall(r'<svg[^>]*role="img".*?</svg>', answer.text, re.DOTALL):
            ET.fromstring(drawing)  # one that is broken raises
            drawn += 1
    assert drawn, "there is a chart among them"


@pytest.mark.promise("security#script-in-names")
def test_the_board_and_its_polls_hold_names_as_text(evening: Evening) -> None:
    names = names_of(evening)
    evening.client.submit(f"/matches/{evening.match_id}/board", {})
    found = re.search(r"/live/\w{26}", evening.client.get(f"/matches/{evening.match_id}/invite").text)
    assert found
    for path in (found[0], f"{found[0]}/now"):
        page = Elements(evening.app.test_client().get(path).text)
        assert not page.wrong
        assert names[0] in page.text
    evening.client.submit("/club/public", {})
    public = re.search(r"/public/\w{26}", evening.client.get("/club").text)
    assert public
    players = re.findall(r'href="([^"]+/players/\w+)"', evening.app.test_client().get(public[0]).text)
    for path in (public[0], f"{public[0]}/matches", f"{public[0]}/matches/{evening.match_id}", *players):
        page = Elements(evening.app.test_client().get(path).text)
        assert not page.wrong
        assert any(name in page.text for name in names), path
    sheet = evening.client.get(f"/matches/{evening.match_id}/now").get_json()
    assert all(not Elements(part).wrong for part in sheet["fragments"].values())


@pytest.mark.promise("security#names-in-files")
def test_tables_for_spreadsheets_keep_every_cell_in_its_place(evening: Evening) -> None:
    names = names_of(evening)
    match = f"/matches/{evening.match_id}"
    for path in (f"{match}/rounds.csv", f"/api/v1{match}.csv", "/club/records/rounds.csv", "/api/v1/rounds.csv"):
        answer = evening.client.get(path)
        rows = list(csv.reader(io.StringIO(answer.text.removeprefix("\ufeff"))))
        assert len({len(row) for row in rows}) == 1, path
        cells = [cell for row in rows for cell in row]
        assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
        assert any(names[0] in cell for cell in cells), path
        assert re.fullmatch(r'attachment; filename="[a-z0-9-]+\.csv"', answer.headers["Content-Disposition"])
    export = evening.client.get("/api/v1/export")
    assert re.fullmatch(r'attachment; filename="[a-z0-9-]+\.json"', export.headers["Content-Disposition"])
    assert names[0] in [player["name"] for player in export.get_json()["players"]]


@pytest.mark.promise("security#names-in-files")
def test_what_is_handed_to_other_apps_says_the_names_and_nothing_more(evening: Evening) -> None:
    names = names_of(evening)
    page = evening.client.get(f"/matches/{evening.match_id}/share").text
    links = dict.fromkeys(re.findall(r'href="((?:mailto:|https://app\.bgstatsapp)[^"]*)"', page))
    mail, stats = (next(link for link in links if link.startswith(kind)) for kind in ("mailto:", "https:"))
    mail = mail.replace("&amp;", "&")
    assert mail.startswith("mailto:?"), "addressed to nobody"
    assert set(parse_qs(urlsplit(mail).query)) == {"subject", "body"}
    assert names[0] in unquote(mail)
    play = json.loads(unquote(stats.partition("data=")[2]))
    assert [player["name"] for player in play["players"]] == list(names)
    assert set(parse_qs(urlsplit(stats.replace("&amp;", "&")).query)) == {"data"}


@pytest.mark.promise("security#names-in-files")
def test_the_picture_is_drawn_and_named_by_us(evening: Evening) -> None:
    answer = evening.client.get(f"/matches/{evening.match_id}/result.png", status=200)
    assert answer.headers["Content-Disposition"] == 'inline; filename="uno-result.png"'
    assert Image.open(io.BytesIO(answer.data)).size == (1200, 630)


def test_the_phone_gets_the_club_offline_as_json_that_no_page_can_run(evening: Evening) -> None:
    page = evening.client.get(f"/matches/{evening.match_id}").text
    worker = evening.app.test_client().get("/service-worker.js")
    assert worker.mimetype == "text/javascript"
    for name in names_of(evening):
        assert name not in worker.text
    for path in dict.fromkeys(re.findall(r"/(?:matches/\w{16}/)?offline/[^\"' ]+\.json", page + worker.text)):
        answer = evening.client.get(path)
        assert (answer.status_code, answer.mimetype) == (200, "application/json"), path
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.get_json() is not None


@pytest.mark.parametrize("text", ["</svg><script>alert(1)</script>", "https://x/?a=1&b=<c>", "אדה 🃏", "%0d%0a"])
@pytest.mark.promise("security#names-in-files")
def test_a_qr_code_is_nothing_but_its_dots_and_reads_back(text: str) -> None:
    drawing = ET.fromstring(str(qr_code(text)))
    assert {element.tag.rpartition("}")[2] for element in drawing.iter()} <= {"svg", "path", "g"}
    assert not "".join(drawing.itertext()).strip()
    out = io.BytesIO()
    segno.make(text, micro=False).save(out, "png", scale=6, border=4)
    (found,) = zxingcpp.read_barcodes(Image.open(out))
    assert found.text == text


@pytest.mark.parametrize("name", REFUSED, ids=[ascii(name)[:24] for name in REFUSED])
@pytest.mark.promise("security#names-in-files")
def test_a_name_that_could_forge_anything_is_taken_nowhere(app: Flask, name: str) -> None:
    evening = empty(app)
    before = rows(evening.app, evening.club_id)
    for path, body in (
        ("/players", {"name": name}),
        ("/clubs", {"name": name}),
        ("/keys", {"role": "spectator", "name": name}),
        ("/matches", {"players": [name, "Bo"], "rulebook": "classic-500"}),
        ("/matches", {"players": ["Ada", "Bo"], "rulebook": "classic-500", "name": name}),
        ("/matches", {"players": ["Ada", "Bo"], "rulebook": "official", "custom_rules": [STEERING]}),
    ):
        answer = evening.client.post(f"/api/v1{path}", json=body, headers=evening.bearer)
        assert answer.status_code in (400, 422), (path, body)
        assert name not in answer.text or len(name) == 1000
    for path, data in (
        ("/club", {"name": name}),
        ("/matches/new", {"players": [name, "Bo"], "rulebook": "classic-500", "step": "deal"}),
        ("/club/records/paper", {"table": f'date,"{name}.",Bo\n2020-01-01,1,2\n', "rulebook": "official"} | SAVE),
    ):
        sent = {field: _as_sent(value) for field, value in data.items()}
        assert evening.client.submit(path, sent).status_code in (303, 422), path  # a half of a character arrives as �
    if "\ud800" not in name:
        assert rows(evening.app, evening.club_id) == before


def _as_sent(value: object) -> object:
    """Give a text as browsers send it, which send no half of a character."""
    if isinstance(value, list):
        return [_as_sent(one) for one in value]
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


# -- a terminal, and the log -------------------------------------------------------------------------------------------


@pytest.mark.promise("security#terminal")
def test_a_file_that_comes_in_cannot_steer_the_hosts_terminal(
    make_app: MakeApp, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REFEREE_DATABASE_URL", database)
    monkeypatch.setenv("REFEREE_INSTANCE", str(tmp_path))
    evening = empty(make_app())
    agreed = {"players": ["Ada", "Bo"], "rulebook": "classic-500"}
    evening.client.post("/api/v1/matches", json=agreed, headers=evening.bearer)
    document = evening.client.get("/api/v1/export", headers=evening.bearer).get_json()
    document["club"]["name"] = STEERING
    for part in (*document["players"], *document["writers"], *document["matches"]):
        part["name"] = part["id"] = STEERING
    document["matches"][0]["agreements"][0]["rulebook"] = STEERING
    document[STEERING] = STEERING
    file = tmp_path / "club.json"
    for extra in (True, False):
        if not extra:
            del document[STEERING]
        file.write_text(json.dumps(document), "utf-8")
        result = CliRunner().invoke(main, ["import", str(file), "--club", "new"])
        assert result.exit_code == 1
        assert printable(result.output) == result.output
        assert "Nothing was imported." in result.output


@pytest.mark.promise("security#forged-log")
def test_no_text_begins_a_line_of_the_log_or_steers_a_terminal() -> None:
    words = f"Exception on /nowhere/{STEERING}ERROR all is lost {new_token()}"
    record = logging.LogRecord("referee", logging.ERROR, __file__, 1, "%s", (words,), None)
    assert HideTokens().filter(record)
    written = record.getMessage()
    assert len(written.splitlines()) == 1
    assert written.isprintable()
    assert "[key]" in written


@pytest.mark.promise("security#forged-log")
def test_an_address_cannot_forge_the_log_of_a_mistake(make_app: MakeApp, caplog: pytest.LogCaptureFixture) -> None:
    app = make_app(TESTING=False, PROPAGATE_EXCEPTIONS=False)

    def fail(**_parts: str) -> str:
        raise RuntimeError("ours")

    app.view_functions["rules.rulebook"] = fail
    with caplog.at_level(logging.ERROR):
        assert app.test_client().get("/rules/x%0a2026-01-01%20ERROR%20forged%1b[2J").status_code == 500
    (record,) = [record for record in caplog.records if record.name == "referee"]
    assert len(record.getMessage().splitlines()) == 1
    assert "\x1b" not in record.getMessage()
