"""What every endpoint promises alike: who may call it, and what it says to a bad request."""

import re

import pytest

from referee.web.api.endpoint import Endpoint
from referee.web.api.interface import RESOURCES
from tests.ground.client import browser_of
from tests.web.api.conftest import ClubOfCast

ENDPOINTS = [endpoint for resource in RESOURCES for endpoint in resource.endpoints]
NO_ID = "0000000000000000"


def address(endpoint: Endpoint, thing: str = NO_ID) -> str:
    """Fill an address with an id."""
    return re.sub(r"<[^>]+>", thing, endpoint.path)


GUARDED = [endpoint for endpoint in ENDPOINTS if endpoint.access != "anyone"]
WITH_BODY = [endpoint for endpoint in ENDPOINTS if endpoint.body is not None]
WITH_ID = [endpoint for endpoint in GUARDED if "<" in endpoint.path and endpoint.body is None]


def test_a_stranger_is_told_that_a_key_is_needed(club: ClubOfCast) -> None:
    for endpoint in GUARDED:
        answer = club.stranger(endpoint.method, address(endpoint), {} if endpoint.body else None, status=401)
        assert answer.headers["WWW-Authenticate"].startswith("Bearer"), endpoint.path
        assert answer.mimetype == "application/problem+json", endpoint.path


@pytest.mark.parametrize("thing", [NO_ID, "no-such-thing", "x" * 300, "%00"], ids=["unknown", "no id", "long", "NUL"])
def test_what_is_not_there_is_not_found(club: ClubOfCast, thing: str) -> None:
    for endpoint in WITH_ID:
        answer = club.write(endpoint.method, address(endpoint, thing), status=404)
        assert answer.mimetype == "application/problem+json", endpoint.path


def test_a_wrong_method_says_which_are_right(club: ClubOfCast) -> None:
    for endpoint in ENDPOINTS:
        answer = club.write("TRACE", address(endpoint), status=405)
        assert endpoint.method in answer.headers["Allow"]
        assert endpoint.method in answer.get_json()["detail"]


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"", "application/json", 400),
        (b"{", "application/json", 400),
        (b'{"name": NaN}', "application/json", 400),
        (b'{"name": "\xff"}', "application/json", 400),
        (b"[" * 60_000, "application/json", 400),
        (b"[]", "application/json", 422),
        (b'"text"', "application/json", 422),
        (b"null", "application/json", 422),
        (b'{"name": "a", "name": "b"}', "application/json", 422),
        (b'{"after": ' + b"9" * 5000 + b"}", "application/json", 422),
        (b'{"nobody_knows_this": 1}', "application/json", 422),
        (b"name=Ada", "application/x-www-form-urlencoded", 415),
        (b"{}", "", 415),
        (b"{" + b" " * 10_000_000 + b"}", "application/json", 413),
    ],
    ids=[
        "empty", "cut off", "NaN", "not UTF-8", "endlessly deep", "a list", "a text", "null", "a key twice",
        "5,000 digits", "unknown field", "a form", "no type", "10 MB",
    ],
)  # fmt: skip
def test_a_body_that_cannot_be_read_is_refused_everywhere(
    club: ClubOfCast, body: bytes, kind: str, status: int
) -> None:
    for endpoint in WITH_BODY:
        if not body and not endpoint.body_required:
            continue
        answer = club.write(endpoint.method, address(endpoint), data=body, content_type=kind)
        assert answer.status_code == status, (endpoint.path, answer.get_json())
        assert answer.mimetype == "application/problem+json", endpoint.path
        assert answer.get_json()["errors"] or status != 422, endpoint.path


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b'{"name": ', 400, "Ab Zeichen 10 ist das kein gültiges JSON."),
        (b'{"name": "\xff"}', 400, "Ab Zeichen 11 ist das kein gültiges JSON."),
        (b'{"name": "Ada", "nick": "A"}', 422, "Dieses Feld gibt es nicht. Das Feld ist name."),
    ],
)
def test_a_bad_body_is_told_in_the_readers_language_alone(
    club: ClubOfCast, body: bytes, status: int, said: str
) -> None:
    answer = club.write(
        "POST", "/players?lang=de", data=body, content_type="application/json", status=status
    ).get_json()
    assert said in str(answer)


@pytest.mark.promise("security#forged-request")
def test_a_cookie_without_its_token_changes_nothing(club: ClubOfCast) -> None:
    browser = browser_of(club.write.app, club.write.key or "")
    assert browser.get("/api/v1/players").status_code == 200
    assert browser.post("/api/v1/players", json={"name": "Ada"}).status_code == 400
    assert club.read("GET", "/players").json == {"players": []}


def test_a_bearer_key_goes_before_the_cookie(club: ClubOfCast) -> None:
    browser = browser_of(club.write.app, club.write.key or "")
    headers = {"Authorization": f"Bearer {club.read.key}"}
    assert browser.post("/api/v1/players", json={"name": "Ada"}, headers=headers).status_code == 403
    assert browser.get("/api/v1/players", headers={"Authorization": "Bearer wrong"}).status_code == 401
    assert browser.get("/api/v1/players", headers={"Authorization": "Basic QTpC"}).status_code == 401
