"""Public pages: for anyone with the address, with nothing private on them, and off as soon as someone says so."""

import html
import io
import re
from collections.abc import Callable
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from flask import Flask
from PIL import Image

from referee.web.pictures import cards
from referee.web.pictures.views import PICTURES
from tests.conftest import MakeApp
from tests.ground.client import Client, browser_of, find_in
from tests.ground.house import House
from tests.web.test_score import Sheet

ADDRESS = re.compile(r'value="(http://localhost/public/\w+)"')


@pytest.fixture
def sheet(client: Client) -> Sheet:
    sheet = Sheet(client, target="100", dealer="1", name="Christmas", location="at Grandma’s")
    note = {"name": "Christmas", "location": "at Grandma’s", "match_note": "Bo cried"}
    assert client.submit(f"{sheet.address}/details", note).status_code == 303
    assert sheet.record(sheet.fields(Bo="7 skip wild", Cy="3 9", Di="draw-two")).status_code == 303
    return sheet


def publish(client: Client, page: str, form: str) -> str:
    """Switch a public page on by the button of the page that has it; give its address."""
    assert client.submit(form, {}).status_code == 303
    return find_in(ADDRESS, client.get(page).text)


@pytest.fixture
def of_match(client: Client, sheet: Sheet) -> str:
    return publish(client, f"{sheet.address}/share", f"{sheet.address}/public")


@pytest.fixture
def of_club(client: Client, sheet: Sheet) -> str:
    return publish(client, "/club", "/club/public")


def test_a_page_is_off_until_a_scorekeeper_makes_one(app: Flask, client: Client, sheet: Sheet) -> None:
    assert not ADDRESS.search(client.get(f"{sheet.address}/share").text)
    assert not ADDRESS.search(client.get("/club").text)
    page = publish(client, f"{sheet.address}/share", f"{sheet.address}/public")
    assert "Ada wins!" in app.test_client().get(page, status=200).text
    assert client.submit(f"{sheet.address}/public", {}).status_code == 303
    assert publish(client, f"{sheet.address}/share", f"{sheet.address}/public") == page, "it is on already"


@pytest.mark.promise("security#public-page")
def test_it_asks_nothing_of_the_browser_and_writes_nothing_into_it(app: Flask, of_club: str) -> None:
    stranger = app.test_client()
    match = re.findall(r'href="(/public/\w+/matches/\w+)"', stranger.get(of_club).text)[0]
    player = re.findall(r'href="(/public/\w+/players/\w+)"', stranger.get(of_club).text)[0]
    for address in (of_club, f"{of_club}/matches", match, player, f"{of_club}/picture.png", f"{of_club}/nowhere"):
        answer = stranger.get(address)
        assert "Set-Cookie" not in answer.headers or address.endswith("nowhere"), address
        assert answer.headers["X-Robots-Tag"] == "noindex"
    for address in (of_club, f"{of_club}/matches", match, player):
        page = stranger.get(address)
        assert '<meta name="robots" content="noindex">' in page.text
        assert page.headers["Referrer-Policy"] == "no-referrer"
        assert re.findall(r"<script[^>]*>", page.text) == re.findall(
            r'<script type="module" src="[^"]*public.js">', page.text
        )
        assert "csrf" not in page.text


@pytest.mark.promise("security#public-page")
def test_every_link_stays_within_the_address(app: Flask, of_club: str) -> None:
    root = urlsplit(of_club).path
    seen, waiting = set[str](), [root]
    while waiting:
        address = waiting.pop()
        page = app.test_client().get(address)
        assert page.status_code == 200, address
        links = {html.unescape(link) for link in re.findall(r'<a [^>]*href="([^"#]+)"', page.text)}
        within = {urlsplit(link).path for link in links if link.startswith(("/", "http://localhost/")) and link != "/"}
        assert all(link.startswith(root) for link in within), within
        waiting += within - seen - {address}
        seen |= within | {address}
    assert len(seen) >= 6, "the club, its matches, a match, four players"


@pytest.mark.promise("security#public-page")
def test_nothing_private_is_shown(app: Flask, client: Client, sheet: Sheet, of_match: str, of_club: str) -> None:
    match = sheet.address.rpartition("/")[2]
    for address in (of_match, f"{of_club}/matches/{match}", f"{of_club}/matches", of_club):
        page = app.test_client().get(address).text
        assert "Christmas" in page
        for private in ("Grandma", "cried", "First phone", "Recovered"):
            assert private not in page, (address, private)


@pytest.mark.promise("security#public-page")
def test_it_is_off_at_once_and_on_again_elsewhere(app: Flask, client: Client, sheet: Sheet, of_match: str) -> None:
    stranger = app.test_client()
    assert stranger.get(f"{of_match}/picture.png").status_code == 200
    assert client.submit(f"{sheet.address}/public/close", {}).status_code == 303
    for address in (of_match, f"{of_match}/picture.png"):
        answer = stranger.get(address, status=410)
        assert "was switched off" in answer.text
        assert "Set-Cookie" not in answer.headers
        assert answer.headers["Cache-Control"] == "no-store"
    again = publish(client, f"{sheet.address}/share", f"{sheet.address}/public")
    assert again != of_match
    assert stranger.get(again).status_code == 200
    assert stranger.get(of_match).status_code == 410


@pytest.mark.promise("security#public-page")
def test_a_match_is_no_way_into_its_club(app: Flask, client: Client, sheet: Sheet, of_match: str) -> None:
    other = Sheet(client)
    stranger = app.test_client()
    for path in ("matches", f"matches/{other.address.rpartition('/')[2]}", f"players/{sheet.players['Ada']}"):
        assert stranger.get(f"{of_match}/{path}").status_code == 404
    assert stranger.get(f"/public/{'0' * 26}").status_code == 404
    token = of_match.rpartition("/")[2]
    assert stranger.get("/api/v1/matches", headers={"Authorization": f"Bearer {token}"}).status_code == 403
    assert stranger.get(f"/live/{token}").status_code == 404


def test_a_messenger_reads_its_title_text_and_picture(app: Flask, of_match: str, of_club: str) -> None:
    for address, title in ((of_match, "Ada wins!"), (of_club, ": our Uno statistics")):
        meta = dict(re.findall(r'<meta property="(og:[\w:]+)" content="([^"]*)">', app.test_client().get(address).text))
        assert title in meta["og:title"]
        assert meta["og:url"] == address
        assert meta["og:image"].startswith(f"{address}/picture.png?")
        answer = app.test_client().get(meta["og:image"])
        assert Image.open(io.BytesIO(answer.data)).size == (1200, 630)
        assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
        assert answer.headers["Cache-Control"] == "public, max-age=60"
        assert len(answer.data) < 60_000


def test_its_picture_follows_and_is_drawn_once(app: Flask, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = Sheet(client)
    page = publish(client, f"{sheet.address}/share", f"{sheet.address}/public")
    first = app.test_client().get(f"{page}/picture.png")
    seen = {"If-None-Match": first.headers["ETag"]}
    assert app.test_client().get(f"{page}/picture.png", headers=seen).status_code == 304
    assert app.test_client().get(f"{page}/picture.png").headers["Last-Modified"] == first.headers["Last-Modified"]
    sheet.record(sheet.fields(Bo="7"))
    assert app.test_client().get(f"{page}/picture.png", headers=seen).data != first.data
    newest_picture = app.test_client().get(f"{page}/picture.png").headers["ETag"]
    PICTURES.clear()
    monkeypatch.setattr(cards, "draw_card", lambda *_, **__: pytest.fail("drawn for someone who has it"))
    seen = {"If-None-Match": newest_picture}
    assert app.test_client().get(f"{page}/picture.png", headers=seen).status_code == 304
    newest = app.test_client().get(page, headers={"If-None-Match": "other"}, status=200)
    page_seen = {"If-None-Match": newest.headers["ETag"]}
    assert app.test_client().get(page, headers=page_seen).status_code == 304


def test_the_ways_on_work_without_a_script(client: Client, sheet: Sheet, of_match: str) -> None:
    for page in (of_match, f"{sheet.address}/share"):
        text = client.get(page).text
        links = {urlsplit(link).netloc or "mail": html.unescape(link) for link in re.findall(r'href="([^"]+)"', text)}
        assert parse_qs(urlsplit(links["wa.me"]).query)["text"] == [f"Ada wins!\n{of_match}"]
        assert parse_qs(urlsplit(links["t.me"]).query) == {"url": [of_match], "text": ["Ada wins!"]}
        mails = [unquote(html.unescape(link)) for link in re.findall(r'href="(mailto:[^"]+)"', text)]
        assert any(mail.endswith(of_match) for mail in mails)
        snippet = html.unescape(re.findall(r"<textarea[^>]*-embed[^>]*>(.*?)</textarea>", text, re.DOTALL)[0])
        assert f'<a href="{of_match}"><img src="{of_match}/picture.png"' in html.unescape(snippet)


def test_a_name_breaks_no_snippet(client: Client) -> None:
    sheet = Sheet(client, players=['"><script>', "Bo"], target="10")
    sheet.record(sheet.fields(next(iter(sheet.players.values())), Bo="wild"))
    page = publish(client, f"{sheet.address}/share", f"{sheet.address}/public")
    shown = re.findall(r"<textarea[^>]*-embed[^>]*>(.*?)</textarea>", client.get(page).text, re.DOTALL)[0]
    assert "<script" not in html.unescape(shown)


def test_the_club_has_seasons(app: Flask, client: Client, of_club: str) -> None:
    paper = {"table": "date,Ada,Bo\n2019-12-24,510,0", "rulebook": "classic-500", "step": "save"}
    assert client.submit("/club/records/paper", paper).status_code == 303
    stranger = app.test_client()

    def people(address: str) -> list[str]:
        return re.findall(r'<th scope="row"><a [^>]*><bdi class="name">(\w+)', stranger.get(address).text)

    assert people(of_club) == ["Ada", "Bo", "Cy", "Di"]
    assert people(f"{of_club}?year=2019") == ["Ada", "Bo"]
    assert people(f"{of_club}?year=1850") == ["Ada", "Bo", "Cy", "Di"]
    assert stranger.get(f"{of_club}/matches?before=x").status_code == 404


def test_a_match_that_goes_on_says_who_leads(app: Flask, client: Client, of_club: str) -> None:
    sheet = Sheet(client, target="500")
    sheet.record(sheet.fields(Bo="wild", Cy="", Di=""))
    stranger = app.test_client()
    for address in (of_club, f"{of_club}/matches"):
        assert "Round 2, Ada leads with 50" in stranger.get(address).text
    story = client.get(f"/history{sheet.address}").text
    lines = re.findall(r'<li class="(person[^"]*)">.*?data-total="(\d+)"', story)
    assert lines == [("person leads", "50"), *[("person", "0")] * 3]
    assert "is-final" not in story


@pytest.mark.promise("security#public-page")
def test_locking_a_phone_out_shuts_the_pages_it_made(house: House) -> None:
    programs = house.app.test_client()
    writer = house.bearer("scorekeeper")
    made = programs.post("/api/v1/keys", json={"role": "scorekeeper", "name": "Thief"}, headers=writer).get_json()
    thief = {"Authorization": f"Bearer {made['key']}"}
    match = f"/api/v1/matches/{house.parts['match_id']}/public"
    page = programs.put(match, headers=thief).get_json()["url"]
    assert programs.get(page).status_code == 200
    assert programs.delete(f"/api/v1/keys/{made['id']}", headers=writer).status_code == 204
    assert programs.get(page).status_code == 410


def test_programs_switch_pages_too(house: House) -> None:
    programs, writer = house.app.test_client(), house.bearer("scorekeeper")
    for path in (f"/api/v1/matches/{house.parts['match_id']}/public", "/api/v1/club/public"):
        programs.delete(path, headers=writer)
        assert programs.get(path, headers=writer).get_json() == {"on": False, "url": None, "picture": None}
        on = programs.put(path, headers=writer).get_json()
        assert on == programs.get(path, headers=house.bearer("spectator")).get_json()
        assert on["picture"] == f"{on['url']}/picture.png"
        assert programs.get(on["url"]).status_code == 200
        assert programs.delete(path, headers=writer).status_code == 204
        assert programs.get(on["url"]).status_code == 410


def test_a_page_made_under_an_older_secret_can_still_be_shut(
    make_app: MakeApp, app: Flask, client: Client, sheet: Sheet, of_match: str
) -> None:
    app.config["SECRET_KEY_FALLBACKS"] = [app.config["SECRET_KEY"]]
    app.config["SECRET_KEY"] = "another secret, as long as it must be"
    page = client.get(f"{sheet.address}/share").text
    assert not ADDRESS.search(page)
    assert "earlier secret key" in page
    assert app.test_client().get(of_match).status_code == 200
    assert client.submit(f"{sheet.address}/public/close", {}).status_code == 303
    assert app.test_client().get(of_match).status_code == 410


def test_a_deleted_match_is_gone(app: Flask, client: Client, sheet: Sheet, of_match: str) -> None:
    assert client.submit(f"{sheet.address}/delete", {}, page=f"{sheet.address}/delete").status_code == 303
    assert "This was deleted." in app.test_client().get(of_match, status=410).text


@pytest.mark.parametrize("path", ["", "/picture.png"])
def test_looking_is_limited(make_app: MakeApp, path: str) -> None:
    app = make_app(RATELIMIT_ENABLED=True, RATELIMIT_PUBLIC="2 per minute")
    client = browser_of(app)
    sheet = Sheet(client)
    page = publish(client, f"{sheet.address}/share", f"{sheet.address}/public")
    look: Callable[[], int] = lambda: app.test_client().get(page + path).status_code  # noqa: E731
    assert [look() for _ in range(3)] == [200, 200, 429]
