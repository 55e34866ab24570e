"""What a phone takes along of its club's last matches, unvisited."""

import json

import pytest
from flask import Flask
from sqlalchemy import select

from referee.records.models import Player, Round
from referee.web.offline.saved_pages import HOLDER
from referee.web.server.database import db
from tests.ground.client import Client

pytestmark = pytest.mark.usefixtures("database")

NEW_MATCH = {"players": ["Ada", "Bo"], "rulebook": "classic-500", "step": "deal"}


def start(phone: Client) -> str:
    """Start a match, and give its id."""
    return phone.submit("/matches/new", NEW_MATCH, page="/matches/new").location.rpartition("/")[2]


def record(app: Flask, phone: Client, match: str) -> None:
    """Record its first round: Ada goes out, and gains 20."""
    with app.test_request_context():
        ids = dict(db.session.execute(select(Player.name, Player.id)).all())
    fields = {"after": "0", "went_out": ids["Ada"], f"hand-{ids['Bo']}": "20"}
    assert phone.submit(f"/matches/{match}/rounds/new", fields).status_code == 303


def test_a_phone_takes_along_the_pages_of_the_last_matches_once(app: Flask) -> None:
    phone = Client(app)
    first, second = (start(phone) for _ in range(2))
    record(app, phone, first)
    with app.test_request_context():
        round = db.session.scalars(select(Round.id)).one()

    answer = phone.get("/offline/matches.json")
    assert answer.headers[HOLDER] == phone.get(f"/matches/{first}").headers[HOLDER]
    pages = dict(answer.get_json()["pages"])
    tables = {path: json.loads(text) for path, text in pages.items() if "/plans/" in path}
    assert set(pages) - set(tables) == {
        *(f"/matches/{match}{page}" for match in (first, second) for page in ("", "/menu", "/share")),
        f"/matches/{first}/rounds/{round}",
        *(f"/matches/{match}/rematch" for match in (first, second)),
        "/matches/new",
        "/offline/law",
        "/",
    }
    table, first_offered = tables.values()
    assert first_offered["fields"] == [["rulebook", "official"]]
    assert json.loads(pages[f"/matches/{first}/rematch"]) == {"key": table["key"], "names": ["Ada", "Bo"], "opener": 1}
    assert table["fields"] == [["rulebook", "classic-500"]]
    assert set(table["tables"]) == {"2", "3", "4", "5", "6"}
    sheet = table["tables"]["3"]["pages"][""]
    assert [sheet.count(f'data-went-out="player{seat:010}"') for seat in range(4)] == [1, 1, 1, 0]
    assert 'data-match="match00000000000"' in sheet
    assert "Rule card" in table["tables"]["3"]["pages"]["/menu"]
    assert "Rule card" in pages[f"/matches/{second}/menu"]
    assert "20" in pages[f"/matches/{first}"]
    assert 'name="csrf-token"' in pages["/matches/new"]

    states = answer.get_json()["states"]
    again = phone.get("/offline/matches.json", query_string={"have": " ".join(states)}).get_json()
    assert again == {"states": states, "pages": []}
    record(app, phone, second)
    changed = phone.get("/offline/matches.json", query_string={"have": " ".join(states)}).get_json()
    assert {path.split("/")[-1] for path, _ in changed["pages"] if second not in path} == {""}, "home has their totals"
