"""No line that a real server writes holds a key: wherever it came in, in whatever form, whatever went wrong."""

import base64
import http.client
import json
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import quote, unquote

import pytest

from referee import create_app
from referee.records.ids import new_token, token_in_words
from referee.web.server.guards import SESSION_KEYS
from tests.faults.clumsy import HEADER
from tests.faults.evening import ServerProcess

ACCESS_LOG = "%(r)s %(f)s %(a)s %(u)s %({{cookie}}i)s %({{authorization}}i)s %({{x-request-id}}i)s %(U)s %(q)s"
"""As much as gunicorn can write about a request; our guide leaves its log off."""
WAITRESS = ("tests.faults.clumsy", "serve", "--port", "{port}")
GUNICORN = (
    *("gunicorn", "tests.faults.clumsy:clumsy_app()", "--bind", "127.0.0.1:{port}", "--threads", "2"),
    *("--access-logfile", "-", "--access-logformat", ACCESS_LOG),
)
SECRET = "the same for the cookie"
PATHS = (
    *("/join/{}", "/live/{}", "/live/{}/now", "/hand/{}", "/nowhere/{}", "/rules?q={}", "/static/{}"),
    *("/api/v1/players/{}", "/healthz?{}"),
)


def forms_of(token: str) -> list[str]:
    """Write a token in each form that opens the same door."""
    dashed = "-".join(re.findall("..?.?", token))
    misread = token.replace("0", "o").replace("1", "L")
    return [token, token.upper(), dashed, misread, quote(token_in_words(token)), "".join(f"%{ord(s):x}" for s in token)]


def a_cookie(token: str, folder: Path) -> str:
    """Sign a session as the server does."""
    app = create_app({"SECRET_KEY": SECRET, "INSTANCE": str(folder)})
    signer = app.session_interface.get_signing_serializer(app)  # type: ignore[attr-defined]
    assert signer is not None
    return str(signer.dumps({SESSION_KEYS: [token]}))


def send(port: int, method: str, path: str, headers: dict[str, str], body: bytes = b"") -> None:
    """Send a request as it stands; a server may hang up on it."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request(method, path, body, headers)
        connection.getresponse().read()
    except (http.client.HTTPException, OSError):
        pass
    finally:
        connection.close()


@pytest.fixture(scope="module")
def database(new_database: Callable[[ExitStack, Path], str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with ExitStack() as stack:
        yield new_database(stack, tmp_path_factory.mktemp("logs"))


@pytest.mark.parametrize("program", [WAITRESS, GUNICORN], ids=["waitress", "gunicorn"])
@pytest.mark.parametrize("as_json", [False, True], ids=["text", "JSON"])
@pytest.mark.promise("security#keys-in-logs", "security#malformed-requests")
def test_no_key_stands_in_any_log(database: str, tmp_path: Path, program: tuple[str, ...], as_json: bool) -> None:
    token = new_token()
    cookie = a_cookie(token, tmp_path / "signing")
    given = {"REFEREE_SECRET_KEY": SECRET, "REFEREE_JSON_LOGS": str(as_json), "REFEREE_RATELIMIT_ENABLED": "true"}
    server = ServerProcess(database, tmp_path, 0, given, program)
    server.start()
    try:
        basic = base64.b64encode(f"{token}:x".encode()).decode()
        for form in forms_of(token):
            bearer = {"Authorization": f"Bearer {unquote(form)}", "Referer": f"http://x.example/join/{form}"}
            bearer |= {"X-Request-Id": form, "User-Agent": form, "Cookie": f"session={cookie}; other={form}"}
            for path in PATHS:
                send(server.port, "GET", path.format(form), bearer)
            send(server.port, "GET", f"/join/{form}", {"Host": "a..b", "Authorization": f"Basic {basic}"})
            send(server.port, "POST", "/recover", bearer, f"words={form}".encode())
            send(server.port, "POST", "/api/v1/clubs", bearer, f'{{"name": "{form}"'.encode())
            for mistake in ("view", "page", "stream"):
                send(server.port, "GET", f"/join/{form}?q={form}", bearer | {HEADER: mistake})
        send(server.port, token, f"/join/{token}", {})
        with socket.create_connection(("127.0.0.1", server.port)) as raw:
            raw.sendall(f"GET /join/{token} {token}\r\n{token}\r\n\r\n".encode())
            raw.recv(1000)
    finally:
        server.stop()
    written = (tmp_path / "server.log").read_text("utf-8", "replace")
    assert written.count("RuntimeError") >= 3 * len(forms_of(token)), "the mistakes are told"
    assert "File " in written, "with where they were made"
    if as_json:
        lines = [json.loads(line) for line in written.splitlines() if line.startswith("{")]
        assert {"/join/<token>", "/recover"} <= {line.get("route") for line in lines}
    assert cookie not in written
    plain = unquote(written).lower().translate(str.maketrans("oil", "011", "- \t\r\n.+"))
    assert token not in plain
