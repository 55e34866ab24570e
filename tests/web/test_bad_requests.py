"""Nothing that a person or program can send is answered with a 500: every route, with every kind of rubbish."""

import json
import re
from typing import Any

import pytest
from flask import Flask
from werkzeug.datastructures import Headers
from werkzeug.routing import Rule
from werkzeug.test import EnvironBuilder

from tests.fuzz.evening import Evening, begin
from tests.ground.client import Client

METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE")
READING = {"GET", "HEAD", "OPTIONS"}
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
    "Idempotency-Key": "\x7f" * 300, "If-Match": '"', "If-None-Match": "W/", "Range": "bytes=9-1", "X-Fragment": "1",
    "Accept-Encoding": "gzip;q=x", "Cookie": "theme=\x01; session=.eJ.x; keys",
}  # fmt: skip
FOR_READERS = ("a wrong length", "too much", "another type")
"""Bodies that routes get, too, that only read; what else stands in a body they never look at."""
VALUES = ("0" * 16, "%00", "%F0%9F%83%8F", "x" * 300)
QUERY = "?before=%00&q=%ff&year=-1&player=%ED%A0%80&limit=99999999999999999999&rulebook=%00&struck=x&status=&last=1e9"


def address(rule: Rule, ids: dict[str, str] | None = None, value: str = "0" * 16) -> str:
    """Fill the parts of a route with the ids of things that exist, else with a value."""
    return re.sub(r"<(?:.*?:)?(\w+)>", lambda part: (ids or {}).get(part[1], value), rule.rule) + QUERY


@pytest.fixture
def keeper(app: Flask) -> Evening:
    """A scorekeeper, in the middle of a match of four."""
    return begin(app)


def ids_of(keeper: Evening) -> dict[str, str]:
    """Return the ids of the match that is going on, and of its rulebook."""
    ids = {"match_id": keeper.match_id, "round_id": keeper.round_id, "player_id": keeper.player_id}
    return ids | {"rulebook_id": "classic-500", "rulebook": "classic-500"}


def riding(keeper: Evening, path: str, csrf: str) -> dict[str, str]:
    """Give the headers that let a request through to the view."""
    return keeper.bearer if path.startswith("/api/") else {"X-CSRFToken": csrf}


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.promise("security#malformed-requests")
def test_no_body_breaks_a_route(app: Flask, keeper: Evening, body: str) -> None:
    csrf = keeper.client.token()
    options = dict(BODIES[body])
    sent = options.pop("headers", {})
    broken = []
    for rule in app.url_map.iter_rules():
        where = address(rule, ids_of(keeper))
        for method in sorted((rule.methods or set()) - READING) or ["GET"] * (body in FOR_READERS):
            answer = keeper.client.open(where, method=method, headers=riding(keeper, where, csrf) | sent, **options)
            if answer.status_code >= 500:
                broken.append(f"{method} {where}: {answer.status}")
    assert broken == []


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("method", METHODS)
def test_no_method_and_no_id_breaks_a_route(app: Flask, keeper: Evening, method: str, value: str) -> None:
    stranger = app.test_client()
    for rule in app.url_map.iter_rules():
        if value != VALUES[0] and ("<" not in rule.rule or method not in (rule.methods or ())):
            continue  # it would be the same request again, or no view's affair
        where = address(rule, value=value)
        answer = stranger.open(where, method=method, headers=keeper.bearer)
        assert answer.status_code < 500, where


@pytest.mark.parametrize("name", HEADERS)
@pytest.mark.promise("security#malformed-requests")
def test_no_header_breaks_a_route(app: Flask, keeper: Evening, name: str) -> None:
    stranger = app.test_client()
    for rule in app.url_map.iter_rules():
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            headers = keeper.bearer | {name: HEADERS[name]}
            where = address(rule, ids_of(keeper))
            assert stranger.open(where, method=method, headers=headers).status_code < 500, f"{method} {where}"


WRONG_KEYS = ("Bearer", "Bearer ", "Bearer \x7f", "Bearer " + "x" * 10_000, "Basic", "Basic ==", "é")


@pytest.mark.parametrize("given", WRONG_KEYS)
def test_no_key_breaks_the_guard(client: Client, given: str) -> None:
    assert client.get("/api/v1/players", headers={"Authorization": given}).status_code == 401


HOSTS = (
    *("", ".", "..", "a..b", "-", ":", "a:x", "a:0", "a:99999", "[", "[::1", "[::1]", "[::1]:8000", "[fe80::1%25eth0]"),
    *("x" * 64 + ".example", "x" * 5000, "é.example", "xn--a", "xn--zz--", "a b", "a/b", "a@b", "%00", "a\x7fb"),
    *("localhost\\", "1.2.3.4.5", "\xff\xfe", '"><script>', "{{7*7}}"),
)


@pytest.mark.promise("security#malformed-requests")
def test_no_host_breaks_a_route(app: Flask, keeper: Evening) -> None:
    """Past the test client, which would stumble over some of these names itself."""
    app.testing = False
    csrf = keeper.client.token()
    cookie = keeper.client.get_cookie("session")
    assert cookie is not None
    broken = []
    for rule in app.url_map.iter_rules():
        path = address(rule, ids_of(keeper)).partition("?")[0]
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            for host in HOSTS if rule.rule in EVERY_HOST else REFUSED_AND_TAKEN:
                headers = Headers(riding(keeper, path, csrf) | {"Cookie": f"session={cookie.value}"})
                environ = EnvironBuilder(path, method=method, headers=headers).get_environ() | {"HTTP_HOST": host}
                statuses: list[str] = []
                b"".join(app.wsgi_app(environ, lambda status, *_, told=statuses: told.append(status)))
                if int(statuses[0][:3]) >= 500:
                    broken.append(f"{method} {path} at {host[:80]!r}: {statuses[0]}")
    assert broken == []


EVERY_HOST = ("/", "/join/<token>", "/matches/new", "/api/v1/players", "/live/<board_token>/now")
REFUSED_AND_TAKEN = ("a..b", "xn--a")


def test_a_wrong_host_and_all_else_wrong_too_is_refused_in_words(app: Flask) -> None:
    app.testing = False
    bodies: list[dict[str, Any]] = [{"data": b"{}", "content_type": JSON}, {"data": b"name=x", "content_type": FORM}]
    for body in ({}, *bodies):
        for length in ({}, {"Content-Length": str(10**9)}):
            for path in ("/join/x", "/api/v1/clubs", "/nowhere"):
                answer = app.test_client().post(path, headers={"Host": "a..b", **length}, **body)
                assert 400 <= answer.status_code < 500, (path, body, length)
                assert answer.text
