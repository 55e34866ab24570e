"""A real server under the worst requests that anyone found: it goes on answering, and keeps nothing of them."""

import gzip
import http.client
import json
import math
import os
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.abuse.large import with_players, with_rounds, with_stays
from tests.abuse.shapes import RAW, TEXTS
from tests.faults.evening import PATIENCE, ServerProcess
from tests.ground.client import TOKEN, find_in

REQUESTS = 1_200
CONNECTIONS = 4
IDLE = 120
"""Connections that bring nothing, or half a request."""
LONGEST_WORK = 5.0
"""Seconds that the server may work while ``/healthz`` waits: what grows with the square of a request takes longer."""
PARTS = 4
"""Parts the requests come in: what a server keeps of each request grows in all of them, what it takes once in one."""
MOST_KEPT = 3_000
"""Kilobytes by which the server may grow in the part in which it grows least."""
ROUNDS = 300
PLAYERS = 1_000
CARDS = [f"{color}-{face}" for color in ("red", "blue", "green", "yellow") for face in (*range(1, 10), "skip")]
JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True)
class Request:
    """A request as it goes over the wire."""

    method: str
    path: str
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


Attack = Callable[[int], Request]
"""Make a request; the number makes it unlike all others, so that no cache spares the server."""


@dataclass
class Target:
    """A server with a club as large as it may be, and all that a member or a stranger needs to call on it."""

    server: ServerProcess
    key: str
    importer: str
    """key of another club, into which things are brought: it is closed meanwhile, and no other"""
    match: str
    document: Mapping[str, Any]
    cookie: str
    token: str

    def bearer(self) -> dict[str, str]:
        """Give the header of a program with the club's key."""
        return {"Authorization": f"Bearer {self.key}"}

    def memory(self) -> int:
        """Read how many kilobytes of memory the server holds."""
        return int(find_in(r"VmRSS:\s+(\d+)", self._process("status")))

    def seconds(self) -> float:
        """Read for how long the server has had a processor."""
        fields = self._process("stat").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _process(self, name: str) -> str:
        assert self.server.process is not None
        return Path(f"/proc/{self.server.process.pid}/{name}").read_text()


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Target]:
    """Start a server without limits on how often anyone asks, and fill a club."""
    server = ServerProcess(f"sqlite:///{tmp_path / 'referee.db'}", tmp_path)
    with ExitStack() as stack:
        server.start()
        stack.callback(server.stop)
        yield furnished(server)


def furnished(server: ServerProcess) -> Target:
    """Found a club, and bring a large one into it."""
    small = ask(server, "POST", "/clubs", {"name": "Small"})["scorekeeper_key"]
    plan = {"players": ["Ada", "Bo", "Cy"], "rulebook": "classic-500", "target": 99_999}
    match = ask(server, "POST", "/matches", plan, small)["id"]
    entry = {"after": 0, "went_out": "Ada", "hands": {"Bo": ["7"], "Cy": 1}}
    ask(server, "POST", f"/matches/{match}/rounds", entry, small)
    document = ask(server, "GET", "/export", None, small)
    key = ask(server, "POST", "/clubs", {"name": "Large"})["scorekeeper_key"]
    importer = ask(server, "POST", "/clubs", {"name": "Always bringing something in"})["scorekeeper_key"]
    ask(server, "POST", "/import", with_players(with_rounds(document, ROUNDS), PLAYERS), key)
    match = ask(server, "GET", "/matches", None, key)["matches"][0]["id"]
    status, page, headers = server.ask("GET", "/rules")
    found = TOKEN.search(page)
    assert status == 200
    assert found
    cookie = headers["Set-Cookie"].partition(";")[0]
    return Target(server, key, importer, match, document, cookie, found[1])


def ask(server: ServerProcess, method: str, path: str, body: Any, key: str = "") -> Any:
    """Call the JSON interface, which has to do as asked."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    status, answer, _ = server.ask(method, f"/api/v1{path}", body, headers)
    assert status in (200, 201), answer
    return answer


def attacks(target: Target) -> Iterator[tuple[float, Attack]]:
    """Give every attack, and how many of a hundred requests it makes."""
    match, key = f"/api/v1/matches/{target.match}", target.bearer()
    marks, more_marks, most_marks = (TEXTS["marks"](size) for size in (30_000, 60_000, 200_000))
    letters = TEXTS["letters"](80_000)
    bodies = {name: make(60_000) for name, make in RAW.items()}

    def api(path: str, body: Callable[[int], Any], method: str = "POST", keyed: bool = False) -> Attack:
        def make(number: int) -> Request:
            made = body(number)
            sent = made if isinstance(made, bytes) else json.dumps(made, ensure_ascii=False).encode()
            return Request(method, path if keyed else f"/api/v1{path}", sent, JSON | (key if keyed else {}))

        return make

    def form(path: str, fields: Callable[[int], list[tuple[str, str]]]) -> Attack:
        kind = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": target.cookie}
        return lambda number: Request(
            "POST", path, urlencode([("csrf_token", target.token), *fields(number)]).encode(), kind
        )

    def get(path: Callable[[int], str], headers: Mapping[str, str] = {}) -> Attack:
        return lambda number: Request("GET", path(number), b"", headers)

    def hearing(facts: Callable[[int], Mapping[str, Any]], dispute: str = "can-i-play") -> Attack:
        return api("/hearings", lambda number: {"dispute": dispute, "rulebook": "classic-500", "facts": facts(number)})

    def hand(number: int) -> list[str]:
        return random.Random(number).choices(CARDS, k=30)

    def draws(number: int) -> list[dict[str, str]]:
        return [{"player": f"{number}.{place}", "card": "7"} for place in range(9)]

    # marks, wherever names and notes go
    yield 8, api("/clubs", lambda number: {"name": f"{number}{more_marks}"})
    yield 3, form("/matches/new", lambda number: [("players", f"{number}{marks}"), ("step", "save")])
    yield 2, api(f"{match}", lambda number: {"note": f"{number}{most_marks}"}, "PATCH", keyed=True)
    yield 2, get(lambda number: f"/rules/topics/{number}" + "%CC%95%CC%80" * 100)
    # JSON that costs more than it looks
    for name in ("duplicate keys", "one key again and again", "closed brackets", "a list", "long numbers", "a number"):
        yield 2, api("/hearings", partial(same, bodies[name]))
    yield 2, api("/score", lambda number: bodies["other fields"])
    yield 2, api(f"{match}/rounds", lambda number: bodies["duplicate keys"], keyed=True)
    # hearings: padded cards, endless hands, house rules by the thousand, and each another one, to be cached
    yield 3, hearing(lambda number: {"card": " " * (50_000 + number) + "red-7"})
    yield 2, hearing(lambda number: {"card": f"{number} " * 8_000})
    yield 6, hearing(lambda number: {"card": "red-7", "top_card": "blue-3", "hand": hand(number)})
    yield 3, hearing(lambda number: {"hand": hand(number), "played": hand(-number)[:3]}, "reverse-run")
    yield 3, hearing(lambda number: {"drawn": draws(number)}, "who-starts")
    yield 2, api("/hearings", lambda number: {"dispute": "deal", "rulebook": "classic-500",
                                               "house_rules": [f"{number}"] * 8_000})  # fmt: skip
    yield 2, api("/score", lambda number: {"rulebook": "classic-500", "house_rules": ["seven-zero"] * 4_000})
    yield 3, api("/score", lambda number: {"rulebook": "official", "went_out": "Ada", "house_rules": ["two-decks"],
                                           "hands": {f"{number}.{n}": hand(n) * 3 for n in range(9)}})  # fmt: skip
    # questions of many words that nobody knows, and pages made of them
    yield 6, get(lambda number: "/api/v1/rules?" + urlencode({"q": nonsense(number)}))
    yield 3, get(lambda number: "/rules?" + urlencode({"q": nonsense(number), "rulebook": "official"}))
    yield 2, get(lambda number: "/rules/compare?left=official&right=duo-200&" + "house_rule=stack-draw-two&" * 150)
    yield 2, get(lambda number: f"/disputes/wrong-card?rulebook=official&played=red-{number % 9 + 1}")
    yield 1, get(lambda number: "/disputes/can-i-play?rulebook=official&hand=" + ",".join(hand(number)))
    # addresses, headers, hosts
    yield 2, get(lambda number: f"/{number}" + "a/" * 4_000)
    yield 1, get(lambda number: "/rules?" + "&".join(f"x{number}.{n}" for n in range(5_000)))
    yield 1, get(lambda number: "/", {"Host": "a..b"})
    yield 1, get(lambda number: "/rules", {"Host": "x" * 64 + ".example"})
    for name in ("Accept", "Accept-Encoding", "Cookie", "If-None-Match", "X-Forwarded-For"):
        yield 1, partial(long_header, name)
    yield 2, lambda number: Request("GET", "/static/none.css", b"", {"Accept-Encoding": f"gzip, x{number}"})
    yield 2, lambda number: Request("GET", f"/live/{number:026}/now", b"", {"If-None-Match": f'"{number}"'})
    yield 1, get(lambda number: f"/join/{number:026}")
    # forms of many fields
    yield 2, form("/matches/new", lambda number: [("players", f"{number}.{n}") for n in range(990)])
    yield 1, form("/matches/new", lambda number: [("players", "1")] * 5_000)
    yield 1, form("/recover", lambda number: [("code", letters), (f"x{number}", "")])
    yield 1, form("/disputes/who-starts", lambda number: [("drawn", f"{number}," * 9_000)])
    # a club that does its worst within the limits
    again = b'{"after":1,"went_out":"Ada","hands":{"Bo":["7"]}}'
    importer = {"Content-Type": "application/gzip", "Authorization": f"Bearer {target.importer}"}
    stays = gzip.compress(json.dumps(with_stays(target.document, ROUNDS // 2)).encode())
    yield 1, get(lambda number: "/club", key)
    yield 1, get(lambda number: f"{match}?struck=1", key)
    yield 0.5, get(lambda number: f"{match}.csv", key)
    yield 2, get(lambda number: f"/api/v1/matches?search=x{number}", key)
    yield 0.5, get(lambda number: "/api/v1/players", key)
    yield 0.5, get(lambda number: "/api/v1/statistics", key)
    yield (
        1,
        lambda number: Request("POST", f"{match}/rounds", again, {**JSON, **key, "Idempotency-Key": f"again-{number}"}),
    )
    yield 0.2, lambda number: Request("POST", "/api/v1/import", stays, importer)
    yield 0.2, get(lambda number: "/api/v1/export", key)
    yield 0.2, get(lambda number: "/api/v1/rounds.csv", key)


def same(body: bytes, _number: int) -> bytes:
    """Give a body that costs as much each time."""
    return body


def long_header(name: str, number: int) -> Request:
    """Make a request with a header of a list that does not end."""
    return Request("GET", "/nowhere", b"", {name: f"a{number}, " * 3_500})


def nonsense(number: int) -> str:
    """Make a question of long words, each near to words that are known."""
    chance = random.Random(number)
    return " ".join("".join(chance.choices("drawcolestip", k=chance.randint(7, 14))) for _ in range(16))[:200]


@contextmanager
def crowd(port: int, count: int) -> Iterator[None]:
    """Open connections that bring nothing, or half a request, and hold them."""
    with ExitStack() as stack:
        for number in range(count):
            idle = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            if number % 2:
                idle.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nx")
        yield


def send(connection: http.client.HTTPConnection, request: Request) -> int:
    """Send a request and read the whole answer."""
    connection.request(request.method, request.path, request.body or None, dict(request.headers))
    answer = connection.getresponse()
    answer.read()
    return answer.status


def flood(port: int, requests: Iterator[Request], statuses: list[tuple[int, Request]]) -> None:
    """Send requests one after another until there are no more."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    for request in requests:
        try:
            statuses.append((send(connection, request), request))
        except (http.client.HTTPException, OSError):  # refused unread: the server closes, as it may
            connection.close()
            statuses.append((0, request))
    connection.close()


def ask_for_health(target: Target, over: threading.Event, waited: list[float]) -> None:
    """Ask ``/healthz`` again and again, and note how long the server worked meanwhile; infinity for a wrong answer.

    The server's work and not the time: no test is about what else the machine has to do.
    """
    connection = http.client.HTTPConnection("127.0.0.1", target.server.port, timeout=PATIENCE)
    while not over.is_set():
        began = target.seconds()
        status = send(connection, Request("GET", "/healthz"))
        waited.append(target.seconds() - began if status == 200 else math.inf)
        time.sleep(0.01)
    connection.close()


class Shared(Iterator[Request]):
    """Requests that several threads take from."""

    def __init__(self, requests: Iterator[Request]) -> None:
        self._requests = requests
        self._lock = threading.Lock()

    def __next__(self) -> Request:
        with self._lock:
            return next(self._requests)


def rush(port: int, requests: Iterator[Request]) -> list[tuple[int, Request]]:
    """Send requests over several connections at once, and give the status of each."""
    statuses: list[tuple[int, Request]] = []
    shared = Shared(requests)
    threads = [threading.Thread(target=flood, args=(port, shared, statuses)) for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return statuses


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="this system does not tell what a process holds")
@pytest.mark.promise("security#worst-requests")
def test_a_server_goes_on_answering_under_the_worst_requests_and_keeps_nothing_of_them(target: Target) -> None:
    port, chance = target.server.port, random.Random(8)
    weights, kinds = zip(*attacks(target), strict=True)
    rush(port, (make(-number) for number, make in enumerate(kinds * CONNECTIONS, 1)))
    waited: list[float] = []
    over = threading.Event()
    prober = threading.Thread(target=ask_for_health, args=(target, over, waited))
    held = [target.memory()]
    statuses: list[tuple[int, Request]] = []
    with crowd(port, IDLE):
        prober.start()
        chosen = iter(enumerate(chance.choices(kinds, weights, k=REQUESTS)))
        for _ in range(PARTS):
            statuses += rush(port, (make(number) for number, make in islice(chosen, REQUESTS // PARTS)))
            held.append(target.memory())
        over.set()
        prober.join()
    assert len(statuses) == REQUESTS
    closed = "/api/v1/import"  # two at once into one club: the second is told to come back
    wrong = {(status, one.method, one.path[:80]) for status, one in statuses if status >= 500 and one.path != closed}
    assert not wrong
    assert max(waited) <= LONGEST_WORK, sorted(waited)[-10:]
    assert min(after - before for before, after in pairwise(held)) <= MOST_KEPT, held
