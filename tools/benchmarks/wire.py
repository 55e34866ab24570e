"""Time requests over real HTTP, with the server that ``run`` starts, beside the limit: Flask that commits one row.

Both servers are waitress in a process of its own, asked in turn on connections that stay open. What is compared with
*hello* is timed inside this process, where a connection would be most of it. “After a change” means that a round was
recorded by a program just before, which is not timed.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote, urlencode

from flask import Flask

from tests.ground.browser import PHONE, running_browser
from tools.benchmarks.figures import Figure, Thing, medians, ratio
from tools.benchmarks.filling import fill
from tools.benchmarks.ground import CAST, HANDS, Client, Club, found_club, hello_app, phone_of, running_app
from tools.benchmarks.servers import Served, served
from tools.benchmarks.speed import QUESTIONS, hearings
from tools.benchmarks.weight import Scale

ROWS = 20_000
"""Rounds of the club whose statistics are opened."""
EACH = 5
"""Rounds recorded in each match, so that it stays about as long as it is said to be."""
STARTS = 5
REQUESTS, TABLES = 1_000, 25
REST = 60
"""Seconds that a sheet lies open."""
BRIEFLY = {"Prefer": "return=minimal"}
JSON_AIMS = {12: 2.0, 66: 2.0, 500: 2.0}
PAGE_AIMS = {12: 3.2, 66: 3.2}


class Wire:
    """One connection that stays open; every answer is held against a status and a word that it has to hold."""

    def __init__(self, port: int, headers: Mapping[str, str] = {}) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=60)
        self._headers = dict(headers)

    def send(
        self, method: str, path: str, word: str, *, body: str = "", status: int = 200, headers: Mapping[str, str] = {}
    ) -> None:
        """Ask, and read the answer."""
        self._connection.request(method, path, body or None, {**self._headers, **headers})
        answer = self._connection.getresponse()
        found = answer.read()
        if answer.status != status or word.encode() not in found:
            raise AssertionError(f"{method} {path}: {answer.status}: {found[:600]!r}")


@dataclass(frozen=True)
class Ground:
    """A filled club in an app of this process, on whose database the server stands too."""

    app: Flask
    club: Club
    folder: Path

    @property
    def settings(self) -> dict[str, str]:
        """Name what the server has to know."""
        return {
            "DATABASE_URL": self.app.config["SQLALCHEMY_DATABASE_URI"],
            "REFEREE_INSTANCE": str(self.folder),
            "REFEREE_SECRET_KEY": "benchmark",
            "REFEREE_RATELIMIT_ENABLED": "false",
            "BENCHMARK_FOLDER": str(self.folder),
        }


def over_http(times: int) -> Iterator[Figure]:
    """Measure recording, first looks, the start, memory, and a sheet that lies open."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="referee-wire-", ignore_cleanup_errors=True)))
        app = stack.enter_context(running_app(f"sqlite:///{folder}/referee.db"))
        ground = Ground(app, found_club(app), folder)
        yield from _recording(ground, times)
        yield from _first_looks(ground, times)
        yield from _starting(ground)
        with served("waitress", "referee:create_app", folder, ground.settings) as server:
            yield from _memory(ground, server)
            yield from _at_rest(ground, server)


# -- recording ---------------------------------------------------------------------------------------------------------


def _recording(ground: Ground, times: int) -> Iterator[Figure]:
    club, settings = ground.club, ground.settings
    ids = _players(club)
    with (
        served("waitress", "tools.benchmarks.ground:limit_app", ground.folder, settings) as limit,
        served("waitress", "referee:create_app", ground.folder, settings) as server,
    ):
        bare, program = Wire(limit.port), Wire(server.port, club.scorekeeper.headers)
        phone = Wire(server.port, club.phone.headers)
        things: dict[str, Thing] = {"limit": lambda: bare.send("POST", "/", "Hello")}
        for rounds in JSON_AIMS:
            things[f"json {rounds}"] = _by_json(club, program, rounds, times, "standings", BRIEFLY)
            things[f"whole {rounds}"] = _by_json(club, program, rounds, times, '"match"', {})
        for rounds in PAGE_AIMS:
            things[f"page {rounds}"] = _on_the_page(club, phone, ids, rounds, times)
        taken = medians(things, times=times, warm_up=WARM_UP, in_a_row=EACH, clock=time.perf_counter)
    base = ("limit", taken["limit"])
    for rounds, aim in JSON_AIMS.items():
        yield ratio(f"record by JSON, minimal answer, {rounds} rounds", aim, ("app", taken[f"json {rounds}"]), base)
    for rounds, aim in JSON_AIMS.items():
        yield ratio(f"record by JSON, whole answer, {rounds} rounds", aim, ("app", taken[f"whole {rounds}"]), base)
    for rounds, aim in PAGE_AIMS.items():
        yield ratio(f"record on the page, {rounds} rounds", aim, ("app", taken[f"page {rounds}"]), base)


WARM_UP = 10


def _places(club: Club, rounds: int, times: int) -> Iterator[tuple[str, int]]:
    """Give a match of so many rounds, or a few more, and the number of its rounds; made before anything is timed."""
    needed = -(-(times + WARM_UP + EACH) // EACH)
    matches = [club.match(rounds) for _ in range(min(needed, max(2, 2000 // rounds)))]
    laps = -(-needed // len(matches))
    return ((match, rounds + EACH * lap + one) for lap in range(laps) for match in matches for one in range(EACH))


def _by_json(club: Club, wire: Wire, rounds: int, times: int, word: str, headers: Mapping[str, str]) -> Thing:
    places, keys = _places(club, rounds, times), count()

    def record() -> None:
        match, after = next(places)
        winner, *others = CAST[after % 4 :] + CAST[: after % 4]
        entry = {"after": after, "went_out": winner, "hands": dict(zip(others, HANDS.values(), strict=True))}
        once = {"Content-Type": "application/json", "Idempotency-Key": f"{word}-{rounds}-{next(keys)}"}
        path = f"/api/v1/matches/{match}/rounds"
        wire.send("POST", path, word, body=json.dumps(entry), status=201, headers={**once, **headers})

    return record


def _on_the_page(club: Club, wire: Wire, ids: Mapping[str, str], rounds: int, times: int) -> Thing:
    """Record as the page's script does: post the form; the sheet is asked for apart, as `_first_looks` does."""
    places, keys = _places(club, rounds, times), count()
    script = {"X-Fragment": "1", "Content-Type": "application/x-www-form-urlencoded"}

    def tap() -> None:
        match, after = next(places)
        winner, *others = CAST[after % 4 :] + CAST[: after % 4]
        hands = {f"hand-{ids[name]}": " ".join(hand) for name, hand in zip(others, HANDS.values(), strict=True)}
        form = {"ended": "went-out", "went_out": ids[winner], "after": str(after), **hands}
        form["idempotency_key"] = f"tap-{rounds}-{next(keys)}"
        wire.send("POST", f"/matches/{match}/rounds/new", '"seen"', body=urlencode(form), headers=script)

    return tap


def _players(club: Club) -> dict[str, str]:
    club.match()
    return {one["name"]: one["id"] for one in club.scorekeeper.read("GET", "/players")["players"]}


# -- first looks -------------------------------------------------------------------------------------------------------


def _first_looks(ground: Ground, times: int) -> Iterator[Figure]:
    app, club = ground.app, ground.club
    hello, match = Client(hello_app()), club.match(66)
    greeting = hello.request("GET", "/")
    sheet = club.phone.request("GET", f"/matches/{match}")
    busy = fill(app, clubs=1, rounds=1, busy=ROWS).busy
    program = Client(app, {"Authorization": f"Bearer {busy.scorekeeper_token}"})
    many = Club(app, program, phone_of(app, program))
    player = many.scorekeeper.read("GET", "/players")["players"][0]["id"]
    figures = many.phone.request("GET", f"/history/players/{player}")
    asked = [club.scorekeeper.request("GET", f"/api/v1/rules?q={quote(question)}") for question in QUESTIONS]
    heard = hearings(club)
    other = club.match(66)
    now = club.phone.request("GET", f"/matches/{other}/now")
    turns, rounds, others = count(), count(66), count(66)
    looks: dict[str, tuple[Callable[[], object], Thing]] = {
        "hello": (lambda: None, lambda: hello.send(greeting)),
        "sheet": (lambda: club.record(match, next(rounds)), lambda: _holding(club.phone, sheet, "Ada")),
        "now": (lambda: club.record(other, next(others)), lambda: _holding(club.phone, now, "fragments")),
        "statistics": (
            lambda: many.finish(many.match(1)),
            lambda: _holding(many.phone, figures, "Matches"),
        ),
        "hearing": (lambda: None, lambda: _holding(club.scorekeeper, heard[next(turns) % len(heard)], "verdict")),
        "look-up": (lambda: None, lambda: _holding(club.scorekeeper, asked[next(turns) % len(asked)], "answered")),
    }  # fmt: skip
    taken: dict[str, list[float]] = {name: [] for name in looks}
    for number in range(-(-times // EACH) + 1):
        for name, (before, look) in looks.items():
            for _ in range(EACH):
                before()
                started = time.process_time()
                look()
                if number:  # the first turn warms up
                    taken[name].append(time.process_time() - started)
    usual = {name: statistics.median(each) for name, each in taken.items()}
    base = ("hello", usual["hello"])
    whats = {"sheet": ("first sheet after a change, 66 rounds", 12), "hearing": ("a hearing", 3)}
    whats |= {"now": ("the sheet asked for after a save, 66 rounds", 12)}
    whats |= {"statistics": (f"first statistics after a change, {ROWS:,} rounds", 80), "look-up": ("a look-up", 4)}
    for name, (what, aim) in whats.items():
        yield ratio(f"{what}, over hello, in process", aim, (name, usual[name]), base)


def _holding(client: Client, request: dict[str, Any], word: str) -> None:
    if word not in client.send(request).get_data(as_text=True):
        raise AssertionError(f"{request['path']} does not hold “{word}”")


# -- the server itself -------------------------------------------------------------------------------------------------


def _starting(ground: Ground) -> Iterator[Figure]:
    """Measure from the start of the process to the first page, and the first sheet after it."""
    match, firsts, sheets = ground.club.match(12), [], []
    for _ in range(STARTS):
        started = time.perf_counter()
        with served("waitress", "referee:create_app", ground.folder, ground.settings, pause=0.005) as server:
            firsts.append(time.perf_counter() - started)
            started = time.perf_counter()
            Wire(server.port, ground.club.phone.headers).send("GET", f"/matches/{match}", "Ada")
            sheets.append(time.perf_counter() - started)
    first, sheet = statistics.median(firsts), statistics.median(sheets)
    yield Figure("start until the first page", first, 0.5, f"{min(firsts):.2f} to {max(firsts):.2f} s", "s")
    yield Figure("the first sheet after it", sheet * 1000, 60, f"{min(sheets):.3f} to {max(sheets):.3f} s", "ms")


def _memory(ground: Ground, server: Served) -> Iterator[Figure]:
    match, before = ground.club.match(12), server.memory()
    wire = Wire(server.port, ground.club.phone.headers)
    pages = {"/": "Referee", f"/matches/{match}": "Ada", "/rules": "Rules", "/disputes": "Dispute", "/history/": "Ada"}
    for _ in range(REQUESTS // len(pages)):
        for path, word in pages.items():
            wire.send("GET", path, word)
    after = server.memory()
    raw = f"{before:.1f} MB before, all processes of the server"
    yield Figure(f"memory after {REQUESTS:,} requests", after, 70, raw, "MB")
    for _ in range(TABLES - 1):
        path = f"/matches/{ground.club.match(12)}"
        for _ in range(REQUESTS // TABLES):
            wire.send("GET", path, "Ada")
    yield Figure(f"memory with {TABLES} tables", server.memory(), 110, f"{after:.1f} MB with one", "MB")


def _at_rest(ground: Ground, server: Served) -> Iterator[Figure]:
    match = ground.club.match(12)
    with running_browser() as browser:
        context = browser.new_context(**PHONE, base_url=server.address)
        name, _, value = ground.club.phone.headers["Cookie"].partition("=")
        context.add_cookies([{"name": name, "value": value, "url": server.address}])
        page = context.new_page()
        scale = Scale(page)
        scale.visit(f"/matches/{match}")
        assert page.get_by_text("Ada").count()
        bytes, requests = scale.rest(REST)
    yield Figure("an open sheet at rest, requests a minute", requests, 12, f"{requests} requests", "")
    yield Figure("an open sheet at rest, a minute", bytes / 1000, 10, f"{bytes:,} bytes with both headers", "kB")
