"""A real server in a process of its own, and phones that record rounds on it and note what they were told."""

import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from referee.paths import CHECKOUT

SEED = os.environ.get("REFEREE_SEED", "Ada, Bo, Cy, Di")
PATIENCE = 180.0
"""Seconds that a server may take to start."""
UNCLEAR = (0, 502, 503)
"""Answers after which a phone sends its round again: none at all, a proxy's for a server that died, and a refusal."""


@dataclass
class ServerProcess:
    """``referee serve`` on a port that stays the same over restarts."""

    database: str
    folder: Path
    port: int = 0
    settings: Mapping[str, str] = field(default_factory=dict)
    program: tuple[str, ...] = ("referee", "serve", "--port", "{port}")
    """module that serves, and its words"""
    code: Path = CHECKOUT
    """folder that the program is run from"""
    process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        """Start it; it stops when the block ends."""
        self.start()
        return self

    def __exit__(self, *_error: object) -> None:
        """Stop it."""
        self.stop()

    def start(self) -> None:
        """Start it and wait until it is ready."""
        if not self.port:
            with socket.create_server(("127.0.0.1", 0)) as free:
                self.port = free.getsockname()[1]
        environment = os.environ | {
            "REFEREE_INSTANCE": str(self.folder / "instance"),
            "DATABASE_URL": self.database,
            "REFEREE_RATELIMIT_ENABLED": "false",
            **self.settings,
        }
        command = (sys.executable, "-m", *(word.format(port=self.port) for word in self.program))
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(command, cwd=self.code, env=environment, stdout=log, stderr=log)
        deadline = time.monotonic() + PATIENCE
        try:
            while self.ask("GET", "/readyz")[0] != 200:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError((self.folder / "server.log").read_text("utf-8", "replace"))
                time.sleep(0.05)
        except BaseException:
            self.kill()
            raise

    def connection(self) -> http.client.HTTPConnection:
        """Make a connection that one request is sent by."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def workers(self) -> set[int]:
        """Return the ids of the processes that answer for it, where it has several."""
        assert self.process is not None
        found = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return set(map(int, found.split()))

    def kill(self) -> None:
        """Let it die by SIGKILL, its workers with it: nothing is flushed, nobody is told."""
        if self.process is not None:
            numbers = self.workers() if self.process.poll() is None else ()
            self.process.kill()
            for number in numbers:
                with suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
            self.process.wait()
            self.process = None

    def stop(self) -> None:
        """Ask it to end, and its workers with it."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait(60)
            self.process = None

    def ask(self, method: str, path: str, body: Any = None, headers: Mapping[str, str] = {}) -> tuple[int, Any, Any]:
        """Send one request; status 0 when no whole answer came."""
        connection = self.connection()
        try:
            sent = None if body is None else json.dumps(body)
            kind = {} if body is None else {"Content-Type": "application/json"}
            connection.request(method, path, sent, {**kind, **headers})
            answer = connection.getresponse()
            text = answer.read()
            is_json = "json" in answer.headers.get("Content-Type", "")
            return answer.status, json.loads(text) if is_json else text.decode(), answer.headers
        except (OSError, http.client.HTTPException):
            return 0, None, None
        finally:
            connection.close()


def wait_until(done: Callable[[], bool], every: float = 0.01) -> None:
    """Wait for something to be so, and look every so many seconds; fails when patience ends."""
    deadline = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(every)


@dataclass
class Post:
    """A round that a phone sent: under its idempotency key, with the very body, to send it again."""

    match: str
    key: str
    body: dict[str, Any]


@dataclass
class Evening:
    """A club with matches that never end, and what its phones know of each round: it is safe, or they cannot say."""

    server: ServerProcess
    key: str = ""
    matches: list[str] = field(default_factory=list)
    """those that are played now"""
    acknowledged: dict[str, list[str]] = field(default_factory=dict)
    """ids of the rounds that the server said it has, by match, also of matches played before"""
    seen: dict[str, int] = field(default_factory=dict)
    """how many rounds of a match some phone has seen; another may have to look again"""
    unknown: list[Post] = field(default_factory=list)
    """posts whose answer never came"""
    statuses: set[int] = field(default_factory=set)
    recorded: int = 0
    pause: float = 0.0
    """seconds between two rounds of a phone"""

    def begin(self, matches: int) -> Self:
        """Begin new matches, which take the place of those played till now; found the club if there is none."""
        if not self.key:
            self.key = self.server.ask("POST", "/api/v1/clubs", {"name": "Sunday table"})[1]["scorekeeper_key"]
        self.matches = []
        for _ in range(matches):
            plan = {"players": ["Ada", "Bo", "Cy", "Di"], "rulebook": "classic-500", "target": 100_000}
            status, match, _ = self.ask("POST", "/matches", plan)
            assert status == 201, match
            self.matches.append(match["id"])
            self.acknowledged[match["id"]] = []
            self.seen[match["id"]] = 0
        return self

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any, Any]:
        """Send a request with the club's key."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.server.ask(method, f"/api/v1{path}", body, {"Authorization": f"Bearer {self.key}", **named})

    def send(self, post: Post) -> int:
        """Post a round, and note what became of it; return the status."""
        status, answer, _ = self.ask("POST", f"/matches/{post.match}/rounds", post.body, Idempotency_Key=post.key)
        if status == 201:
            self.recorded += 1
            self.acknowledged[post.match].append(answer["round"]["id"])
            self.seen[post.match] = max(self.seen[post.match], answer["round"]["number"])
        elif status in UNCLEAR:  # whether a commit came through that broke off, the server cannot know either
            self.unknown.append(post)
        self.statuses.add(status)
        return status

    @contextmanager
    def playing(self, phones: int, seed: str = SEED, rounds: int | None = None) -> Iterator[None]:
        """Let phones record at the same time, until the block ends or each has recorded its rounds."""
        stop = threading.Event()
        threads = [
            threading.Thread(target=self._phone, args=(random.Random(f"{seed}.{number}"), stop, rounds), daemon=True)
            for number in range(phones)
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            stop.set()
        for thread in threads:
            thread.join(PATIENCE)
            assert not thread.is_alive(), "a phone hangs"

    def go_on(self, rounds: int = 5) -> None:
        """Wait until phones have recorded so many rounds more."""
        wanted = self.recorded + rounds
        wait_until(lambda: self.recorded >= wanted)

    def _phone(self, chance: random.Random, stop: threading.Event, rounds: int | None) -> None:
        recorded = 0
        while not stop.is_set() and (rounds is None or recorded < rounds):
            match = chance.choice(self.matches)
            hands = {name: [str(chance.randrange(1, 10))] for name in ("Bo", "Cy", "Di")}
            body = {"after": self.seen[match], "went_out": "Ada", "hands": hands}
            status = self.send(Post(match, uuid.uuid4().hex, body))
            recorded += status == 201
            if status == 409:
                status, document, _ = self.ask("GET", f"/matches/{match}")
                if status == 200:
                    self.seen[match] = max(self.seen[match], len(document["rounds"]))
            elif status in UNCLEAR:
                time.sleep(0.05)
            stop.wait(self.pause)

    def unanswered(self) -> int:
        """Count the rounds that are on record though nobody was told: the server died between the two."""
        found = {one["id"] for match in self.matches for one in self._document(match)["rounds"]}
        return len(found.difference(*(self.acknowledged[match] for match in self.matches)))

    def settle_the_unknown(self) -> int:
        """Send again, under the same key, what had no answer: it comes in now, was in already, or was overtaken.

        Return how many were sent again.
        """
        posts, self.unknown = self.unknown, []
        for post in posts:
            assert self.send(post) in (201, 409)
        return len(posts)

    def prove(self, matches: Iterable[str] = ()) -> None:
        """Hold matches, or those played now, against what the phones were told."""
        for match in matches or self.matches:
            document = self._document(match)
            rounds = document["rounds"]
            ids = [one["id"] for one in rounds]
            assert sorted(ids) == sorted(self.acknowledged[match]), "each acknowledged round once, and no other"
            assert [one["number"] for one in rounds] == list(range(1, len(rounds) + 1))
            for line in document["standings"]:
                assert line["total"] == sum(one["points"][line["player"]] for one in rounds)

    def _document(self, match: str) -> Any:
        status, document, _ = self.ask("GET", f"/matches/{match}?struck=1")
        assert status == 200, document
        return document
