"""A day of play: which matches are told, who won them, the line to remember, and the picture of it."""

import io
import re
from datetime import datetime

import pytest
from flask import Flask
from PIL import Image

from referee.web.server import local_time
from tests.ground.client import Client, browser_of
from tests.web.test_score import Sheet


@pytest.fixture(scope="module")
def client(shared_app: Flask) -> Client:
    """The browser that recorded a night: Ada and Bo won a match each, and a third goes on."""
    client = browser_of(shared_app)
    for rounds in ([("Ada", "wild")], [("Ada", "3"), ("Bo", "wild wild")], [("Ada", "7")]):
        sheet = Sheet(client, players=["Ada", "Bo"], target="45")
        for winner, hand in rounds:
            sheet.record(sheet.fields(winner, **{"Bo" if winner == "Ada" else "Ada": hand}))
    return client


def cards(page: str) -> list[str]:
    """Read the cards of the rounds as those hear them who don't see them."""
    return re.findall(r'<li class="round-card[^"]*"><span class="unseen">([^<]*)</span>', page)


def test_a_night_has_a_card_a_round_and_the_line_to_remember(client: Client) -> None:
    page = client.get("/history/night").text
    assert "<h1>Tonight</h1>" in page
    assert cards(page) == ["Ada went out. +50", "Ada went out. +3", "Bo went out. +100", "Ada went out. +7"]
    for said in ("3 matches", "4 rounds", "Matches won: Ada 1, Bo 1", "Ada was left with 100."):
        assert said in page


@pytest.mark.parametrize("day", ["", "2020-02-30", "9999-12-31", "0001-01-01", "tomorrow", "9" * 5000])
def test_another_day_is_the_last_one_played_on_before_it(client: Client, day: str) -> None:
    assert "<h1>Tonight</h1>" in client.get(f"/history/night?day={day}").text


@pytest.mark.parametrize(
    ("zone", "moment", "day"),
    [
        ("", "2026-11-28T04:59", "2026-11-27"),
        ("", "2026-11-28T05:00", "2026-11-28"),
        ("Europe/Berlin", "2026-11-28T03:59", "2026-11-27"),
        ("Europe/Berlin", "2026-11-28T04:00", "2026-11-28"),
        ("Pacific/Kiritimati", "2026-11-28T15:00", "2026-11-29"),
        ("Europe/Berlin", "2026-10-25T03:59", "2026-10-24"),  # the clocks went back in that night
        ("Europe/Berlin", "2026-10-25T04:00", "2026-10-25"),
    ],
)
def test_a_day_of_play_ends_at_five_where_the_phone_is(shared_app: Flask, zone: str, moment: str, day: str) -> None:
    at = datetime.fromisoformat(f"{moment}+00:00")
    with shared_app.test_request_context(headers={"Cookie": f"zone={zone}"}):
        assert local_time.night_of(at).isoformat() == day
        begins, ends = local_time.bounds_of(local_time.night_of(at))
    assert begins <= at < ends


def test_the_picture_of_a_night_is_as_tall_as_a_story(client: Client) -> None:
    answer = client.get("/history/night.png")
    with Image.open(io.BytesIO(answer.data)) as picture:
        assert picture.size == (1080, 1920)
    assert client.get("/history/night.png", headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304
