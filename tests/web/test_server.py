"""The server built in answers promptly beside a crowd that says nothing or hardly anything, and lets it go in time."""

import http.client
import resource
import socket
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress

import pytest
from flask import Flask, request
from werkzeug.test import EnvironBuilder

from referee.web.commands import serving as ours
from referee.web.commands.serving import FEWEST_CONNECTIONS, SPARE_FILES, connections_within
from tests.conftest import MakeApp
from tests.ground.server import Server, running_server
from tests.web.test_bad_requests import HOSTS

CROWD = 150
PROMPT = ours.IDLE / 2
"""Seconds for an answer, however busy the machine is; a server that is full gives none until idle ones are let go."""
REQUEST = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"


@contextmanager
def connection(to: Server) -> Iterator[socket.socket]:
    port = int(to.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connected:
        yield connected


@pytest.mark.promise("security#idle-connections")
def test_a_crowd_of_idle_and_slow_connections_keeps_nobody_out(server: Server) -> None:
    with ExitStack() as crowd:
        slow = []
        for number in range(2 * CROWD):
            one = crowd.enter_context(connection(server))
            if number % 2:
                one.sendall(REQUEST + b"X-Drop: ")
                slow.append(one)
        for _ in range(5):
            for one in slow:
                one.sendall(b"x")
            with urllib.request.urlopen(server.url + "/healthz", timeout=PROMPT) as answer:
                assert answer.status == 200
        slow[0].sendall(b"\r\n\r\n")
        assert slow[0].recv(100).startswith(b"HTTP/1.1 200"), "who finishes a request is answered"


@pytest.mark.parametrize("said", [b"", REQUEST + b"X-Drop: "], ids=["nothing", "half a request"])
def test_idle_connections_make_room_for_new_ones(app: Flask, said: bytes) -> None:
    app.config["CONNECTIONS"] = 40
    with running_server(app) as server, ExitStack() as crowd:
        kept = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=30)
        crowd.callback(kept.close)
        for _ in range(150):
            crowd.enter_context(connection(server)).sendall(said)
            kept.request("GET", "/healthz")  # a phone that polls keeps its connection
            kept.getresponse().read()
        with urllib.request.urlopen(server.url + "/healthz", timeout=PROMPT) as answer:
            assert answer.status == 200


@pytest.mark.promise("security#idle-connections")
def test_whoever_brings_nothing_or_drops_is_let_go_and_whoever_asks_stays(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, later = time.time, 0
    monkeypatch.setattr(time, "time", lambda: clock() + later)
    with running_server(app) as server, ExitStack() as stack:
        idle, slow, large = (stack.enter_context(connection(server)) for _ in range(3))
        busy = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=30)
        stack.callback(busy.close)
        busy.connect()
        same = busy.sock
        slow.sendall(REQUEST + b"X-Drop: ")
        large.sendall(b"POST /recover HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000\r\n\r\n")
        for _ in range(6):
            later += ours.IDLE // 3
            large.sendall(b"x" * (ours.SLOWEST * ours.IDLE))
            with suppress(ConnectionError):
                slow.sendall(b"x")
            busy.request("GET", "/healthz")
            assert busy.getresponse().read().startswith(b"alive")
        assert busy.sock is same, "it was kept all along"
        for gone in (idle, slow):
            with suppress(ConnectionError):
                assert gone.recv(100) == b""
        large.sendall(b"x" * 20_000)
        assert large.recv(100).startswith(b"HTTP/1.1 400"), "a form without its token, but all of it"


def test_a_body_far_too_large_is_refused_before_it_is_read_but_where_a_club_comes_in(server: Server) -> None:
    with connection(server) as one:
        one.sendall(b"POST /recover HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000000\r\n\r\n")
        assert one.recv(1000).startswith(b"HTTP/1.1 413"), "not a byte of it was sent"
    for path, length, status in (("/recover", 300_000, 413), ("/api/v1/import", 1_200_000, 401)):
        program = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=30)
        program.request("POST", path, b"x" * length, {"Content-Type": "application/json"})
        answer = program.getresponse()
        assert answer.status == status
        assert answer.getheader("X-Request-Id"), "the app refused it, in words"
        answer.close()
        program.close()


@pytest.mark.parametrize(
    ("files", "most", "held"),
    [
        (256, 256, 256 - SPARE_FILES),
        (256, 10_000, 1000),
        (20_000, 20_000, 1000),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, 1000),
        (32, 32, FEWEST_CONNECTIONS),
    ],
)
def test_connections_stay_within_the_files_that_the_system_allows(
    monkeypatch: pytest.MonkeyPatch, files: int, most: int, held: int
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (files, most))
    monkeypatch.setattr(resource, "setrlimit", lambda *_: None)
    assert connections_within(1000) == held


def test_a_connection_stays_open_over_answers_without_a_body(server: Server) -> None:
    asking = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=30)
    with closing(asking):
        asking.request("GET", "/static/css/base.css")
        first = asking.getresponse()
        first.read()
        same = asking.sock
        for _ in range(3):
            asking.request("GET", "/static/css/base.css", headers={"If-None-Match": first.headers["ETag"]})
            answer = asking.getresponse()
            assert (answer.status, answer.read()) == (304, b"")
            assert asking.sock is same
            assert "Content-Security-Policy" not in answer.headers, "the answer it stands for had it"
        asking.request("GET", "/healthz", headers={"Connection": "close"})
        asking.getresponse().read()
        assert asking.sock is None, "who wants it closed gets it closed"


# -- what is believed of X-Forwarded-* ---------------------------------------------------------------------------------


BARE = ("127.0.0.1", "http", "localhost", "")


@pytest.mark.parametrize(
    ("proxies", "headers", "believed"),
    [
        (0, {"For": "192.0.2.1", "Proto": "https", "Host": "evil.example", "Prefix": "/evil"}, BARE),
        (1, {}, BARE),
        (1, {"For": "192.0.2.1", "Proto": "https", "Host": "uno.example"}, ("192.0.2.1", "https", "uno.example", "")),
        (1, {"For": "6.6.6.6, 192.0.2.1", "Proto": "http, https"}, ("192.0.2.1", "https", "localhost", "")),
        (1, {"Host": "evil.example, uno.example"}, ("127.0.0.1", "http", "uno.example", "")),
        (2, {"For": "6.6.6.6, 192.0.2.1, 192.0.2.2"}, ("192.0.2.1", "http", "localhost", "")),
        (2, {"For": "192.0.2.2"}, BARE),
        (1, {"Proto": "javascript"}, BARE),
        (1, {"Prefix": "/evil", "Port": "81"}, BARE),
    ],
)
@pytest.mark.promise("security#forged-headers")
def test_only_so_many_proxies_are_believed_as_there_are(
    make_app: MakeApp, proxies: int, headers: dict[str, str], believed: tuple[str, ...]
) -> None:
    app = make_app(PROXIES=proxies, TRUSTED_HOSTS=["localhost", "uno.example"])
    seen = []

    @app.before_request
    def note() -> None:
        seen.append((request.remote_addr, request.scheme, request.host, request.script_root))

    answer = app.test_client().get("/healthz", headers={f"X-Forwarded-{name}": text for name, text in headers.items()})
    assert answer.status_code == 200
    assert seen == [believed]


def test_what_gunicorn_believes_of_anybody_on_the_machine_is_taken_back(make_app: MakeApp) -> None:
    client = make_app().test_client()
    environ = {"SCRIPT_NAME": "/evil", "PATH_INFO": "/rules", "HTTP_SCRIPT_NAME": "/evil"}
    assert client.get("/", environ_overrides=environ).status_code == 404, "the path is what the client asked for"
    believed = {"gunicorn.socket": object(), "wsgi.url_scheme": "https"}
    assert "Strict-Transport-Security" not in client.get("/rules", environ_overrides=believed).headers


@pytest.mark.promise("security#forged-headers")
def test_no_word_of_a_proxy_breaks_the_app(make_app: MakeApp) -> None:
    """Past the test client, which would stumble over some of these words itself."""
    app = make_app(PROXIES=1)
    app.testing = False
    for word in HOSTS:
        for path in ("/rules", "/api/v1/players", f"/live/{'0' * 26}/now"):
            environ = EnvironBuilder(path).get_environ() | {"HTTP_AUTHORIZATION": "Bearer x"}
            environ |= {f"HTTP_X_FORWARDED_{name}": word for name in ("FOR", "PROTO", "HOST", "PORT")}
            told: list[str] = []
            b"".join(app.wsgi_app(environ, lambda status, *_, told=told: told.append(status)))
            assert int(told[0][:3]) < 500, (word, path)
