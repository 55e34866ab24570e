"""The result leaves the app as a picture, a text, a mail and a link to BG Stats, whatever the players are called."""

import io
import json
import re
from time import process_time
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from PIL import Image, ImageChops

from referee.records.models import MARKER_COLORS
from referee.web.pictures import cards
from referee.web.pictures.drawing import OWN, write
from referee.web.pictures.views import PICTURES
from referee.web.sharing import wording
from referee.web.sharing.wording import LONGEST_LINK
from tests.ground.client import Client, find_in
from tests.ground.each import check_each
from tests.web.test_score import Sheet

CAST = ("Ada", "Bo", "Cy", "Di")


@pytest.fixture
def sheet(client: Client) -> Sheet:
    sheet = Sheet(client, target="100", dealer="1")
    assert sheet.record(sheet.fields(Bo="7 skip wild", Cy="3 9", Di="draw-two")).status_code == 303
    return sheet


def picture(client: Client, address: str) -> Image.Image:
    answer = client.get(f"{address}/result.png", status=200)
    assert answer.mimetype == "image/png"
    return Image.open(io.BytesIO(answer.data))


def ink(image: Image.Image) -> int:
    """Count the pixels that are not paper."""
    counts = image.convert("L").histogram()
    return sum(counts[:200])


def text(client: Client, address: str) -> str:
    page = client.get(f"{address}/share").text
    return find_in(r'<textarea id="result-text"[^>]*>(.*?)</textarea>', page, re.DOTALL)


def test_the_text_says_who_won_and_all_totals(client: Client, sheet: Sheet) -> None:
    said = text(client, sheet.address)
    assert "Ada wins!" in said
    assert "1. Ada: 109" in said
    assert "Classic 500 · first to 100" in said
    assert "1 round · " in said


def test_the_picture_is_drawn_once_for_each_state(client: Client, sheet: Sheet) -> None:
    image = picture(client, sheet.address)
    assert image.size == (1200, 630)
    etag = client.get(f"{sheet.address}/result.png").headers["ETag"]
    assert client.get(f"{sheet.address}/result.png", headers={"If-None-Match": etag}).status_code == 304


def test_the_picture_shows_the_colors_of_the_players(client: Client, sheet: Sheet) -> None:
    def near(color: str) -> int:
        standings = picture(client, sheet.address).convert("RGB").crop((800, 280, 1200, 560))
        difference = ImageChops.difference(standings, Image.new("RGB", standings.size, OWN[color]))
        return sum(difference.convert("L").histogram()[:8])

    assert all(near(color) > 100 for color in MARKER_COLORS), "one player has each"
    for name, shape in (("Bo", "square"), ("Cy", "triangle"), ("Di", "diamond")):
        chosen = {"name": name, "active": "1", "marker": f"red-{shape}"}
        assert client.submit(f"/club/players/{sheet.players[name]}", chosen).status_code == 303
    assert [near(color) > 100 for color in MARKER_COLORS] == [True, False, False, False]


STRANGE = (
    "<script>alert(1)</script>", "🃏🎉", "👩‍👩‍👧 Ada", "ÅÉÎÕÜ ß ñ", "Ольга", "عائشة", "אדה", "अदिति", "小明",
    "a\u0301\u0323b", "\U0001f468", "𝔄𝔡𝔞", "\u200fAda", "%s {0} \\n",
)  # fmt: skip


@pytest.mark.promise("security#names-in-files")
def test_no_name_breaks_the_picture(client: Client) -> None:
    without = ink(picture(client, Sheet(client, players=["X", "Bo"]).address))

    def check(name: str) -> None:
        image = picture(client, Sheet(client, players=[name, "Bo"]).address)
        assert ink(image) > without * 0.9, "something stands for every name"
        assert ink(image.crop((image.width - 50, 0, image.width, image.height))) == 0, "nothing runs over the edge"

    check_each(STRANGE, check, ascii)


def test_ten_players_fit_on_the_picture(client: Client) -> None:
    sheet = Sheet(client, players=[f"Player number {number}" for number in range(10)])
    image = picture(client, sheet.address)
    assert ink(image.crop((0, image.height - 40, image.width, image.height))) == 0


def test_the_winner_is_read_in_a_thumbnail(client: Client, sheet: Sheet) -> None:
    image = picture(client, sheet.address)
    thumbnail = image.convert("RGB").resize((300, 157))
    heights = [y for x in range(300) for y in range(157) if thumbnail.getpixel((x, y)) == (95, 42, 134)]
    assert max(heights) - min(heights) >= 30, "the total is at least 30 of 157 pixels high"
    top = image.convert("L").crop((0, 120, 1200, 270)).point(lambda light: 255 * (light < 200)).getbbox()
    assert top
    assert top[2] - top[0] >= 0.6 * 1200, "name and total fill the width"


def test_the_largest_is_who_leads_and_with_what_a_name_of_emoji_alone_is_a_mark(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: dict[str, int] = {}

    def note(pen: Any, at: Any, text: str, size: int, *args: Any, **more: Any) -> float:
        written[text] = max(size, written.get(text, 0))
        return write(pen, at, text, size, *args, **more)

    monkeypatch.setattr(cards, "write", note)
    running = Sheet(client, target="500")
    running.record(running.fields(Bo="7 skip wild", Cy="3 9", Di="draw-two"))
    picture(client, running.address)
    largest = sorted(written, key=lambda text: -written[text])[:3]
    assert (set(largest), written["Ada"] > 200) == ({"Ada", "109", "leads"}, True)
    assert {"Bo", "Cy", "Di"} < written.keys(), "names at the ends of lines"
    written.clear()
    panda = Sheet(client, players=["🐼", "Bo"], target="500")
    panda.record(panda.fields(Bo="wild"))
    image = picture(client, panda.address).convert("RGB").crop((56, 120, 216, 270))
    own = ImageChops.difference(image, Image.new("RGB", image.size, OWN["red"])).convert("L").histogram()
    assert sum(own[:8]) > 10_000, "the player's mark, large"
    won = Sheet(client, players=["🐼", "Bo"], target="20")
    won.record(won.fields(Bo="wild"))
    picture(client, won.address)
    assert not [text for text in written if "Player 1" in text]


def test_an_accent_on_a_capital_keeps_off_the_mark_of_a_picture(client: Client) -> None:
    sheet = Sheet(client, players=["Ådne", "Bo"], target="500")
    sheet.record(sheet.fields(Bo="wild"))
    image = picture(client, sheet.address).convert("L").crop((56, 80, 330, 98))
    assert min(image.tobytes()) > 200, "a strip of paper lies between them"


def test_a_picture_is_drawn_once_whoever_asks_and_in_little_time(
    client: Client, sheet: Sheet, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture(client, sheet.address)  # loads the fonts
    PICTURES.clear()
    began = process_time()
    first = client.get(f"{sheet.address}/result.png").data
    assert process_time() - began < 2
    assert len(first) < 60_000
    monkeypatch.setattr(cards, "draw_card", lambda *_: pytest.fail("drawn again"))
    assert client.get(f"{sheet.address}/result.png").data == first


def test_codes_are_shown_only_where_a_phone_can_follow_them(
    client: Client, sheet: Sheet, monkeypatch: pytest.MonkeyPatch
) -> None:
    for task in ("board", "hands/link"):
        client.submit(f"{sheet.address}/{task}", {})
    made = client.submit("/rules/own/new", {"title": "Sunday", "base": "classic-500"}).headers["Location"]
    client.submit(f"{made}/share", {})
    board = find_in(r'href="http://localhost(/live/\w+)"', client.get(f"{sheet.address}/invite").text)
    says_how = [f"{sheet.address}/invite", f"{sheet.address}/hands", made]
    for page in (*says_how, board, "/rules/classic-500/target"):
        here = client.get(page, status=200).text
        assert 'class="qr"' not in here, "this is localhost"
        assert ("python3 run --lan" in here) == (page in says_how)
    monkeypatch.setattr(wording, "here_only", lambda address: False)
    for page in (*says_how, board, "/rules/classic-500/target"):
        there = client.get(page, status=200).text
        assert 'class="qr"' in there
        assert "--lan" not in there


@pytest.mark.promise("security#lasting-addresses")
def test_a_board_that_is_sent_has_a_preview_that_anybody_may_fetch(client: Client, sheet: Sheet) -> None:
    assert "og:image" not in client.get(f"{sheet.address}/share").text, "a messenger cannot open that page"
    client.submit(f"{sheet.address}/board", {})
    board = re.search(r'href="(http[^"]+/live/\w+)"', client.get(f"{sheet.address}/invite").text)
    assert board
    stranger = client.application.test_client()
    page = stranger.get(board[1]).text
    meta = dict(re.findall(r'<meta property="(og:[\w:]+)" content="([^"]*)">', page))
    assert meta["og:title"] == "Ada wins!"
    assert meta["og:description"] == "1. Ada: 109 · 2. Bo: 0 · 2. Cy: 0 · 2. Di: 0"
    assert meta["og:image"].startswith(f"{board[1]}/result.png?state=")
    answer = stranger.get(meta["og:image"])
    assert answer.mimetype == "image/png"
    size = Image.open(io.BytesIO(answer.data)).size
    assert [str(side) for side in size] == [meta["og:image:width"], meta["og:image:height"]]
    assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    client.submit(f"{sheet.address}/board/close", {})
    assert stranger.get(meta["og:image"]).status_code == 404


def test_the_mail_carries_the_text_and_nothing_else(client: Client, sheet: Sheet) -> None:
    page = client.get(f"{sheet.address}/share").text
    found = find_in(r'href="(mailto:[^"]*)"', page)
    query = parse_qs(urlsplit(found.replace("&amp;", "&")).query)
    assert set(query) == {"subject", "body"}
    assert query["body"][0].replace("\r\n", "\n") == text(client, sheet.address)


def play(client: Client, address: str) -> dict[str, Any]:
    page = client.get(f"{address}/share").text
    found = find_in(r'href="(https://app\.bgstatsapp\.com/createPlay\.html\?data=[^"]*)"', page)
    assert len(found) < LONGEST_LINK
    document: dict[str, Any] = json.loads(unquote(found.partition("data=")[2]))
    return document


def test_bg_stats_gets_every_field_it_needs(client: Client, sheet: Sheet) -> None:
    document = play(client, sheet.address)
    assert document["game"] == {
        "name": "UNO", "sourceGameId": "uno", "bggId": 2223, "highestWins": True, "noPoints": False,
    }  # fmt: skip
    assert document["sourcePlayId"] == sheet.address.rpartition("/")[2]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", document["playDate"])
    ada = next(player for player in document["players"] if player["name"] == "Ada")
    assert (ada["score"], ada["rank"], ada["winner"]) == (109, 1, True)
    for player in document["players"]:
        assert isinstance(player["startPlayer"], bool)
        assert isinstance(player["winner"], bool)
        assert player["sourcePlayerId"]


def test_the_lowest_total_wins_at_bg_stats_where_it_does_here(client: Client) -> None:
    sheet = Sheet(client, players=["Ada", "Bo"], rulebook="duo-200", target="20")
    sheet.record(sheet.fields(Bo="=50"))
    assert play(client, sheet.address)["game"]["highestWins"] is False


def test_bg_stats_learns_who_began_where_the_record_holds_it(client: Client) -> None:
    def began(**plan: Any) -> list[str]:
        sheet = Sheet(client, target="100", **plan)
        sheet.record(sheet.fields(**dict.fromkeys(("Bo", "Cy", "Di"), "wild")))
        return [player["name"] for player in play(client, sheet.address)["players"] if player["startPlayer"]]

    assert began(dealer="1") == ["Bo"], "who sits left of the dealer"
    assert began(dealer="4") == ["Ada"], "round the table"
    paper = {"table": "date,Ada,Bo\n2019-12-24,510,0", "rulebook": "classic-500", "step": "save"}
    assert client.submit("/club/records/paper", paper).status_code == 303
    (old,) = re.findall(
        r'<a class="list-row entry" href="/history(/matches/\w+)', client.get("/history/?year=2019").text
    )
    assert not any(one["startPlayer"] for one in play(client, old)["players"]), "nobody wrote down who dealt"


def test_bg_stats_is_told_of_no_points_where_rounds_are_counted(client: Client) -> None:
    sheet = Sheet(client, count="rounds", target="1")
    sheet.record(sheet.fields(Bo="7", Cy="3", Di="1"))
    assert play(client, sheet.address)["game"]["noPoints"] is True


def test_a_long_note_never_makes_the_link_too_long(client: Client) -> None:
    sheet = Sheet(client, players=["\U0001f468" * 30 + str(number) for number in range(10)], target="10")
    client.submit(f"{sheet.address}/details", {"name": "", "location": "", "match_note": "👨" * 2000})
    revision = find_in(r'name="revision" value="(\d+)"', client.get(f"{sheet.address}/rounds/new").text)
    client.submit(f"{sheet.address}/finish", {"revision": revision})
    page = client.get(f"{sheet.address}/share").text
    assert ">Share result</h1>" in page
    for link in re.findall(r'href="(https://app\.bgstatsapp[^"]*)"', page):
        assert len(link) < LONGEST_LINK


def test_a_match_that_goes_on_is_not_offered_to_bg_stats(client: Client) -> None:
    sheet = Sheet(client)
    assert "bgstatsapp" not in client.get(f"{sheet.address}/share").text


def test_the_language_of_a_picture_is_said_where_it_is_not_the_pages(client: Client, sheet: Sheet) -> None:
    ruling = f"{sheet.address}/disputes/can-i-play?card=red-7&top_card=red-3"
    places = (f"{sheet.address}/share", "/history/year", ruling)
    assert not [place for place in places if "Picture: " in client.get(place).text]
    client.set_cookie("language", "de")
    assert [place for place in places if "Bild: English" in client.get(place).text] == list(places)
