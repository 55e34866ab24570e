"""Try a demo: from the first page to a club of one's own, and back."""

import threading
from datetime import timedelta

import pytest
from flask import Flask
from sqlalchemy import select

from referee.records.demo import sample as demos
from referee.records.ids import new_id
from referee.records.models import Club, ClubImport, now
from referee.records.soundness import find_faults
from referee.records.transactions import INTERRUPTED
from referee.web.server import long_work
from referee.web.server.database import db
from referee.web.server.polls import BOARD, SHEET
from tests.conftest import MakeApp
from tests.ground.client import Client, browser_of
from tests.ground.house import House

pytestmark = pytest.mark.usefixtures("database")

SECRET = {"token", "board_token", "evening_token", "public_token", "screen_token", "share_token", "table_token"}
"""Parts of addresses that are keys."""

BUTTON = "Try a demo"


def test_a_stranger_opens_a_demo_that_says_when_it_ends_and_leaves_it_again(client: Client) -> None:
    assert BUTTON in client.get("/").text
    assert client.submit("/demo", {}).headers["Location"] == "/"
    for address in ("/", "/club", "/history/", "/history/players"):
        page = client.get(address).text
        assert "A demo table. It ends on" in page, address
        assert "Start your own" in page, address
    assert ">Resume</a>" in client.get("/").text
    assert client.submit("/demo/leave", {}, page="/club").headers["Clear-Site-Data"] == '"cache", "storage"'
    page = client.get("/").text
    assert BUTTON in page
    assert "A demo table" not in page


@pytest.mark.parametrize(("path", "demos"), [("/", 1), ("/history/", 1), ("/rules/own", 0), ("/club/law", 0)])
def test_an_empty_room_has_one_sentence_one_button_and_where_it_helps_the_demo(
    app: Flask, path: str, demos: int
) -> None:
    club = app.test_client().post("/api/v1/clubs", json={"name": "Thursdays"}).get_json()
    page = browser_of(app, club["scorekeeper_key"]).get(path).text
    room = page.partition('<div class="empty-room">')[2].partition("</main>")[0].partition("<details")[0]
    assert (room.count("<p>"), room.count('class="button primary'), room.count(BUTTON)) == (1, 1, demos)


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


def test_demos_killed_while_being_founded_keep_nobody_out_and_are_swept(
    app: Flask, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demos, "MOST", 6)
    halves = [new_id() for _ in range(demos.MOST)]
    with app.app_context():
        for id in halves:
            db.session.add(Club(id=id, name="Demo", ends_at=now() + demos.LASTS, import_id=id))
            db.session.add(ClubImport(club_id=id, id=id, at=now() - INTERRUPTED, made={}, founded=True))
        db.session.commit()
        assert len([one for one in find_faults(db.session()) if "import was interrupted" in one]) == len(halves)
        db.session.rollback()
    assert client.submit("/demo", {}).headers["Location"] == "/"
    before = set(threading.enumerate())
    monkeypatch.setattr(long_work, "EVERY", -1.0)
    client.get("/rulebooks")
    monkeypatch.undo()
    for thread in set(threading.enumerate()) - before:
        thread.join(60)
    with app.app_context():
        (left,) = db.session.scalars(select(Club)).all()
        assert left.id not in halves
        assert not list(find_faults(db.session()))
    assert ">Resume</a>" in client.get("/").text


def test_a_demo_that_ended_opens_nothing_by_any_address(app: Flask, house: House) -> None:
    doors = [rule for rule in app.url_map.iter_rules() if "GET" in (rule.methods or ()) if SECRET & rule.arguments]
    callers = [("stranger", rule.rule) for rule in doors]
    callers += [("scorekeeper", "/club"), ("spectator", "/api/v1/matches")]
    polls = [("scorekeeper", SHEET), ("stranger", BOARD)]
    states = {call: house.call(call[0], "GET", call[1]).headers.get("ETag", "") for call in polls}

    def statuses(calls: list[tuple[str, str]]) -> list[int]:
        return [house.call(caller, "GET", rule).status_code for caller, rule in calls]

    def poll(call: tuple[str, str]) -> int:
        headers = {"If-None-Match": states[call]}
        return house.browser(call[0]).get(house.path(call[1]), headers=headers).status_code

    assert all(status < 400 for status in statuses(callers[:1] + callers[-2:]))
    assert [poll(call) for call in polls] == [304, 304]
    with app.app_context():
        db.session.get_one(Club, house.club_id).ends_at = now() - timedelta(seconds=1)
        db.session.commit()
    opened = [call for call, status in zip(callers, statuses(callers), strict=True) if status < 400]
    assert not opened
    assert all(poll(call) >= 400 for call in polls)
