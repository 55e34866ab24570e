"""Deleting: what was deleted is nowhere, comes back as it was, and after thirty days is gone from the database."""

from __future__ import annotations

import re
import zlib
from datetime import timedelta
from typing import Any

from flask import Flask
from sqlalchemy import select, update

from referee.records.deletion.parts import OF_MATCH
from referee.records.ids import new_id
from referee.records.models import Base, Deletion, DeletionPart
from referee.web.server.extensions import db
from tests.ground.house import House

BINS = ("deletions", "deletion_parts")
GONE = (
    *(f"/matches/<match_id>{page}" for page in ("", "/menu", "/now", "/share", "/result.png", "/delete")),
    *("/history/matches/<match_id>", "/live/<board_token>", "/live/<board_token>/now", "/hand/<table_token>"),
)
"""Addresses of a match that answer 410 once it is deleted."""


def rows(app: Flask, *, without: tuple[str, ...] = ()) -> dict[str, list[str]]:
    """Read all rows of all tables as texts, without what every new state of a match draws anew."""
    with app.app_context():
        found = {}
        for table in Base.metadata.sorted_tables:
            if table.name not in without:
                columns = [one for one in table.c if one.name not in ("revision", "nonce", "tally", "summed")]
                found[table.name] = sorted(map(repr, db.session.execute(select(*columns)).all()))
        db.session.rollback()
    return found


NAMED = {name: rf"(?<!\w){name}(?!\w)" for name in ("Bo", "Di")}
"""A name as a word of its own, as it stands in any text."""


def everything(house: House, *, without: tuple[str, ...] = ()) -> list[str]:
    """Read all rows of all tables and, unpacked, of what is deleted."""
    texts = [text for found in rows(house.app, without=(*without, "deletion_parts")).values() for text in found]
    with house.app.app_context():
        parts = db.session.execute(select(DeletionPart.deletion_id, DeletionPart.number, DeletionPart.content)).all()
    known = {row.split("'")[3] for row in rows(house.app)["players"]}
    return texts + [zlib.decompress(content).decode() for id, number, content in parts if number > 0 or id not in known]


def activity(exported: str) -> str:
    """Take out of an exported club what a player without a name is not: active."""
    return re.sub(r'"active":\w+|,"removed_at":"[^"]+"', "", exported)


def call(house: House, method: str, path: str, **options: Any) -> Any:
    path = house.path(f"/api/v1{path}")
    return house.app.test_client().open(path, method=method, headers=house.bearer("scorekeeper"), **options)


def test_a_deleted_match_is_nowhere_and_comes_back_as_it_was(house: House) -> None:
    house.call("scorekeeper", "POST", "/matches/<match_id>/hands")
    phone = house.browser("phone")
    name = re.search(r'name="(hand-\w+)"', phone.get("/hand").text)
    assert name
    assert phone.submit("/hand", {name[1]: "7"}, page="/rules").status_code < 400
    call(house, "POST", "/matches/<match_id>/finish")
    before, match_id = rows(house.app), house.parts["match_id"]
    assert all(before[table.name] for table in OF_MATCH), "a table that this would not test"
    exported = call(house, "GET", "/export").text
    figures = call(house, "GET", "/statistics").json

    deleted = call(house, "DELETE", "/matches/<match_id>")
    assert deleted.status_code == 200
    assert deleted.json["lost"]["players"] == ["Ada", "Bo", "Cy", "Di"]
    assert deleted.json["lost"]["rounds"] == deleted.json["lost"]["rulings"] == 1
    left = rows(house.app, without=BINS)
    assert not [name for name, texts in left.items() if any(match_id in text for text in texts)]
    assert match_id not in call(house, "GET", "/export").text
    assert call(house, "GET", "/matches").json["matches"] == []
    for rule in GONE:
        assert house.call("scorekeeper", "GET", rule).status_code == 410, rule
    assert house.call("phone", "GET", "/hand").status_code == 410
    problem = call(house, "GET", "/matches/<match_id>")
    assert problem.status_code == 410
    assert problem.json["restorable_until"] == deleted.json["restorable_until"]
    assert call(house, "DELETE", "/matches/<match_id>").json == deleted.json
    assert house.call("other", "GET", "/matches/<match_id>").status_code == 404
    (listed,) = call(house, "GET", "/deletions").json["deletions"]
    assert listed == deleted.json

    restored = call(house, "POST", "/matches/<match_id>/restore")
    assert restored.status_code == 200
    assert call(house, "POST", "/matches/<match_id>/restore").json == restored.json
    assert rows(house.app) == before
    assert call(house, "GET", "/export").text == exported
    assert call(house, "GET", "/statistics").json == figures
    assert house.call("scorekeeper", "GET", "/live/<board_token>").status_code == 200


def test_a_deleted_name_is_nowhere_and_comes_back(house: House) -> None:
    """Two names of one match, which is deleted in between: whatever comes back first, all of it comes back."""
    players = {one["name"]: one["id"] for one in call(house, "GET", "/players").json["players"]}
    texts = {"name": "Bo’s birthday", "location": "At Di’s", "note": "Bobby, a guest, sat beside Bo.\nBo: “Uno!”"}
    call(house, "PATCH", "/matches/<match_id>", json=texts)
    call(
        house, "POST", "/matches/<match_id>/amendments", json={"custom_rules": ["Bo deals"], "note": "Bo asked for it"}
    )
    adjusted = {"after": 1, "went_out": "Ada", "hands": {"Bo": 5, "Cy": 3, "Di": 9}}
    adjusted["adjustments"] = [{"player": "Bo", "points": -5, "reason": "Bo dropped a card"}]
    assert call(house, "POST", "/matches/<match_id>/rounds", json=adjusted).status_code == 201
    ruling = {"dispute": "played-card-effect", "facts": {"played": "red-skip"}, "players": {"offender": "Bo"}}
    ruled = call(house, "POST", "/matches/<match_id>/rulings", json=ruling | {"table_decided": "Bo and Di agree"})
    assert ruled.status_code == 201
    started = call(house, "POST", "/matches", json={"players": ["Bo", "Di"], "rulebook": "classic-500"}).json["id"]
    before, exported = rows(house.app), call(house, "GET", "/export").text
    assert re.search(NAMED["Bo"], exported)

    taken = call(house, "DELETE", f"/players/{players['Bo']}")
    assert taken.status_code == 200
    assert taken.json["lost"] == {"name": "Bo", "matches": 2, "rounds": 2, "active": True}
    exported_since = call(house, "GET", "/export").text
    assert not re.search(NAMED["Bo"], exported_since)
    assert "Bobby, a guest, sat beside Former player 1" in exported_since
    document = call(house, "GET", "/matches/<match_id>").json
    assert [one["player"] for one in document["standings"]].count("Former player 1") == 1
    assert [one["name"] for one in call(house, "GET", "/players").json["players"]] == ["Ada", "Cy", "Di"]
    assert [one["name"] for one in call(house, "GET", "/statistics").json["players"]] == ["Ada", "Cy", "Di"]
    for method, path in (("GET", "/statistics"), ("PATCH", ""), ("POST", "/merge")):
        body = {"json": {"into": "Ada"} if path else {}} if method != "GET" else {}
        assert call(house, method, f"/players/{players['Bo']}{path}", **body).status_code == 410
    again = call(house, "POST", "/matches", json={"players": ["Former player 1", "Di"], "rulebook": "classic-500"})
    assert again.status_code == 422
    assert [text for text in everything(house, without=BINS) if re.search(NAMED["Bo"], text)] == []

    call(house, "DELETE", "/matches/<match_id>")
    call(house, "DELETE", f"/players/{players['Di']}")
    assert [text for text in everything(house) if re.search(NAMED["Di"], text)] == []
    assert call(house, "POST", f"/players/{players['Bo']}/restore").json["name"] == "Bo"
    call(house, "POST", "/matches/<match_id>/restore")
    since = call(house, "GET", "/export").text
    assert activity(since) == re.sub(NAMED["Di"], "Former player 2", activity(exported))
    assert call(house, "POST", f"/players/{players['Di']}/restore").json["name"] == "Di"
    assert rows(house.app) == before
    assert call(house, "GET", f"/matches/{started}").json["players"] == ["Bo", "Di"]


def test_importing_an_older_file_brings_nothing_deleted_back(house: House) -> None:
    (bo,) = [one["id"] for one in call(house, "GET", "/players").json["players"] if one["name"] == "Bo"]
    call(house, "POST", "/matches", json={"players": ["Bo", "Di"], "rulebook": "classic-500"})
    document = call(house, "GET", "/export").json
    newest = document["matches"][-1]
    newer = newest | {"id": new_id(), "note": "Bo wrote this elsewhere", "events": []}
    call(house, "DELETE", "/matches/<match_id>")
    call(house, "DELETE", f"/players/{bo}")
    answer = call(house, "POST", "/import", json=document | {"matches": [*document["matches"], newer]})
    assert (answer.status_code, answer.json) == (200, answer.json | {"matches": 1, "matches_deleted": 1})
    assert not re.search(NAMED["Bo"], call(house, "GET", "/export").text)
    assert call(house, "GET", f"/matches/{newer['id']}").json["note"] == "Former player 1 wrote this elsewhere"
    assert call(house, "GET", "/matches/<match_id>").status_code == 410


def test_a_name_that_somebody_else_took_does_not_come_back(house: House) -> None:
    (bo,) = [one["id"] for one in call(house, "GET", "/players").json["players"] if one["name"] == "Bo"]
    call(house, "DELETE", f"/players/{bo}")
    call(house, "POST", "/players", json={"name": "bo"})
    answer = call(house, "POST", f"/players/{bo}/restore")
    assert answer.status_code == 422
    assert answer.json["errors"][0]["message"] == "“bo” is another player by now. Rename that player first."


def test_after_thirty_days_nobody_restores(house: House) -> None:
    call(house, "DELETE", "/matches/<match_id>")
    age(house.app)
    for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/restore")):
        answer = call(house, method, f"/matches/<match_id>{path}")
        assert answer.status_code == 410
        assert answer.json["restorable_until"] is None
    assert call(house, "GET", "/deletions").json == {"deletions": []}


def age(app: Flask, days: int = 31) -> None:
    """Let time pass for what was deleted."""
    with app.app_context():
        for one in db.session.scalars(select(Deletion)):
            db.session.execute(update(Deletion).where(Deletion.id == one.id).values(at=one.at - timedelta(days=days)))
        db.session.commit()
