"""What hosts look at: whether the app lives, whether it is ready, and its log, which holds no key."""

import io
import json
import logging
import re
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import text

from referee import __version__
from referee.paths import commit
from referee.records.ids import new_token
from referee.web.server.database import db
from referee.web.server.logs import HideTokens
from tests.conftest import MakeApp

pytestmark = pytest.mark.usefixtures("database")


def test_the_app_is_alive_and_ready(app: Flask) -> None:
    for path, said in (("/healthz", f"alive, Referee {__version__}, commit {commit()}"), ("/readyz", "ready")):
        answer = app.test_client().get(path)
        assert (answer.status_code, answer.text.strip()) == (200, said)
        assert answer.headers["Cache-Control"] == "no-store"
        assert "Set-Cookie" not in answer.headers


def test_a_server_whose_database_is_empty_is_alive_but_not_ready(app: Flask) -> None:
    change(app, "DROP TABLE alembic_version")
    assert app.test_client().get("/healthz").status_code == 200
    assert int(app.test_client().get("/readyz", status=503).headers["Retry-After"]) > 0


def test_a_server_stays_ready_while_the_tables_are_brought_up_to_the_next_version(app: Flask) -> None:
    change(app, "UPDATE alembic_version SET version_num = 'next'")
    assert app.test_client().get("/readyz").status_code == 200


def change(app: Flask, statement: str) -> None:
    with app.app_context():
        db.session.execute(text(statement))
        db.session.commit()


def test_an_answer_carries_the_id_of_its_request(app: Flask) -> None:
    client = app.test_client()
    own = client.get("/rules").headers["X-Request-Id"]
    assert len(own) == 16
    assert client.get("/nowhere").headers["X-Request-Id"] not in ("", own)
    given = client.get("/rules", headers={"X-Request-Id": "proxy-0001"})
    assert given.headers["X-Request-Id"] == "proxy-0001"


@pytest.mark.parametrize("forged", ["a b c d e f g h", "short", "x" * 65, '"},{"forged": "1'])
@pytest.mark.promise("security#forged-log")
def test_an_id_that_could_forge_the_log_is_not_taken_over(app: Flask, forged: str) -> None:
    assert app.test_client().get("/rules", headers={"X-Request-Id": forged}).headers["X-Request-Id"] != forged


@pytest.fixture
def written(make_app: MakeApp) -> Iterator[tuple[Flask, io.StringIO]]:
    """An app with a log in JSON, and what it wrote."""
    logger = logging.getLogger("referee")
    before = (logger.handlers, logger.propagate, logger.level)
    app = make_app(JSON_LOGS=True, TESTING=False)
    stream = io.StringIO()
    handler = logger.handlers[0]
    assert isinstance(handler, logging.StreamHandler)
    handler.setStream(stream)
    yield app, stream
    logger.handlers, logger.propagate, logger.level = before


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_each_request_is_one_line_of_json(written: tuple[Flask, io.StringIO]) -> None:
    app, stream = written
    answer = app.test_client().get("/rules?q=reverse")
    (line,) = lines(stream)
    assert line["request_id"] == answer.headers["X-Request-Id"]
    assert (line["method"], line["route"], line["status"]) == ("GET", "/rules", 200)
    assert line["milliseconds"] >= 0
    assert line["time"].endswith("+00:00")


def test_so_is_a_board_that_nothing_changed(written: tuple[Flask, io.StringIO]) -> None:
    app, stream = written
    client = app.test_client()
    keys = client.post("/api/v1/clubs", json={"name": "Sunday table"}).get_json()
    now = f"/live/{keys['spectator_key']}/now"
    answer = client.get(now, headers={"If-None-Match": client.get(now).headers["ETag"]})
    line = lines(stream)[-1]
    assert line["request_id"] == answer.headers["X-Request-Id"]
    assert (line["method"], line["route"], line["status"]) == ("GET", "/live/<board_token>/now", 304)
    assert keys["spectator_key"] not in stream.getvalue()


@pytest.mark.parametrize("path", ["/join/{}", "/live/{}", "/live/{}/now", "/hand/{}", "/nowhere/{}", "/rules?q={}"])
@pytest.mark.promise("security#keys-in-logs")
def test_no_key_stands_in_the_log(written: tuple[Flask, io.StringIO], path: str) -> None:
    app, stream = written
    token = new_token()
    app.test_client().get(path.format(token), headers={"Authorization": f"Bearer {token}", "X-Request-Id": token})
    assert lines(stream)
    assert token not in stream.getvalue()


@pytest.mark.promise("security#keys-in-logs")
def test_no_key_stands_in_the_log_of_a_mistake_of_ours(written: tuple[Flask, io.StringIO]) -> None:
    app, stream = written
    token = new_token()

    def fail(**_parts: str) -> str:
        raise RuntimeError(f"something about {token}")

    app.view_functions["club.join"] = fail
    app.config["PROPAGATE_EXCEPTIONS"] = False
    answer = app.test_client().get(f"/join/{token}", status=500)
    mistake = next(line for line in lines(stream) if line["level"] == "error")
    assert "RuntimeError" in mistake["exception"]
    assert mistake["request_id"] == answer.headers["X-Request-Id"]
    assert token not in stream.getvalue()


@pytest.mark.promise("deleting#no-names-in-logs")
def test_no_name_stands_in_the_log(written: tuple[Flask, io.StringIO]) -> None:
    app, stream = written
    client = app.test_client()
    key = client.post("/api/v1/clubs", json={"name": "Fernsworthy table"}).get_json()["scorekeeper_key"]
    headers = {"Authorization": f"Bearer {key}"}
    plan = {"players": ["Quillonbert", "Bo"], "rulebook": "classic-500", "note": "Quillonbert brought cake"}
    match = client.post("/api/v1/matches", json=plan, headers=headers).get_json()["id"]
    for entry in ({"after": 0, "went_out": "Quillonbert", "hands": {"Bo": ["7"]}}, {"went_out": "Quillonbert"}):
        client.post(f"/api/v1/matches/{match}/rounds", json=entry, headers=headers)
    client.get("/api/v1/players/Quillonbert", headers=headers)

    def fail(**_parts: str) -> str:
        db.session.execute(text("SELECT no_such_column FROM players WHERE name = :name"), {"name": plan["note"]})
        raise AssertionError("the database knows no such column")

    app.view_functions["club.join"] = fail
    app.config["PROPAGATE_EXCEPTIONS"] = False
    client.get(f"/join/{key}")
    assert "no_such_column" in stream.getvalue()
    assert not re.search("Quillonbert|Fernsworthy", stream.getvalue())


def test_plain_logs_lose_keys_too() -> None:
    token = new_token()
    record = logging.LogRecord("referee", logging.ERROR, __file__, 1, "Exception on /join/%s", (token.upper(),), None)
    assert HideTokens().filter(record)
    assert record.getMessage() == "Exception on /join/[key]"
