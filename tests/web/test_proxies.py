"""What is believed of X-Forwarded-*: the words of as many proxies as there are, from the last one on."""

from __future__ import annotations

import pytest
from flask import request
from werkzeug.test import EnvironBuilder

from tests.conftest import MakeApp
from tests.web.test_bad_requests import HOSTS

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
