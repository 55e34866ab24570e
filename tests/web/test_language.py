"""Which language a page, a fragment and an answer of the interface speak, and that no cache mixes two."""

import io
import json
import re
from dataclasses import replace
from typing import Any

import pytest

from referee.rules.cards.decks import parse_card
from referee.rules.text.words import ENGLISH, language, languages, speaking
from referee.web.page import layout
from referee.web.page.fields import read_hand
from referee.web.page.layout import LONGEST_WISH
from referee.web.start.views import LONGEST_ADDRESS
from tests.ground.client import Client, find_in
from tests.web.test_score import Sheet

SPOKEN = [code for code, one in languages().items() if one.spoken]
WHOLE = [code for code, one in languages().items() if one.whole]


def spoken(client: Client, address: str = "/", **headers: str) -> str:
    """Return the language that a page says it is in."""
    page = client.get(address, headers={name.replace("_", "-"): value for name, value in headers.items()}, status=200)
    return page.text.split('<html lang="', 1)[1].split('"', 1)[0]


def test_a_thread_keeps_no_language_and_one_of_its_own_speaks_the_readers(client: Client) -> None:
    Sheet(client)
    client.submit("/language", {"language": "de"})
    file = (io.BytesIO(client.get("/api/v1/export").data), "club.json")
    asked: dict[str, Any] = {"content_type": "multipart/form-data", "headers": {"Accept": "application/x-ndjson"}}
    answer = client.submit("/club/records/import", {"file": file}, **asked)
    assert "1 Partie war schon hier." in json.loads(answer.text.splitlines()[-1])["said"]
    assert language().code == ENGLISH


def test_what_is_too_long_is_refused_before_its_language_is_looked_for(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "chosen_language", lambda asked: pytest.fail("looked for"))
    assert client.get("/api/v1/rulebooks?lang=de&" + "a" * 20_000).status_code == 414
    assert client.get("/healthz").status_code == 200


def test_english_is_spoken_where_nothing_else_is_asked_for(client: Client) -> None:
    assert spoken(client) == "en"
    assert spoken(client, Accept_Language="tlh, xx;q=0.5") == "en"
    assert spoken(client, Accept_Language="de," * LONGEST_WISH) == "en"


@pytest.mark.parametrize("code", WHOLE)
def test_a_browser_gets_the_first_language_it_prefers_of_those_that_are_whole(client: Client, code: str) -> None:
    assert spoken(client, Accept_Language=f"tlh, {code}-XX;q=0.8, en;q=0.1") == code


@pytest.mark.parametrize("code", SPOKEN)
def test_what_a_browser_chose_goes_before_what_it_prefers(client: Client, code: str) -> None:
    answer = client.submit("/language", {"language": code, "back": "/rules?q=skip"})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/rules?q=skip")
    assert spoken(client, Accept_Language="en") == code
    client.submit("/language", {"language": "xx"})
    assert spoken(client, Accept_Language="en") == code, "an unknown one changes nothing"


def test_a_language_without_words_for_phones_is_spoken_to_nobody(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    klingon = replace(languages()[ENGLISH], code="tlh", spoken=False, whole=False)
    monkeypatch.setattr(layout, "languages", lambda: {**languages(), "tlh": klingon})
    client.submit("/language", {"language": "tlh"})
    assert client.get_cookie("language") is None
    client.set_cookie("language", "tlh")
    assert spoken(client) == "en"
    assert client.get("/api/v1/rulebooks?lang=tlh").headers["Content-Language"] == "en"


def test_a_language_in_part_is_spoken_to_who_chose_it_and_says_so_once(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for whole in (True, False):
        german = replace(languages()["de"], whole=whole)
        monkeypatch.setattr(layout, "language", lambda german=german: german)
        client.set_cookie("language", "de")
        assert client.get("/").text.count("Noch ist nicht alles auf Deutsch") == (not whole)


def test_the_switch_on_a_form_that_was_sent_leads_back_to_the_form(client: Client) -> None:
    form = client.submit("/matches/new", {"step": "agree", "players": ["Ada"], "rulebook": "classic-500"}, status=422)
    assert 'name="back" value="/matches/new"' in form.text


@pytest.mark.parametrize("back", ["//evil.example", "/\\evil.example", "https://evil.example", "", "/a\nb", "x"])
def test_the_switch_leads_to_no_other_site(client: Client, back: str) -> None:
    assert client.submit("/language", {"language": "de", "back": back}).headers["Location"] == "/"
    assert (
        len(client.submit("/language", {"language": "de", "back": "/" + "a" * 9_999}).headers["Location"])
        == LONGEST_ADDRESS
    )


def test_a_program_names_its_language_in_the_address_or_prefers_one(client: Client) -> None:
    asked = "/api/v1/rulebooks/none"
    said = {lang: client.get(f"{asked}?lang={lang}").json for lang in ("en", "xx")}
    assert said["en"] == said["xx"]
    assert client.get(f"{asked}?lang=de").headers["Content-Language"] == "de"
    assert client.get(f"{asked}?lang=de-AT").headers["Content-Language"] == "de"
    assert client.get("/api/v1/rulebooks?lang=de").status_code == 200
    assert client.get(asked, headers={"Cookie": "language=de"}).headers["Content-Language"] == "en"


@pytest.mark.parametrize("code", WHOLE)
def test_a_phone_saves_the_pages_of_its_language_though_its_service_worker_asks_in_none(
    client: Client, code: str
) -> None:
    """A browser fetches a worker's script without `Accept-Language`, and the worker its files without cookies."""
    head = client.get(f"/service-worker.js?lang={code}").text.partition("\n")[0]
    said = json.loads(head.removeprefix("const referee = ").removesuffix(";"))
    client.set_cookie("language", "en" if code == "de" else "de")
    assert spoken(client, said["shell"]) == code
    files = client.get(said["files"], status=200)
    assert [address for address, _, _ in files.get_json(force=True) if f"/js/words/{code}" in address]


TYPED = {
    ("de", "rote 7, blaues Aussetzen"): "red-7 blue-skip",
    ("de", "7 Richtungswechsel Farbwahl +4"): "7 reverse wild wild-draw-four",
    ("de", "7 skip grün-3"): "7 skip green-3",
    ("nl", "rode 7 keer om sla over"): "red-7 reverse skip",
    ("en", "red draw two wild"): "red-draw-two wild",
}


@pytest.mark.parametrize(("code", "typed"), TYPED)
def test_cards_are_typed_by_their_names_in_the_pages_language_and_in_english(code: str, typed: str) -> None:
    with speaking(code):
        assert read_hand(typed) == tuple(map(parse_card, TYPED[code, typed].split()))


def leads_to(client: Client, page: str, way: str) -> str:
    """Return the address on a page that begins so, without the host."""
    found = re.search(rf"{way}[^\"?]+", client.get(page).text)
    assert found
    return found[0]


def test_two_phones_and_the_television_have_three_languages_and_one_match(client: Client) -> None:
    client.submit("/language", {"language": "de"})
    sheet = Sheet(client)  # its club speaks German from now on
    client.submit(f"{sheet.address}/board", {})
    board = leads_to(client, f"{sheet.address}/invite", "/live/")
    client.submit("/club/public", {})
    public = leads_to(client, "/club", "/public/")
    phone, stranger = (client.application.test_client() for _ in range(2))
    assert isinstance(phone, Client)
    assert isinstance(stranger, Client)
    with client.session_transaction() as mine, phone.session_transaction() as theirs:
        theirs.update(mine)
    phone.set_cookie("language", "nl")
    pages = {"sheet": client.get(sheet.address), "other": phone.get(sheet.address)}
    assert [page.text.split('<html lang="')[1][:2] for page in pages.values()] == ["de", "nl"]
    stranger.set_cookie("language", "en")
    states = []
    for code in ("de", "en"):
        client.submit("/club", {"name": "Küche", "language": code}, page="/club")
        states.append(stranger.get(f"{board}/now").headers["ETag"])
        again = stranger.get(f"{board}/now", headers={"If-None-Match": states[-1]})
        assert (again.status_code, spoken(stranger, board), spoken(stranger, public)) == (304, code, code)
        old = stranger.get(f"{board}/now", headers={"If-None-Match": states[0]})
        assert old.status_code == (304 if code == "de" else 200)
        states += [stranger.get(f"{public}/picture.png").headers["ETag"]]
        states += [phone.get(f"{sheet.address}/result.png").headers["ETag"]]
    assert len(set(states)) == len(states)
    client.submit("/language", {"language": "en"})  # in the middle of the match
    assert spoken(client, sheet.address) == "en"
    assert spoken(phone, sheet.address) == "nl"
    refused = client.submit("/club", {"name": "Küche", "language": "xx"}, page="/club", status=422)
    assert "Unknown language “xx”" in refused.text


def test_a_page_for_anyone_speaks_the_language_that_its_address_names_and_so_do_its_links(client: Client) -> None:
    sheet = Sheet(client)
    sheet.record(sheet.fields(Bo="7"))
    client.submit(f"{sheet.address}/board", {})
    board = leads_to(client, f"{sheet.address}/invite", "/live/")
    client.submit("/club/public", {})
    public = leads_to(client, "/club", "/public/")
    for page, inside in ((board, f"{board}/now"), (public, f"{public}/picture.png")):
        said = client.get(f"{page}?lang=de").text
        assert '<html lang="de"' in said
        assert f"{inside}?lang=de" in said
        assert spoken(client, page) == spoken(client, f"{page}?lang=tlh") == "en"
        assert "?lang=de?" not in said
        assert f"{inside}?lang" not in client.get(page).text
        pictures = [client.get(f"{inside}{asked}").headers["ETag"] for asked in ("", "?lang=de")]
        assert pictures[0] != pictures[1]
        for asked, seen in zip(("", "?lang=de"), pictures, strict=True):
            assert client.get(f"{inside}{asked}", headers={"If-None-Match": seen}).status_code == 304
        assert client.get(f"{inside}?lang=de", headers={"If-None-Match": pictures[0]}).status_code == 200


def test_languages_are_offered_on_the_first_page_in_menus_and_where_there_is_no_menu(client: Client) -> None:
    row = 'class="languages no-print"'
    assert row in client.get("/").text
    sheet = Sheet(client)
    client.submit(f"{sheet.address}/board", {})
    client.submit(f"{sheet.address}/hands/link", {})
    client.submit("/club/public", {})
    shown = [
        find_in(r"(/join/[^\"<]+)", client.submit("/club/invitations", {"role": "spectator"}).text),
        leads_to(client, f"{sheet.address}/hands", "/hand/"),
        leads_to(client, f"{sheet.address}/invite", "/live/"),
        leads_to(client, "/club", "/public/"),
    ]
    for page in (f"{sheet.address}/menu", "/club", "/recover", *shown):
        assert client.get(page).text.count(row) == 1, page
    for page in ("/", sheet.address, "/matches/new", "/disputes/", "/rules/", "/history/", f"{sheet.address}/share"):
        assert row not in client.get(page).text, page


def test_the_rulings_of_a_demo_read_in_every_readers_language_at_home_and_in_the_story(client: Client) -> None:
    client.submit("/language", {"language": "de"})
    assert client.submit("/demo", {}).status_code == 303
    rulings = [one for found in (client.get("/history/"),) for one in re.findall(r"/history/matches/\w+", found.text)]
    stories = [page for page in dict.fromkeys(rulings) if 'class="round ruling"' in client.get(page).text]
    assert stories
    for code, said in (("de", "ieh"), ("en", "raw")):
        client.submit("/language", {"language": code})
        for page in ("/", stories[0]):
            text = client.get(page).text
            assert 'lang="de"' not in text.replace('<html lang="de"', "").replace('value="de" lang="de"', ""), page
            assert said in text


def test_a_club_speaks_the_language_of_who_founds_it(client: Client) -> None:
    founded = client.post("/api/v1/clubs?lang=de", json={"name": "Küche"}).json
    assert founded
    assert founded["language"] == "de"


def test_two_languages_never_share_an_etag_or_what_is_cached(client: Client) -> None:
    sheet = Sheet(client)
    states = set()
    for code in ("en", "de"):
        client.submit("/language", {"language": code})
        assert spoken(client, sheet.address) == code
        states.add(client.get(f"{sheet.address}/now").headers["ETag"])
    assert len(states) == 2
