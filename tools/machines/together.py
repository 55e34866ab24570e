"""The compose file: Referee, PostgreSQL, Redis and Caddy, and a round through Caddy over HTTPS."""

from __future__ import annotations

import contextlib
import json
import shlex
import shutil
import ssl
import time
from collections.abc import Iterator

from referee.paths import CHECKOUT
from tools.machines import pages, stand_ins
from tools.machines.engine import Failed, command, podman, say
from tools.machines.evening import Site, check, play, still

NAMES = {"SITE": "localhost", "POSTGRES_PASSWORD": "tried1only"}
"""What a host writes into `.env`; for the name localhost Caddy is its own authority."""
AUTHORITY = "/data/caddy/pki/authorities/local/root.crt"


def tool() -> list[str]:
    """Give the command that understands compose files; raises Failed when there is none."""
    for words in (["podman-compose"], ["podman", "compose"], ["docker-compose"]):
        if shutil.which(words[0]):
            with contextlib.suppress(Failed):
                command(*words, "version")
                return words
    raise Failed("apt-get install podman-compose")


def try_it() -> None:
    """Start everything, play through Caddy, restart it, and take it down; raises Failed. Needs the ports 80 and 443."""
    for name in ("python:3.11-slim", "postgres:17", "redis:7", "caddy:2"):
        stand_ins.have(f"docker.io/library/{name}")
    lines = pages.commands(pages.HOST / "containers.md", "With PostgreSQL, Redis and Caddy")
    up, looking = map(compose, lines)
    with taken_down():
        began = time.monotonic()
        command(*up, at=CHECKOUT, env=NAMES)
        trusted = ssl.create_default_context(cadata=authority())
        site = Site("https://localhost", trusted)
        site.wait()
        say(f"  built, started and ready in {time.monotonic() - began:.0f} s")
        key, told = play(site)
        look_from_outside(site)
        if "No problems found." not in command(*looking, at=CHECKOUT, env=NAMES):
            raise Failed("referee check found something")
        command(*compose("podman compose -f docs/hosting/compose.yaml down"), at=CHECKOUT, env=NAMES)
        command(*up, at=CHECKOUT, env=NAMES)
        site.wait()
        still(site, key, told)
        say("  taken down and started anew: the match is there")


def compose(line: str) -> list[str]:
    """Split a line of the guide, with the tool that is installed here in place of the guide's."""
    words = shlex.split(line)
    check(words[:2], ["podman", "compose"])
    return [*tool(), *words[2:]]


@contextlib.contextmanager
def taken_down() -> Iterator[None]:
    """Leave no container and no volume behind."""
    try:
        yield
    except Failed as error:
        with contextlib.suppress(Failed):
            error.add_note(podman("logs", "--tail", "20", container("app")) + podman("logs", container("proxy")))
        raise
    finally:
        with contextlib.suppress(Failed):
            command(*compose("podman compose -f docs/hosting/compose.yaml down --volumes"), at=CHECKOUT, env=NAMES)


def container(service: str) -> str:
    """Name the container of a service; raises Failed when there is none."""
    found = podman("ps", "--all", "--format", "{{.Names}}", "--filter", f"name={service}").split()
    if len(found) != 1:
        raise Failed(f"{service}: {found}")
    return found[0]


def authority() -> str:
    """Give the certificate of Caddy's own authority, which it makes at its first start; raises Failed."""
    until = time.monotonic() + 30
    while True:
        try:
            return podman("exec", container("proxy"), "cat", AUTHORITY)
        except Failed:
            if time.monotonic() > until:
                raise
            time.sleep(0.5)


def look_from_outside(site: Site) -> None:
    """Look at what Caddy and Redis add: HTTPS by itself, cookies for it alone, one count of guesses; raises Failed."""
    plain = Site("http://localhost", site.trusted)
    status, _, headers = plain.ask("/rules")  # follows to https
    check((status, "strict-transport-security" in headers), (200, True))
    _, page, headers = site.ask("/matches/new")
    cookie = headers["set-cookie"].casefold()
    check(("secure" in cookie, "httponly" in cookie, "<main" in page), (True, True, True))
    check(site.ask("/metrics")[0], 404)
    for number in range(3):
        check(site.ask(f"/join/{number:026}")[0], 404)
    counts = int(podman("exec", container("counts"), "redis-cli", "dbsize").split()[-1])
    check(counts > 0, True)
    kept = podman("exec", container("database"), "psql", "--username", "referee", "-tc", "SELECT count(*) FROM rounds")
    check(int(kept), 2)
    check(json.loads(podman("inspect", container("app")))[0]["HostConfig"]["ReadonlyRootfs"], True)
    say("  a match over HTTPS, its rounds in PostgreSQL, wrong guesses counted in Redis")
