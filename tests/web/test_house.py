"""The house answers: errors, headers, compression, hosts, proxies, CSRF."""

import gzip
import time
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask, abort
from flask.testing import FlaskClient
from sqlalchemy.exc import OperationalError

from referee.records.errors import Conflict, Gone, NotFound, Stale
from referee.rules.text.problem import Impossible, Problem
from referee.web.server import static_files
from referee.web.server.headers import BESIDE_A_PAGE, HEADERS
from referee.web.server.sessions import WEEK
from tests.conftest import MakeApp, app_on, close
from tests.ground.client import Client, browser_of

RAISED: dict[str, tuple[Exception, int]] = {
    "impossible": (Impossible([Problem("hands.Bo", "Bo cannot hold 200 cards.")]), 422),
    "not-found": (NotFound("match"), 404),
    "conflict": (Conflict("Round 7 is there already."), 409),
    "gone": (Gone("Used before."), 410),
    "stale": (Stale("The sheet has changed."), 412),
    "locked": (OperationalError("INSERT", {}, Exception("database is locked")), 503),
}


@pytest.fixture(scope="module")
def broken(shared_app: Flask, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    """An app with addresses that go wrong: /api/v1/broken/<kind>, /broken/<kind>, /status/<code>."""
    app = app_on(shared_app.config["SQLALCHEMY_DATABASE_URI"], tmp_path_factory.mktemp("broken"))

    def fail(kind: str) -> str:
        raise RAISED[kind][0]

    app.add_url_rule("/api/v1/broken/<kind>", "broken_api", fail)
    app.add_url_rule("/broken/<kind>", "broken_page", fail)
    app.add_url_rule("/status/<int:code>", "status", lambda code: abort(code))
    app.add_url_rule("/post", "post", lambda: "posted", methods=["POST"])
    app.add_url_rule("/api/v1/post", "api_post", lambda: {"posted": True}, methods=["POST"])
    app.add_url_rule("/names/<name>", "names", lambda name: name)
    app.add_url_rule("/long", "long", lambda: "Ada, Bo, Cy and Di. " * 200)
    yield app
    close(app)


@pytest.mark.parametrize("kind", RAISED)
def test_what_the_layers_below_raise_becomes_a_problem_for_programs(broken: Flask, kind: str) -> None:
    answer = broken.test_client().get(f"/api/v1/broken/{kind}")
    document = answer.get_json()
    assert answer.mimetype == "application/problem+json"
    assert answer.status_code == document["status"] == RAISED[kind][1]
    assert document["title"]
    assert document["detail"]
    assert isinstance(document["errors"], list)


@pytest.mark.parametrize("kind", RAISED)
def test_and_a_page_for_people(broken: Flask, kind: str) -> None:
    answer = broken.test_client().get(f"/broken/{kind}", headers={"Accept": "text/html,*/*;q=0.8"})
    assert (answer.status_code, answer.mimetype) == (RAISED[kind][1], "text/html")
    assert "<h1>" in answer.text


def test_a_problem_names_its_field(broken: Flask) -> None:
    document = broken.test_client().get("/api/v1/broken/impossible").get_json()
    assert document["errors"] == [{"field": "hands.Bo", "message": "Bo cannot hold 200 cards."}]


def test_a_script_of_a_page_may_ask_for_json(broken: Flask) -> None:
    answer = broken.test_client().get("/broken/conflict", headers={"Accept": "application/json"})
    assert answer.get_json()["detail"] == "Round 7 is there already."


def test_a_database_that_is_away_asks_to_come_back(broken: Flask) -> None:
    answer = broken.test_client().get("/broken/locked")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert "locked" not in answer.text.replace("/broken/locked", ""), "what the database said is for the log"


@pytest.mark.parametrize("code", [400, 401, 403, 404, 405, 408, 409, 410, 413, 415, 422, 428, 429, 431, 500, 503])
def test_every_status_has_words(broken: Flask, code: int) -> None:
    answer = broken.test_client().get(f"/status/{code}")
    assert answer.status_code == code
    assert "<h1></h1>" not in answer.text


@pytest.mark.parametrize("accept", ["", "text/html", "*/*", "application/json;q=0", "a/b", ";;;", "x" * 5000])
def test_any_accept_header_is_answered(client: Client, accept: str) -> None:
    assert client.get("/nowhere", headers={"Accept": accept}).status_code == 404


@pytest.mark.parametrize("name", ["%00", "a%00b", "%ED%A0%80", "%ff%fe", "..%2f..%2fetc", "%F0%9F%83%8F", "a" * 1900])
@pytest.mark.promise("security#malformed-requests")
def test_no_address_breaks_the_server(broken: Flask, name: str) -> None:
    assert broken.test_client().get(f"/names/{name}").status_code in (200, 404)


@pytest.mark.parametrize("path", ["/nowhere", "/api/v1/nowhere", "/names/Ada", "/status/500"])
@pytest.mark.promise("security#framing")
def test_every_answer_keeps_to_itself(broken: Flask, path: str) -> None:
    headers = broken.test_client().get(path).headers
    assert {name: headers.get(name) for name in HEADERS} == HEADERS
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert "no-store" in headers["Cache-Control"] or "private" in headers["Cache-Control"]


def test_a_style_is_sent_without_what_only_a_page_heeds(client: Client) -> None:
    style = client.get("/static/css/base.css")
    assert {name: style.headers.get(name) for name in HEADERS} == dict.fromkeys(HEADERS) | BESIDE_A_PAGE
    assert "Content-Language" not in style.headers
    for page in ("/static/img/icon.svg", "/static/nowhere.css", "/service-worker.js"):
        assert HEADERS.items() <= dict(client.get(page).headers).items(), page


MODES = ("cors", "same-origin", "no-cors", "navigate")
"""How a browser says that it asks: the last for a page that is opened."""


@pytest.mark.parametrize(("scheme", "secure"), [("http", False), ("https", True)])
@pytest.mark.promise("security#cookies-on-the-line")
def test_secure_is_said_only_where_it_is(client: Client, scheme: str, secure: bool) -> None:
    answer = client.get("/nowhere", base_url=f"{scheme}://localhost")
    cookie = answer.headers["Set-Cookie"]
    assert ("Secure" in cookie, "Strict-Transport-Security" in answer.headers) == (secure, secure)
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Expires" in cookie, "a key must outlive the browser"


def test_the_cookie_is_written_when_it_changes_and_given_a_new_date_once_a_week(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monday = (time.time() // WEEK + 1) * WEEK
    written = []
    for days in (0, 0, 0, 6, 7, 7, 13):
        monkeypatch.setattr("time.time", lambda days=days: monday + days * 24 * 3600)
        written.append("Set-Cookie" in client.get("/").headers)
    assert written == [True, False, False, False, True, False, False]


def test_what_is_fetched_beside_a_page_never_writes_the_cookie(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    client.get("/")
    later = time.time() + 3 * WEEK
    monkeypatch.setattr("time.time", lambda: later)
    written = ["Set-Cookie" in client.get("/", headers={"Sec-Fetch-Mode": mode}).headers for mode in MODES]
    assert written == [False, False, False, True], "an answer that comes late would undo a key just accepted"


@pytest.mark.promise("security#forged-headers")
def test_a_foreign_host_is_refused_where_hosts_are_named(make_app: MakeApp) -> None:
    client = make_app(TRUSTED_HOSTS=["localhost", ".uno.example"]).test_client()
    for host in ("evil.example", "a b", "localhost:x", "[", "", "localhost.evil.example"):
        assert client.get("/nowhere", headers={"Host": host}).status_code == 400, host
    assert client.get("/nowhere", headers={"Host": "club.uno.example"}).status_code == 404


@pytest.mark.parametrize("host", ["a b", "<script>", "[", "a/b", "%00"])
def test_a_malformed_host_is_refused_always(client: Client, host: str) -> None:
    answer = client.get("/nowhere", headers={"Host": host})
    assert (answer.status_code, answer.mimetype) == (400, "text/plain")


def test_text_is_compressed_for_who_takes_it(broken: Flask) -> None:
    client = broken.test_client()
    plain = client.get("/long")
    packed = client.get("/long", headers={"Accept-Encoding": "gzip, br"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert len(packed.data) < len(plain.data) / 10
    assert "Content-Encoding" not in client.get("/long", headers={"Accept-Encoding": "gzip;q=0"}).headers
    for answer in (plain, packed):
        assert "Accept-Encoding" in answer.headers["Vary"]


def test_a_static_file_has_an_address_of_its_content_and_is_kept(app: Flask, client: Client) -> None:
    with app.test_request_context():
        address = static_files.address_of("css/base.css")
    answer = client.get(address)
    assert answer.cache_control.immutable
    assert answer.cache_control.max_age == 365 * 24 * 3600
    assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("old", ["/static/css/base.css", "/static/0123456789ab/css/base.css"])
def test_an_old_address_of_a_static_file_still_works_but_is_not_kept(client: Client, old: str) -> None:
    answer = client.get(old, status=200)
    assert answer.cache_control.no_cache
    assert not answer.cache_control.immutable


@pytest.mark.parametrize("path", ["..%2f..%2fpyproject.toml", "../pyproject.toml", "css", "%00", "css/none.css"])
def test_nothing_but_static_files_is_served_there(client: Client, path: str) -> None:
    assert client.get(f"/static/{path}").status_code == 404


def _post(client: FlaskClient, path: str, **options: Any) -> int:
    return client.post(path, **options).status_code


def test_a_form_without_its_token_is_refused_in_clear_words(broken: Flask) -> None:
    assert "reload the page" in broken.test_client().post("/post", status=400).text


def test_a_form_with_its_token_is_taken(broken: Flask) -> None:
    client = browser_of(broken)
    assert client.submit("/post", {}, page="/nowhere").status_code == 200
    assert _post(client, "/post", headers={"X-CSRFToken": client.token("/nowhere")}) == 200
    assert _post(client, "/post", headers={"X-CSRFToken": "made up"}) == 400


def test_the_json_interface_asks_for_a_token_only_where_a_cookie_rides_along(broken: Flask) -> None:
    client = browser_of(broken)
    assert _post(client, "/api/v1/post") == 200, "neither key nor cookie"
    token = client.token("/nowhere")  # brings the cookie
    assert _post(client, "/api/v1/post") == 400
    assert _post(client, "/api/v1/post", headers={"X-CSRFToken": token}) == 200
    assert _post(client, "/api/v1/post", headers={"Authorization": "Bearer abc"}) == 200
    assert _post(client, "/api/v1/post", headers={"Authorization": "Basic YWRhOmJv"}) == 400, "a browser sends these"
