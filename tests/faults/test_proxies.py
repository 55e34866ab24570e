"""Both servers behind both proxies, configured as docs/hosting has them: who is believed, and what the visitor gets."""

import http.client
import json
import os
import re
import socket
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from tests.faults.evening import ServerProcess
from tests.faults.recipes import haproxy_file
from tests.faults.test_several_processes import command
from tests.ground.client import TOKEN
from tests.test_proxies_and_units import AT_HOME, CADDY, NGINX, needs

NAME = "uno.example.org"
FEW = 3
WAITRESS = ServerProcess.program
PATIENCE = 60
FORGED = {
    "X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "http", "X-Forwarded-Host": "evil.example",
    "X-Forwarded-Port": "81", "X-Forwarded-Prefix": "/evil", "X-Forwarded-Server": "evil.example",
    "X-Forwarded-Ssl": "off", "X-Forwarded-Protocol": "evil", "X-Forwarded-Scheme": "evil", "X-Real-Ip": "203.0.113.9",
    "X-Script-Name": "/evil", "Script-Name": "/evil", "SCRIPT_NAME": "/evil", "Path-Info": "/evil",
    "PATH_INFO": "/evil", "Forwarded": "for=203.0.113.9;host=evil.example;proto=http",
}  # fmt: skip
"""What a client may send to be taken for someone else, or to get its own words into our answers."""
CACHED = ("/service-worker.js", "/manifest.webmanifest", "/rules", "/offline", "/api/v1/openapi.json")
"""What names addresses, and lies in caches."""


@dataclass(frozen=True)
class Entry:
    """A way into the app: a port of this machine, with HTTPS where a proxy stands there."""

    port: int
    https: bool

    def ask(
        self, method: str, path: str, body: Any = None, *, visitor: str = "127.0.0.1", **headers: str
    ) -> tuple[int, str, http.client.HTTPMessage]:
        """Send one request from an address of this machine."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE, source_address=(visitor, 0))
        try:
            connection.connect()
            if self.https:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
                context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
                connection.sock = context.wrap_socket(connection.sock, server_hostname=NAME)
            sent = None if body is None else json.dumps(body)
            kind = {} if body is None else {"Content-Type": "application/json"}
            connection.request(method, path, sent, {"Host": NAME, **kind, **headers})
            answer = connection.getresponse()
            return answer.status, answer.read().decode(), answer.headers
        finally:
            connection.close()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def connect(port: int) -> None:
    socket.create_connection(("127.0.0.1", port), timeout=1).close()


def shake_hands(port: int, context: ssl.SSLContext) -> None:
    """Open HTTPS and close it again; raises OSError while there is no certificate that this context believes."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as raw:
        context.wrap_socket(raw, server_hostname="127.0.0.1").close()


def wait_for(way: Callable[[], None], process: subprocess.Popen[bytes] | None = None) -> None:
    """Try a way in until it is open; raises its last OSError when patience or the process ends."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return way()
        except OSError:
            if time.monotonic() > deadline or (process and process.poll() is not None):
                raise
            time.sleep(0.02)


@contextmanager
def running(arguments: tuple[str, ...], folder: Path, *ports: int) -> Iterator[None]:
    """Run a proxy until the block ends; it is there when all its ports are."""
    log = folder / "proxy.log"
    with log.open("wb") as written:
        environment = os.environ | {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
        process = subprocess.Popen(arguments, cwd=folder, env=environment, stdout=written, stderr=written)
    try:
        try:
            for port in ports:
                wait_for(partial(connect, port), process)
        except OSError as error:
            raise RuntimeError(log.read_text("utf-8", "replace")) from error
        yield
    finally:
        process.terminate()
        process.wait(30)


def certificate(folder: Path) -> None:
    """Make a certificate for NAME, with its key, which nobody signed."""
    words = ("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2")
    names = ("-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}")
    files = ("-keyout", str(folder / "privkey.pem"), "-out", str(folder / "fullchain.pem"))
    subprocess.run((needs("openssl"), *words, *names, *files), check=True, capture_output=True)


@contextmanager
def caddy(folder: Path, servers: dict[str, int]) -> Iterator[dict[str, Entry]]:
    """Run Caddy with the guide's file, once for each server: other ports, and a certificate of our own."""
    entries = {name: Entry(free_port(), https=True) for name in servers}
    text = "{\n\tadmin off\n\tauto_https disable_redirects\n}\n"
    for name, port in servers.items():
        head = f"{NAME}:{entries[name].port} {{\n\ttls fullchain.pem privkey.pem\n"
        site = CADDY.replace(f"{{$SITE:{NAME}}} {{\n", head, 1)
        site = site.replace("{$SERVERS:server1:8000 server2:8000}", f"127.0.0.1:{port}")
        assert site.count("127.0.0.1") == site.count("fullchain") == 1, "the guide's file has changed"
        text += site
    (folder / "Caddyfile").write_text(text)
    with running((needs("caddy"), "run", "--config", "Caddyfile"), folder, *(entry.port for entry in entries.values())):
        yield entries


@contextmanager
def nginx(folder: Path, servers: dict[str, int]) -> Iterator[dict[str, Entry]]:
    """Run nginx with the guide's file, once for each server: other ports, and a certificate of our own."""
    entries = {name: Entry(free_port(), https=True) for name in servers}
    sites = ""
    for name, port in servers.items():
        site = NGINX.replace("upstream referee", f"upstream {name}").replace("http://referee;", f"http://{name};")
        site = re.sub(r"(?:\tserver server\d:8000[^\n]*\n)+", f"\tserver 127.0.0.1:{port};\n", site)
        site = site.replace("listen 443", f"listen 127.0.0.1:{entries[name].port}")
        site = re.sub(r"/etc/letsencrypt/live/[^/]+", str(folder), site)
        assert site.count("127.0.0.1") == 2, "the guide's file has changed"
        sites += site
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in kinds)
    head = f"pid {folder}/pid;\nerror_log stderr;\ndaemon off;\nevents {{}}\n"
    (folder / "nginx.conf").write_text(f"{head}http {{\naccess_log off;\n{places}{sites}}}\n")
    program = (needs("nginx"), "-e", "stderr", "-c", str(folder / "nginx.conf"))
    with running(program, folder, *(entry.port for entry in entries.values())):
        yield entries


@contextmanager
def haproxy(folder: Path, servers: dict[str, int]) -> Iterator[dict[str, Entry]]:
    """Run HAProxy with the guide's file, once for each server: other ports, and a certificate of our own."""
    entries = {name: Entry(free_port(), https=True) for name in servers}
    with ExitStack() as stack:
        for name, port in servers.items():
            (folder / name).mkdir()
            file = haproxy_file(folder / name, entries[name].port, {"server1": port}, folder)
            command = (needs("haproxy"), "-f", str(file))
            stack.enter_context(running(command, folder / name, entries[name].port))
        yield entries


@pytest.fixture(scope="module")
def entries(
    new_database: Callable[[ExitStack, Path], str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Entry]]:
    """Start everything once: each server without a proxy, and behind each of the two."""
    gunicorn = list(command())
    gunicorn[gunicorn.index("--workers") + 1] = "1"  # each counts for itself
    programs = {"waitress": WAITRESS, "gunicorn": tuple(gunicorn)}
    settings = {"REFEREE_RATELIMIT_ENABLED": "true", "REFEREE_RATELIMIT_GUESSES": f"{FEW} per hour"}
    behind = settings | {"REFEREE_PROXIES": "1", "REFEREE_TRUSTED_HOSTS": json.dumps([NAME, "127.0.0.1"])}
    with ExitStack() as stack:
        servers = {}
        for name, program in programs.items():
            for where, given in ((f"{name} alone", settings), (name, behind)):
                folder = tmp_path_factory.mktemp("server")
                servers[where] = ServerProcess(new_database(stack, folder), folder, 0, given, program)
        for server in servers.values():
            stack.callback(server.stop)
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(ServerProcess.start, servers.values()))
        ways = {where: Entry(server.port, https=False) for where, server in servers.items() if "alone" in where}
        for proxy in (caddy, nginx, haproxy):
            folder = tmp_path_factory.mktemp("proxy")
            certificate(folder)
            found = stack.enter_context(proxy(folder, {name: servers[name].port for name in programs}))
            ways |= {f"{name} behind {proxy.__name__}": entry for name, entry in found.items()}
        yield ways


ALONE = ("waitress alone", "gunicorn alone")
BEHIND = tuple(
    f"{server} behind {proxy}" for server in ("waitress", "gunicorn") for proxy in ("caddy", "nginx", "haproxy")
)


@pytest.mark.parametrize("where", [*ALONE, *BEHIND])
@pytest.mark.promise("security#forged-headers")
def test_proxies_mean_the_same_under_every_server_and_forged_headers_mean_nothing(
    entries: dict[str, Entry], where: str
) -> None:
    entry = entries[where]
    status, founded, _ = entry.ask("POST", "/api/v1/clubs", {"name": "Sunday table"})
    assert status == 201, founded
    key = {"Authorization": f"Bearer {json.loads(founded)['scorekeeper_key']}"}
    for forged in ({}, FORGED):
        status, page, headers = entry.ask("GET", "/rules", **forged)
        assert status == 200, page
        cookie = headers["Set-Cookie"]
        assert TOKEN.search(page)
        assert cookie.startswith("__Host-session=" if entry.https else "session=")
        assert ("Secure" in cookie) == entry.https
        assert ("Strict-Transport-Security" in headers) == entry.https
        status, document, _ = entry.ask("POST", "/api/v1/invitations", {"role": "spectator"}, **key, **forged)
        link = json.loads(document)["link"]
        assert link.startswith(f"{'https' if entry.https else 'http'}://{NAME}/join/"), link
        for path in CACHED:
            status, text, headers = entry.ask("GET", path, **forged)
            assert status == 200, path
            assert "evil" not in text + str(headers), path
    guesser, other = (f"127.0.{1 + [*ALONE, *BEHIND].index(where)}.{last}" for last in (2, 3))
    for number in range(FEW + 1):
        forged = FORGED | {"X-Forwarded-For": f"203.0.113.{number}", "Forwarded": f"for=203.0.113.{number}"}
        status = entry.ask("GET", "/club", visitor=guesser, Authorization="Bearer wrong", **forged)[0]
        assert status == (401 if number < FEW else 429)
    assert entry.ask("GET", "/club", visitor=other, Authorization="Bearer wrong")[0] == 401, "another visitor"
    assert entry.ask("GET", "/club", visitor=guesser, **key)[0] == 200, "the right key"
    if entry.https:
        for path in ("/metrics", "/%6detrics"):
            assert entry.ask("GET", path)[0] == 404


def test_the_guides_file_for_a_home_brings_https_to_phones_that_trust_its_root(
    new_database: Callable[[ExitStack, Path], str], tmp_path: Path
) -> None:
    secure, plain = free_port(), free_port()
    with ExitStack() as stack:
        given = {"REFEREE_PROXIES": "1", "REFEREE_TRUSTED_HOSTS": '["127.0.0.1"]'}
        server = ServerProcess(new_database(stack, tmp_path), tmp_path, 0, given, WAITRESS)
        stack.callback(server.stop)
        server.start()
        text = AT_HOME.replace("{\n", "{\n\tadmin off\n", 1).replace("127.0.0.1:8000", f"127.0.0.1:{server.port}")
        for scheme, port in (("https", secure), ("http", plain)):
            text = text.replace(f"{scheme}://{{$ADDRESS:192.168.1.20}}", f"{scheme}://127.0.0.1:{port}")
        text = re.sub(r"\{\$AUTHORITY:\S+\}", str(tmp_path / "caddy/pki/authorities/local"), text)
        assert "$" not in text, "the guide's file has changed"
        (tmp_path / "Caddyfile").write_text(text)
        stack.enter_context(running((needs("caddy"), "run", "--config", "Caddyfile"), tmp_path, plain))
        with urlopen(f"http://127.0.0.1:{plain}/root.crt", timeout=PATIENCE) as answer:
            assert answer.headers["Content-Type"] == "application/x-x509-ca-cert"
            trusting = ssl.create_default_context(cadata=answer.read().decode())
        wait_for(partial(shake_hands, secure, trusting))  # the plain port is open before a certificate is issued
        for address, context in ((f"https://127.0.0.1:{secure}", trusting), (f"http://127.0.0.1:{plain}", None)):
            with urlopen(f"{address}/https", timeout=PATIENCE, context=context) as answer:
                page, cookie = answer.read().decode(), answer.headers["Set-Cookie"]
            assert ("This phone has it" in page) == ("Secure" in cookie) == (context is not None), address
