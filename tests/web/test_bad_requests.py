"""Nothing that a person or program can send is answered with a 500: every route, with every kind of rubbish."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask import Flask
from werkzeug.routing import Rule

from referee.records import access
from referee.web.extensions import db
from tests.ground.client import Client

METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE")
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
BODIES: dict[str, dict[str, Any]] = {
    "nothing": {},
    "no JSON": {"data": b"{", "content_type": JSON},
    "half a character": {"data": b'{"name": "\xff\xfe"}', "content_type": JSON},
    "a lone surrogate": {"data": b'{"name": "\\ud800", "players": ["\\udfff", "Bo"]}', "content_type": JSON},
    "a NUL": {
        "data": b'{"name": "a\\u0000b", "players": ["a\\u0000b", "Bo"], "rulebook": "\\u0000"}',
        "content_type": JSON,
    },
    "a list": {"data": b"[]", "content_type": JSON},
    "null": {"data": b"null", "content_type": JSON},
    "a huge number": {"data": b'{"after": 1e999, "target": 9' + b"9" * 400 + b"}", "content_type": JSON},
    "not a number": {"data": b'{"after": NaN, "target": Infinity}', "content_type": JSON},
    "very deep": {"data": b'{"hands": ' + b"[" * 20_000 + b"]" * 20_000 + b"}", "content_type": JSON},
    "the same key twice": {"data": b'{"name": "Ada", "name": []}', "content_type": JSON},
    "wrong types": {
        "data": json.dumps({name: {"a": [1]} for name in ("name", "players", "rulebook", "after", "hands", "role")}),
        "content_type": JSON,
    },
    "another type": {"data": b"<xml/>", "content_type": "text/xml"},
    "a type that is none": {"data": b"x", "content_type": "\x7f/;;=="},
    "a wrong length": {"data": b"x", "headers": {"Content-Length": "-1"}},
    "a form of rubbish": {"data": b"name=%00&player=%ff&after=x&hand-=%F0&=&&&", "content_type": FORM},
    "many fields": {"data": b"&".join(b"a%d=1" % number for number in range(2000)), "content_type": FORM},
    "a broken upload": {"data": b"--x\r\nbroken", "content_type": "multipart/form-data; boundary=x"},
    "an upload without a boundary": {"data": b"--x", "content_type": "multipart/form-data"},
    "too much": {"data": b"x" * 10_000_000, "content_type": JSON},
}
HEADERS = {
    "Idempotency-Key": "\x7f" * 300,
    "If-Match": '"',
    "If-None-Match": "W/",
    "Range": "bytes=9-1",
    "X-Fragment": "1",
    "Accept-Encoding": "gzip;q=x",
    "Cookie": "theme=\x01; session=.eJ.x; keys",
}
VALUES = ("0" * 16, "%00", "%F0%9F%83%8F", "x" * 300)
QUERY = "?before=%00&q=%ff&year=-1&player=%ED%A0%80&limit=99999999999999999999&rulebook=%00&struck=x&status=&last=1e9"


def addresses(rule: Rule) -> list[str]:
    """Fill the parts of a route with ids that are none."""
    parts = rule.rule.replace("<path:", "<").split("<")
    return [value.join([parts[0], *(part.partition(">")[2] for part in parts[1:])]) + QUERY for value in VALUES]


@pytest.fixture
def keeper(app: Flask) -> tuple[Client, str]:
    """A client that holds a scorekeeper's cookie, and its bearer key."""
    with app.app_context():
        founded = access.create_club(db.session(), "Tuesday")
        link = access.invite(db.session(), founded.club, "scorekeeper")
        db.session.commit()
        token = founded.scorekeeper_token
    client = app.test_client()
    assert isinstance(client, Client)
    assert client.submit(f"/join/{link}", {"name": "Ada"}).status_code == 303
    return client, token


@pytest.mark.parametrize("body", BODIES)
def test_no_route_breaks(app: Flask, keeper: tuple[Client, str], body: str) -> None:
    client, token = keeper
    csrf = client.token()
    options = dict(BODIES[body])
    sent = options.pop("headers", {})
    broken = []
    for rule in app.url_map.iter_rules():
        for address in addresses(rule):
            for method in METHODS if address.startswith(rule.rule.split("<")[0]) else ():
                api = address.startswith("/api/")
                riding = {"Authorization": f"Bearer {token}"} if api else {"X-CSRFToken": csrf}
                answer = client.open(address, method=method, headers=riding | sent, **options)
                if answer.status_code >= 500:
                    broken.append(f"{method} {address}: {answer.status}")
    assert broken == []


@pytest.mark.parametrize("name", HEADERS)
def test_no_header_breaks_a_route(app: Flask, keeper: tuple[Client, str], name: str) -> None:
    _client, token = keeper
    stranger = app.test_client()
    for rule in app.url_map.iter_rules():
        for method in ("GET", "POST", "PUT", "DELETE"):
            headers = {"Authorization": f"Bearer {token}", name: HEADERS[name]}
            address = addresses(rule)[0]
            assert stranger.open(address, method=method, headers=headers).status_code < 500, f"{method} {address}"


@pytest.mark.parametrize("given", ["Bearer", "Bearer ", "Bearer \x7f", "Bearer " + "x" * 10_000, "Basic", "Basic ==", "é"])
def test_no_key_breaks_the_guard(client: Client, given: str) -> None:
    assert client.get("/api/v1/players", headers={"Authorization": given}).status_code == 401
