"""A ruling leaves the app as a picture that says what its page says, to whoever may see the page."""

import html
import io
import re
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from PIL import Image

from referee.rules.books.library import rulebooks
from referee.rules.disputes import DISPUTES
from referee.rules.disputes.announcing import announce
from referee.rules.disputes.tree import every_hearing
from referee.rules.text.words import languages, speaking
from referee.web.pictures import cards, drawing
from referee.web.pictures.drawing import drawable, length, wrapped, write
from referee.web.pictures.views import PICTURES
from referee.web.words import say
from tests.ground.client import Client, browser_of, find_in
from tests.ground.house import House
from tests.web.test_disputes_pages import CASE, CHALLENGE, GUILTY, Match, headline, stamp

HEARD = "?as-offender=0&as-target=1&challenged=yes&challenger=target&held_color=yes"
SHARED = re.compile(r'<a class="button grow" href="([^"]+)" download="uno-ruling.png" data-share-picture>')
RTL = "عائشة"


@pytest.fixture
def match(client: Client) -> Match:
    return Match(client)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The texts as they are drawn, each line of them."""
    lines: list[str] = []

    def note(pen: Any, at: Any, text: str, *args: Any, **more: Any) -> float:
        lines.append(text)
        return write(pen, at, text, *args, **more)

    monkeypatch.setattr(cards, "write", note)
    monkeypatch.setattr(drawing, "write", note)
    PICTURES.clear()
    yield lines
    PICTURES.clear()


def picture_of(page: str) -> str:
    """Read the address of the picture that a ruling's page offers; empty where it offers none."""
    found = SHARED.search(page)
    return html.unescape(found[1]) if found else ""


def drawn(client: Client, address: str) -> Image.Image:
    answer = client.get(address, status=200)
    assert answer.headers["Content-Disposition"] == 'inline; filename="uno-ruling.png"'
    assert answer.headers["Cache-Control"] == "private, no-cache", "names stay out of public caches"
    assert len(answer.data) < 60_000
    return Image.open(io.BytesIO(answer.data))


def edge(image: Image.Image) -> int:
    """Count the pixels at the right and the lower edge that are not paper."""
    strips = [(image.width - 50, 0, image.width, image.height), (0, image.height - 40, image.width, image.height)]
    return sum(sum(image.convert("L").crop(strip).histogram()[:200]) for strip in strips)


def test_the_picture_has_the_verdict_of_the_page_and_the_rule_that_says_so(match: Match, written: list[str]) -> None:
    page = match.get(match.challenge + HEARD)
    assert drawn(match.client, picture_of(page)).size == (1080, 1080)
    reasons = re.search(r'<ol class="plain reasons">(.*?)</ol>', page, re.DOTALL)
    assert reasons
    first = html.unescape(find_in(r"<li>\s*<p>([^<]+)</p>", reasons[1]))
    assert written[0] == "The referee says"
    assert written[1] == "Classic 500 · Wild Draw Four challenge"
    assert written[2] == stamp(page) == "Not legal"
    assert written[3] == headline(page) == "Ada draws 4"
    assert " ".join(written[4:]) == first
    assert len(written[4:]) <= cards.RULE_LINES


def test_in_chats_its_letters_are_large_and_what_does_not_fit_is_left_out(match: Match, written: list[str]) -> None:
    assert (cards.HEADLINE[0], cards.HEADLINE[-1], cards.RULE[0], cards.RULE[-1]) == (120, 64, 40, 32)
    match.write(CASE | {"table_decided": "We all decide this very slowly, word by word. " * 8})
    saved = find_in(r'href="([^"]+/rulings/\w+)"', match.get(match.sheet))
    image = drawn(match.client, picture_of(match.get(saved)))
    assert (edge(image), written[2]) == (0, "Your club decided")
    assert written[-1].endswith("…")


@pytest.mark.parametrize("code", languages())
def test_no_ruling_is_cut_in_any_language(code: str) -> None:
    with speaking(code):
        said = {
            cards.without_marks(announce(leaf.ruling.to_json(), dispute.voice(None)).headline)
            for book in ("official", "two-player", "no-mercy", "duo-200")
            for dispute in DISPUTES
            for leaf in every_hearing(dispute, rulebooks()[book])
        }
    room = 1080 - 2 * cards.EDGE
    longest = sorted(said, key=len)[-40:]
    assert all(cards.in_lines(text, cards.HEADLINE, room, 600, display=True) for text in longest)


def test_outside_a_match_the_parts_are_called_and_no_key_is_needed(app: Flask, client: Client) -> None:
    assert drawn(browser_of(app), picture_of(client.get(GUILTY).text)).size == (1080, 1080)


def test_a_saved_ruling_has_its_picture_with_what_the_table_decided(match: Match, written: list[str]) -> None:
    match.write(CASE | {"table_decided": "Ada draws two, since it is late."})
    saved = find_in(r'href="([^"]+/rulings/\w+)"', match.get(match.sheet))
    drawn(match.client, picture_of(match.get(saved)))
    said = " ".join(written)
    assert "Your club decided Ada draws two, since it is late." in said


def test_a_hand_is_in_no_picture_nor_in_the_address_of_one(match: Match, written: list[str]) -> None:
    case = {key: value for key, value in CASE.items() if key != "held_color"}
    case |= {"hand": "red-7,wild", "color_in_play": "red"}
    assert not picture_of(match.client.submit(match.challenge, case).text)
    for place in (f"{match.challenge}/ruling.png?", f"{CHALLENGE}/ruling.png?rulebook=classic-500&"):
        answer = match.client.get(f"{place}challenged=yes&hand=red-7,wild&color_in_play=red", status=422)
        assert say("case.private") in answer.text
    match.write(case | {"keep_hand": "1"})
    saved = find_in(r'href="([^"]+/rulings/\w+)"', match.get(match.sheet))
    drawn(match.client, picture_of(match.get(saved)))
    assert "Ada draws 4" in " ".join(written)
    assert not re.search(r"(?i)red[ -]7", " ".join(written))


def test_at_a_match_it_speaks_for_the_club_and_its_errors_to_the_reader(match: Match, written: list[str]) -> None:
    match.client.set_cookie("language", "de")
    address = f"{match.challenge}/ruling.png"
    refused = match.client.get(f"{address}?challenged=perhaps")
    assert (refused.status_code, "true oder false" in html.unescape(refused.text)) == (422, True)
    assert "Did anyone challenge it?" not in html.unescape(match.client.get(address).text)
    drawn(match.client, address + HEARD)
    assert "Ada draws 4" in written
    gone = match.client.get(f"{match.sheet}/rulings/{'0' * 20}/ruling.png")
    assert (gone.status_code, '<html lang="de"' in gone.text) == (404, True)


@pytest.mark.parametrize("name", ["W" * 40, "🃏🎉", RTL, "אדה לוי", "小明", "<script>alert(1)</script>", "%s {0} \\n"])
def test_any_name_fits_on_the_picture(client: Client, written: list[str], name: str) -> None:
    match = Match(client, players=[name, "Bo", "Cy", "Di"])
    image = drawn(client, picture_of(match.get(match.challenge + HEARD)))
    assert edge(image) == 0, "nothing runs over the edge"
    shown = drawable(name) or "Player 1"
    assert shown.replace(" ", "") in "".join(written).replace(" ", "")


@pytest.mark.parametrize(
    "text", ["Ada draws 4 and is skipped.", "W" * 200, "a " * 100 + "W" * 90, RTL + " draws 4.", ""]
)
def test_a_text_is_wrapped_into_lines_that_fit_and_no_letter_is_lost(text: str) -> None:
    lines = wrapped(text, 40, 300)
    assert all(length(line, 40) <= 300 for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert (len(lines) > 1) == (length(text.strip(), 40) > 300)


@pytest.mark.parametrize("name", ["Ada", "Maximiliane-Theresia von Hohenstein", "Donaudampfschifffahrtsgesellschaft"])
def test_a_name_is_whole_in_a_headline(name: str) -> None:
    lines = cards.in_lines(name, cards.NAMES, 820, 150, display=True, cut=True, hyphens=True)
    said, whole = ("".join(re.findall(r"\w", text)) for text in ("".join(line for line, _ in lines), name))
    assert said == whole
    assert len(lines) <= 2


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("rulebook=monopoly", "Unknown rulebook"),
        ("rulebook=classic-500", "Did anyone challenge it?"),
        ("rulebook=classic-500&challenged=perhaps", "true or false"),
    ],
)
def test_without_a_ruling_the_picture_says_what_is_missing(client: Client, query: str, words: str) -> None:
    assert words in html.unescape(client.get(f"{CHALLENGE}/ruling.png?{query}", status=422).text)


def test_it_is_drawn_once_for_whoever_asks(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    address = picture_of(match.get(match.challenge + HEARD))
    first = match.client.get(address)
    monkeypatch.setattr(cards, "draw_ruling", lambda *_: pytest.fail("drawn again"))
    assert match.client.get(address).data == first.data
    again = match.client.get(address, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


def test_of_ten_the_result_lists_everybody_large_enough_for_a_chat(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = [f"{name} {place}" for place, name in enumerate(("Ada", "Maximiliane-Theresia", "עדה") * 3)] + ["Di"]
    programs, headers = house.app.test_client(), house.bearer("scorekeeper")
    started = programs.post("/api/v1/matches", json={"players": people, "rulebook": "classic-500"}, headers=headers)
    match = f"/matches/{started.get_json()['id']}"
    entry = {"after": 0, "went_out": people[0], "hands": dict.fromkeys(people[1:], 7)}
    assert programs.post(f"/api/v1{match}/rounds", json=entry, headers=headers).status_code == 201
    sizes: dict[str, int] = {}

    def note(pen: Any, at: Any, text: str, size: int, *args: Any, **more: Any) -> float:
        sizes[text] = size
        return write(pen, at, text, size, *args, **more)

    monkeypatch.setattr(cards, "write", note)
    house.browser("scorekeeper").get(f"{match}/result.png", status=200)
    assert [name for name in people if sizes.get(name, 0) < 28] == []
