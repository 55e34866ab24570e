"""A year in pictures: what its cards say of a player and of the club, and the pictures of them."""

import io
import re
from datetime import UTC, datetime

import pytest
from flask import Flask
from PIL import Image

from tests.ground.client import Client, browser_of
from tests.web.test_score import Sheet

YEAR = datetime.now(UTC).year


@pytest.fixture
def client(sheets: list[Sheet]) -> Client:
    """The browser that recorded them."""
    return sheets[0].client


@pytest.fixture(scope="module")
def sheets(shared_app: Flask) -> list[Sheet]:
    """Three matches that ended: Ada won two of them, Bo one, once after having been behind."""
    client, found = browser_of(shared_app), []
    for rounds in ([("Ada", "wild")], [("Ada", "7")], [("Ada", "3"), ("Bo", "wild wild")]):
        sheet = Sheet(client, players=["Ada", "Bo"], target="5")
        for winner, hand in rounds:
            if sheet.players:
                other = "Bo" if winner == "Ada" else "Ada"
                sheet.record(sheet.fields(winner, **{other: hand}))
        found.append(sheet)
    return found


def told(page: str) -> list[str]:
    """Read the cards as those hear them who don't see them."""
    return re.findall(r'<img src="/history/year[^>]*alt="([^"]*)"', page)


def test_a_club_has_its_year_on_five_cards(client: Client) -> None:
    page = client.get(f"/history/year?year={YEAR}").text
    assert f"{YEAR} in pictures" in page
    assert told(page) == [
        f"Played in {YEAR}: Our table 3 matches. On 1 evening",
        "Most wins: Ada 2 of 3 matches. Ahead of Bo with 1",
        "Biggest catch: Bo 100 points in one round. Left in the others’ hands",
        "Met most often: Ada and Bo 2–1 matches each finished ahead. In 3 matches together",
        "Comeback: Bo 3 points behind. And still won",
    ]


def test_a_player_has_a_year_too(client: Client, sheets: list[Sheet]) -> None:
    ada = sheets[0].players["Ada"]
    page = client.get(f"/history/year?player={ada}&year={YEAR}").text
    assert told(page) == [
        f"Played in {YEAR}: Ada 3 matches. On 1 evening",
        "Won:  2 of 3 matches. 2 of them in a row",
        "Biggest catch: Ada 50 points in one round. Left in the others’ hands",
        "Met most often: Ada and Bo 2–1 matches each finished ahead. In 3 matches together",
        "Went out:  3 of 4 rounds. ",
    ]
    bo = client.get(f"/history/year?player={sheets[0].players['Bo']}").text
    assert told(bo)[1:4:2] == [
        "Won:  1 of 3 matches. ",
        "Met most often: Bo and Ada 1–2 matches each finished ahead. In 3 matches together",
    ]
    assert client.get("/history/year?player=nobody").status_code == 404


def test_each_card_is_a_picture_that_is_there_once(client: Client) -> None:
    page = client.get("/history/year").text
    addresses = [one.replace("&amp;", "&") for one in re.findall(r'<img src="([^"]*)"', page)]
    assert len(addresses) == len({client.get(address).data for address in addresses}) == 5
    answer = client.get(addresses[0])
    assert Image.open(io.BytesIO(answer.data)).size == (810, 1010)
    assert client.get(addresses[0], headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304


def test_a_card_that_there_is_not_is_refused_with_those_there_are(client: Client) -> None:
    for n in ("0", "6", "-1", "x", "99999999999"):
        answer = client.get(f"/history/year.png?n={n}", headers={"Accept": "application/json"}, status=422)
        assert answer.get_json()["errors"][0]["message"] == "Choose a picture from 1 to 5."


def test_a_year_without_a_match_is_the_latest_one_with_some(client: Client) -> None:
    for year in ("1999", "x", "", "99999999999"):
        assert f"Played in {YEAR}" in told(client.get(f"/history/year?year={year}").text)[0]
