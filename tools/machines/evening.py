"""Play a little by the JSON interface, and look later whether everything is still there."""

from __future__ import annotations

import json
import ssl
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any

from referee import __version__
from tools.machines.engine import Failed

PATIENCE = 240
"""Seconds in which a server has to be there; the names of containers took podman 4.3 up to one minute."""


@dataclass(frozen=True)
class Site:
    """A server as a phone sees it, and the authorities that the phone trusts."""

    url: str
    trusted: ssl.SSLContext | None = None

    def ask(self, path: str, body: Any = None, key: str = "") -> tuple[int, str, dict[str, str]]:
        """Send a request; give status, text, and headers by small names. Raises OSError if nobody is there."""
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        if body is not None:
            headers["Content-Type"] = "application/json"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers)
        try:
            answer = urllib.request.urlopen(request, timeout=30, context=self.trusted)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            named = {name.lower(): value for name, value in answer.headers.items()}
            return answer.status, answer.read().decode(), named

    def api(self, path: str, body: Any = None, key: str = "") -> dict[str, Any]:
        """Call the JSON interface; raises Failed when it refuses."""
        status, text, _ = self.ask(f"/api/v1{path}", body, key)
        if status not in (200, 201):
            raise Failed(f"{path} answered {status}: {text[:500]}")
        return dict(json.loads(text))

    def wait(self) -> float:
        """Wait until the server is ready, and give the seconds it took; raises Failed when it is not."""
        began = time.monotonic()
        said: object = "nobody is there"
        while time.monotonic() - began < PATIENCE:
            try:
                status, said, _ = self.ask("/readyz")
            except OSError as error:
                said = error
            else:
                if status == 200:
                    return time.monotonic() - began
            time.sleep(0.2)
        raise Failed(f"{self.url} is not ready: {said}")


def play(site: Site) -> tuple[str, dict[str, Any]]:
    """Found a club, play two rounds, and give the key to it and the match as it stands."""
    status, health, _ = site.ask("/healthz")
    check((status, health.strip()), (200, f"alive, Referee {__version__}"))
    key = site.api("/clubs", {"name": "Sunday table"})["scorekeeper_key"]
    match = site.api("/matches", {"players": ["Ada", "Bo", "Cy"], "rulebook": "classic-500"}, key)
    rounds = ({"Bo": ["7", "skip"], "Cy": ["wild"]}, {"Bo": ["3"], "Cy": ["draw-two", "9"]})
    for number, hands in enumerate(rounds):
        entry = {"after": number, "went_out": "Ada", "hands": hands}
        site.api(f"/matches/{match['id']}/rounds", entry, key)
    told = site.api(f"/matches/{match['id']}", key=key)
    check({line["player"]: line["total"] for line in told["standings"]}["Ada"], 27 + 50 + 3 + 29)
    return key, told


def still(site: Site, key: str, told: dict[str, Any]) -> None:
    """Look whether the match is as it was; raises Failed."""
    check(site.api(f"/matches/{told['id']}", key=key), told)


def check(found: object, expected: object) -> None:
    """Raise Failed, saying both, unless what was found is what was expected."""
    if found != expected:
        raise Failed(f"expected: {expected!r}\n   found: {found!r}")


def main(words: list[str]) -> None:
    """Play at an address and print what has to be found again, or look for what was printed."""
    task, url = words
    site = Site(url)
    if task == "play":
        sys.stdout.write(json.dumps(play(site)))
    else:
        still(site, *json.load(sys.stdin))


if __name__ == "__main__":
    main(sys.argv[1:])
