"""Counters for a monitor: off by default; by route, never by address; nothing that strangers could fill up."""

import pytest
from flask import Flask
from prometheus_client.parser import text_string_to_metric_families

from referee.records.ids import new_token
from tests.conftest import MakeApp

pytestmark = pytest.mark.usefixtures("database")


def counted(app: Flask) -> dict[tuple[str, ...], int]:
    """Read the counters of requests: method, route, status to how many."""
    answer = app.test_client().get("/metrics", status=200)
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert "Set-Cookie" not in answer.headers
    (family,) = [one for one in text_string_to_metric_families(answer.text) if one.name == "referee_requests"]
    assert {one.name for one in family.samples} <= {"referee_requests_total"}
    return {tuple(one.labels[name] for name in ("method", "route", "status")): int(one.value) for one in family.samples}


def test_without_the_setting_there_is_no_such_address(app: Flask) -> None:
    assert app.test_client().get("/metrics").status_code == 404


def test_requests_are_counted_by_route_and_status(make_app: MakeApp) -> None:
    app = make_app(METRICS=True)
    client = app.test_client()
    for _ in range(3):
        client.get("/healthz")
    client.get("/rules/classic-500")
    client.get("/rules/no-such-rules")
    found = counted(app)
    assert found["GET", "/healthz", "200"] == 3
    assert found["GET", "/rules/<rulebook_id>", "200"] == 1
    assert found["GET", "/rules/<rulebook_id>", "404"] == 1
    assert counted(app)["GET", "/metrics", "200"] == 1


def test_boards_that_nothing_changed_are_counted_too(make_app: MakeApp) -> None:
    app = make_app(METRICS=True)
    client = app.test_client()
    keys = client.post("/api/v1/clubs", json={"name": "Sunday table"}).get_json()
    now = f"/live/{keys['spectator_key']}/now"
    etag = client.get(now).headers["ETag"]
    assert client.get(now, headers={"If-None-Match": etag}).status_code == 304
    found = counted(app)
    assert found["GET", "/live/<board_token>/now", "200"] == 1
    assert found["GET", "/live/<board_token>/now", "304"] == 1


def test_no_key_stands_in_the_counters_and_nobody_can_make_them_grow(make_app: MakeApp) -> None:
    app = make_app(METRICS=True)
    client = app.test_client()
    token = new_token()
    client.get(f"/join/{token}")
    for number in range(20):
        client.get(f"/nowhere/{number}")
        client.open("/healthz", method=f"BREW{number}")
    assert token not in app.test_client().get("/metrics").text
    found = counted(app)
    assert found["any", "none", "404"] == 20
    assert len(found) <= 5, found
