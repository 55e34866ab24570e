"""A backup is put back, by whatever means, and no phone is told that rounds are still there which are gone."""

import re
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import delete, insert, select

from referee.records.models import Base, Match
from referee.web.server.database import db
from tests.ground.house import House

pytestmark = pytest.mark.usefixtures("database")

Rows = dict[str, list[dict[str, Any]]]


def read(app: Flask) -> Rows:
    """Read the whole database."""
    with app.app_context():
        tables = Base.metadata.sorted_tables
        found = {table.name: [dict(row._mapping) for row in db.session.execute(select(table))] for table in tables}
        db.session.rollback()
    return found


def put_back(app: Flask, rows: Rows) -> None:
    """Put the database back as it was read: so do a file copied by hand, a snapshot of a disk and pg_restore."""
    with app.app_context():
        for table in reversed(Base.metadata.sorted_tables):
            db.session.execute(delete(table))
        for table in Base.metadata.sorted_tables:
            if rows[table.name]:
                db.session.execute(insert(table), rows[table.name])
        db.session.commit()


def record(house: House, winner: str) -> None:
    hands = {name: ["7"] for name in ("Ada", "Bo", "Cy", "Di") if name != winner}
    path, entry = f"/api/v1/matches/{house.parts['match_id']}/rounds", {"after": 1, "went_out": winner, "hands": hands}
    house.app.test_client().post(path, json=entry, headers=house.bearer("scorekeeper"), status=201)


def revision(house: House) -> int:
    with house.app.app_context():
        return db.session.scalars(select(Match.revision)).one()


@pytest.mark.promise("backup#never-mistaken", "reliability#phones-know-more")
def test_after_a_restore_nobody_is_told_that_lost_rounds_are_unchanged(house: House) -> None:
    match = f"/matches/{house.parts['match_id']}"
    polled = dict.fromkeys((f"{match}/{page}" for page in ("now", "result.png", "hands/now")), "scorekeeper")
    polled |= {f"/live/{house.parts['board_token']}/now": "stranger", "/hand/now": "phone"}
    documents = (f"/api/v1{match}", f"/api/v1{match}?struck=1")
    programs = house.app.test_client()
    before = read(house.app)
    record(house, "Bo")
    lost = revision(house)
    form = {"revision": str(house.browser("scorekeeper").get(f"{match}/now").get_json()["revision"])}
    seen = {path: house.browser(caller).get(path).headers["ETag"] for path, caller in polled.items()}
    seen |= {path: programs.get(path, headers=house.bearer("scorekeeper")).headers["ETag"] for path in documents}
    statistics = programs.get("/api/v1/statistics", headers=house.bearer("scorekeeper")).json
    page = house.browser("scorekeeper").get(match).text

    put_back(house.app, before)
    record(house, "Cy")
    assert revision(house) == lost
    for path, caller in polled.items():
        assert house.browser(caller).get(path, headers={"If-None-Match": seen[path]}).status_code == 200, path
    for path in documents:
        given = house.bearer("scorekeeper") | {"If-None-Match": seen[path]}
        assert programs.get(path, headers=given).status_code == 200, path
        given = house.bearer("scorekeeper") | {"If-Match": seen[path]}
        strike = f"/api/v1{match}/rounds/{house.parts['round_id']}"
        assert programs.delete(strike, headers=given).status_code == 412
    writer = house.browser("scorekeeper")
    assert writer.submit(f"{match}/finish", form).status_code == 412
    assert programs.get("/api/v1/statistics", headers=house.bearer("scorekeeper")).json != statistics
    total = re.compile(r'>Cy</bdi>.*?data-recorded="(\d+)"', re.DOTALL)
    assert total.findall(page)[0] == "0"
    assert total.findall(writer.get(match).text)[0] == "21", "no sheet drawn before the restore"
