"""Deleting: what was deleted is nowhere, comes back as it was, and after thirty days is gone from the database."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

from flask import Flask
from sqlalchemy import select, update

from referee.records.deletion.parts import OF_MATCH
from referee.records.models import Base, Deletion
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
                columns = [one for one in table.c if one.name not in ("revision", "nonce", "tally")]
                found[table.name] = sorted(map(repr, db.session.execute(select(*columns)).all()))
        db.session.rollback()
    return found


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
