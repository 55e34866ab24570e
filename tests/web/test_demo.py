"""Try it with a demo table: from the first page to a club of one's own, and back."""

from __future__ import annotations

import pytest

from tests.conftest import MakeApp
from tests.ground.client import Client

pytestmark = pytest.mark.usefixtures("database")

BUTTON = "Try it with a demo table"


def test_a_stranger_opens_a_demo_that_says_when_it_ends_and_leaves_it_again(client: Client) -> None:
    assert BUTTON in client.get("/").text
    assert client.submit("/demo", {}).headers["Location"] == "/"
    for address in ("/", "/club", "/history/", "/history/players"):
        page = client.get(address).text
        assert "A demo table. It ends on" in page, address
        assert "Start your own" in page, address
    assert ">Resume</a>" in client.get("/").text
    answer = client.submit("/demo/leave", {}, page="/club")
    assert answer.headers["Clear-Site-Data"] == '"cache", "storage"'
    page = client.get("/").text
    assert BUTTON in page
    assert "A demo table" not in page


def test_a_club_that_is_no_demo_is_not_left_by_that_button(client: Client) -> None:
    client.submit("/matches/new", {"players": ["Ada", "Bo"], "rulebook": "classic-500", "step": "deal"})
    assert "Start your own" not in client.get("/").text
    assert client.submit("/demo/leave", {}).status_code == 403


@pytest.mark.parametrize("off", ["DEMO", "SIGN_UP"])
def test_a_host_offers_no_demo(make_app: MakeApp, off: str) -> None:
    client = make_app(**{off: False}).test_client()
    assert isinstance(client, Client)
    assert BUTTON not in client.get("/").text
    assert "demo" not in client.get("/history/").text
    assert client.submit("/demo", {}).status_code == 403


def test_an_address_opens_six_demos_an_hour(make_app: MakeApp) -> None:
    client = make_app(RATELIMIT_ENABLED=True, DEMO=False).test_client()
    assert isinstance(client, Client)
    token = client.token()
    answers = [client.post("/demo", data={"csrf_token": token}).status_code for _ in range(7)]
    assert answers == [403] * 6 + [429]
