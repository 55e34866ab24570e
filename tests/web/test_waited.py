"""What waited on a phone: counted once, and held against what its writer had seen of just that."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select

from referee.records.models import Round
from referee.web.server.database import db
from tests.ground.client import Client
from tests.web.test_ahead import record, start

pytestmark = pytest.mark.usefixtures("database")

SCRIPT = {"X-Fragment": "1"}


def test_a_strike_that_waited_counts_once_and_sees_who_changed_the_round(app: Flask) -> None:
    phone = Client(app)
    match = start(phone)
    record(app, phone, match)
    with app.test_request_context():
        here = f"/matches/{match}/rounds/{db.session.scalars(select(Round.id)).one()}"

    def turn(to: str, version: int, key: str) -> int:
        return phone.submit(f"{here}/{to}", {"version": version, "idempotency_key": key}, headers=SCRIPT).status_code

    def versions() -> int:
        with app.test_request_context():
            return db.session.scalars(select(Round.version)).one()

    assert turn("strike", 1, "one") == 200
    assert turn("strike", 1, "one") == 200  # its answer was lost
    assert turn("strike", 1, "of another phone") == 200  # which struck it too
    assert versions() == 2
    assert turn("restore", 1, "late") == 412
    assert turn("restore", 2, "two") == 200
    assert turn("strike", 1, "one") == 200  # and it stays restored
    assert versions() == 3


def test_an_end_that_waited_counts_once_and_sees_other_rounds(app: Flask) -> None:
    phone = Client(app)
    match = start(phone)
    record(app, phone, match)

    def turn(to: str, **fields: Any) -> int:
        return phone.submit(f"/matches/{match}/{to}", fields, headers=SCRIPT).status_code

    assert turn("finish", after=0, idempotency_key="early") == 412
    assert turn("finish", after=1, idempotency_key="end") == 200
    assert turn("reopen", after=1, idempotency_key="on") == 200
    assert turn("finish", after=1, idempotency_key="end") == 200  # the same tap: the match goes on
    assert "Record round 2" in phone.get(f"/matches/{match}").text


def test_a_rematch_that_waited_begins_once_and_says_who_sits_there(app: Flask) -> None:
    phone = Client(app)
    match = start(phone)
    record(app, phone, match)
    begun = [
        phone.submit(f"/matches/{match}/rematch", {"idempotency_key": "again"}, headers=SCRIPT).get_json()["begun"]
        for _ in range(2)
    ]
    assert begun[0] == begun[1]
    assert begun[0]["match"] != match
    assert len(begun[0]["seats"]) == 2
    assert phone.submit(f"/matches/{begun[0]['match']}/finish", {}).status_code == 303
    again = phone.submit(f"/matches/{match}/rematch", {"idempotency_key": "again"}, headers=SCRIPT)
    assert again.get_json()["begun"] == begun[0]  # also once it is over
