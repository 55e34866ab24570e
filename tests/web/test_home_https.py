"""HTTPS at home: its authority vouches for homes only, and the app learns by which phone and scheme a request came."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from flask import Flask

from referee.web.home_https.authority import HomeAuthority
from referee.web.home_https.serving import https_server, vouched
from tests.ground.house import House
from tests.ground.server import running_server


def trusting(authority: HomeAuthority) -> ssl.SSLContext:
    return ssl.create_default_context(cadata=authority.certificate)


def shake_hands(server: ssl.SSLContext, phone: ssl.SSLContext, name: str) -> None:
    """Let a phone check what a server of this name shows, without a network."""
    to_server, to_phone = ssl.MemoryBIO(), ssl.MemoryBIO()
    phone_side = phone.wrap_bio(to_phone, to_server, server_hostname=name)
    server_side = server.wrap_bio(to_server, to_phone, server_side=True)
    for side in (phone_side, server_side, phone_side, server_side):
        try:
            side.do_handshake()
        except ssl.SSLWantReadError:
            continue


@pytest.mark.parametrize("name", ["127.0.0.1", "192.168.1.20", "10.0.0.7", "fd12:3456::1", "localhost"])
def test_a_phone_that_trusts_the_authority_trusts_a_server_at_home(tmp_path: Path, name: str) -> None:
    authority = HomeAuthority(tmp_path)
    addresses = [] if name == "localhost" else [name]
    shake_hands(authority.context_for(addresses), trusting(authority), name)


@pytest.mark.parametrize("name", ["192.0.2.2", "8.8.8.8", "2001:4860:4860::8888"])
def test_the_authority_is_worth_nothing_outside_of_a_home(tmp_path: Path, name: str) -> None:
    authority = HomeAuthority(tmp_path)
    with pytest.raises(ssl.SSLCertVerificationError, match="permitted subtree violation"):
        shake_hands(authority.context_for([name]), trusting(authority), name)
    assert vouched([name, "192.168.1.20"]) == ["127.0.0.1", "::1", "192.168.1.20"]


def test_the_authority_is_made_once_and_kept_to_its_owner(tmp_path: Path) -> None:
    folder = tmp_path / "https"
    first = HomeAuthority(folder)
    first.context_for([])
    assert HomeAuthority(folder).certificate == first.certificate
    assert {file.stat().st_mode & 0o777 for file in folder.iterdir()} == {0o600}
    assert folder.stat().st_mode & 0o777 == 0o700


@contextmanager
def served_by_https(app: Flask) -> Iterator[tuple[str, int, HomeAuthority]]:
    """Serve an app by both; give the address of plain HTTP, the port of HTTPS, and the authority."""
    listener = socket.create_server(("127.0.0.1", 0))
    found: list[HomeAuthority] = []

    @contextmanager
    def beside(channels: dict[int, Any]) -> Iterator[None]:
        with https_server(app, listener, [], channels) as authority:
            found.append(authority)
            yield

    with running_server(app, beside) as server:
        yield server.url, listener.getsockname()[1], found[0]


def test_a_request_by_https_is_the_phones_own(app: Flask) -> None:
    seen: list[tuple[str, str]] = []
    inner = app.wsgi_app

    def note(environ: Any, start_response: Any) -> Any:
        seen.append((environ["wsgi.url_scheme"], environ["REMOTE_ADDR"]))
        return inner(environ, start_response)

    app.wsgi_app = note  # type: ignore[method-assign]
    with served_by_https(app) as (plain, port, authority):
        with socket.create_connection(("127.0.0.1", port)) as stranger:
            stranger.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")  # a phone that speaks no TLS disturbs nobody
        trust = trusting(authority)
        phone = HTTPSConnection("127.0.0.1", port, context=trust, source_address=("127.0.0.2", 0), timeout=20)
        pages = []
        for _ in range(2):  # over one connection
            phone.request("GET", "/https")
            answer = phone.getresponse()
            pages.append((answer.status, "This phone has it" in answer.read().decode()))
        phone.close()
        assert pages == [(200, True)] * 2
        assert answer.getheader("Strict-Transport-Security") is None, "plain HTTP has the same name"
        assert "secure" in (answer.getheader("Set-Cookie") or "").lower()
        other = HTTPConnection(urlsplit(plain).netloc, timeout=20)
        other.request("GET", "/https/referee-at-home.crt")
        assert other.getresponse().read() == authority.certificate
        other.close()
    assert seen == [("https", "127.0.0.2")] * 2 + [("http", "127.0.0.1")]


def test_the_page_leads_a_phone_with_its_invitation_over(house: House) -> None:
    browser = house.browser("scorekeeper")
    plain = browser.get("/https").text
    assert "python3 run serve --lan --https" in plain
    assert "Bring this phone over" not in plain
    assert browser.get("/https/referee-at-home.crt").status_code == 404
    with served_by_https(house.app) as (_, port, _authority):
        assert "Bring this phone over" in browser.get("/https").text
        over = browser.post("/https/join", data={"csrf_token": browser.token("/https")}).text
        assert f'href="https://localhost:{port}/join/' in over
        shown = house.browser("stranger").get("/https/join/some-token").text
        assert f'href="https://localhost:{port}/join/some-token"' in shown
        assert 'href="/join/some-token"' in shown
