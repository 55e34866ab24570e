"""What one club feels of another that does its worst within the limits: ``python3 -m tools.benchmarks neighbours``.

A real server on SQLite. One club records a round a hundred times a minute, as a table in a hurry does, and something
asks for ``/healthz`` as often; beside them a club that is as large as a club may be does one thing over and over, each
for the same while, once in eight threads at a time. Every answer is held against the status that is due: any surprise
on either side stops the measurement, and so does a 503 but to one of the eight.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from referee import create_app
from referee.records.errors import MOST_PLAYERS, MOST_ROUNDS
from referee.records.ids import new_id
from referee.records.models import Match, Player, Round, RoundScore, RoundVersion, Seat
from referee.web.server.database import db
from tools.benchmarks.figures import Figure
from tools.benchmarks.ground import CAST, HANDS
from tools.benchmarks.servers import served

SECONDS = 10.0
"""How long each of the worst things is done."""
PAUSE = 0.05
"""Seconds that the measured table takes between two rounds."""
MOST = 250.0
"""Milliseconds within which 99 of 100 rounds of the other club, and looks at ``/healthz``, are to be answered."""
AT_ONCE, MOST_AT_ONCE = 8, 500.0
"""Threads that do long work beside a table, and the milliseconds that its rounds may take then."""
LONG_MATCHES = 2
"""Matches of so many rounds that exporting them is long work."""
OLD_MATCHES = 300
"""Finished matches of the large club."""
TABLE = 10
"""Players at the long match, as many as sit at any table."""


@dataclass
class Phone:
    """A program with a key, on one connection that it keeps."""

    address: str
    key: str = ""
    _open: HTTPConnection | None = field(default=None, repr=False)

    def call(self, method: str, path: str, body: Any = None, *, due: Sequence[int] = (200, 201), **more: str) -> Any:
        """Send a request and read its answer; raises AssertionError for a status that is not due."""
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        headers |= {"Content-Type": "application/json"} if body is not None else {}
        said = None if body is None else json.dumps(body).encode()
        read = self._ask(method, f"/api/v1{path}", said, headers | more, due)
        return json.loads(read) if read.startswith(b"{") else read

    def look(self) -> None:
        """Ask whether the server is alive."""
        self._ask("GET", "/healthz", None, {}, (200,))

    def _ask(self, method: str, path: str, said: bytes | None, headers: dict[str, str], due: Sequence[int]) -> bytes:
        if self._open is None:
            self._open = HTTPConnection(urlsplit(self.address).netloc, timeout=60)
        self._open.request(method, path, said, headers)
        answer = self._open.getresponse()
        read = answer.read()
        assert answer.status in due, f"{method} {path}: {answer.status}: {read[:300]!r}"
        return read


def neighbours() -> Iterator[Figure]:
    """Measure the rounds of one club, alone and beside each of the worst things that another can do."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="referee-neighbours-", ignore_cleanup_errors=True)))
        settings = {
            "DATABASE_URL": f"sqlite:///{folder / 'referee.db'}",
            "REFEREE_INSTANCE": str(folder),
            "REFEREE_SECRET_KEY": "benchmark",
            "REFEREE_RATELIMIT_ENABLED": "false",  # here everybody comes from one address
        }
        server = stack.enter_context(served("waitress", "referee:create_app", folder, settings))
        quiet, loud = (_found(server.address, name) for name in ("Quiet", "Loud"))
        old = _finish_some(loud)
        matches = [_play(loud, TABLE, 100_000) for _ in range(LONG_MATCHES)]
        _grow(settings, matches)
        things = {"nobody": lambda: time.sleep(PAUSE)} | _worst(loud, matches[-1], old)
        for name, thing in things.items():
            yield from _beside(quiet, name, [thing])
        each = [Phone(loud.address, loud.key) for _ in range(AT_ONCE)]
        exports = [partial(phone.call, "GET", "/export", due=(200, 503)) for phone in each]
        yield from _beside(quiet, f"{AT_ONCE} exports of the whole club at once", exports, MOST_AT_ONCE)


def _found(address: str, name: str) -> Phone:
    club = Phone(address).call("POST", "/clubs", {"name": name})
    return Phone(address, club["scorekeeper_key"])


def _names(players: int) -> list[str]:
    return [*CAST, *(f"Player {number}" for number in range(len(CAST), players))][:players]


def _play(phone: Phone, players: int, target: int) -> str:
    plan = {"players": _names(players), "rulebook": "official", "target": target}
    return str(phone.call("POST", "/matches", plan)["id"])


def _round(after: int, players: int = len(CAST)) -> dict[str, Any]:
    hands = {name: ["1"] for name in _names(players)[1:]} | {name: list(hand) for name, hand in HANDS.items()}
    return {"after": after, "went_out": CAST[0], "hands": hands}


def _finish_some(phone: Phone) -> str:
    """Finish many matches and give the first, on which all ratings after it stand."""
    first = ""
    for _ in range(OLD_MATCHES):
        match = _play(phone, len(CAST), 100)
        phone.call("POST", f"/matches/{match}/rounds", _round(0), Prefer="return=minimal")
        first = first or match
    return first


def _grow(settings: dict[str, str], matches: Sequence[str]) -> None:
    """Fill the loud club to its limits: long matches, all but for the rounds that are measured, and its players."""
    own_settings = {"SECRET_KEY": "benchmark", "INSTANCE": settings["REFEREE_INSTANCE"]}
    app = create_app(own_settings | {"SQLALCHEMY_DATABASE_URI": settings["DATABASE_URL"]})
    with app.app_context():
        session = db.session()
        club = {"club_id": session.scalars(select(Match.club_id).where(Match.id.in_(matches))).first()}
        for match in matches:
            _fill(session, club, match)
        there = (
            session.scalar(select(db.func.count()).select_from(Player).where(Player.club_id == club["club_id"])) or 0
        )
        names = [f"Guest {number}" for number in range(MOST_PLAYERS - there - 100)]
        session.execute(
            insert(Player), [club | {"id": new_id(), "name": name, "folded_name": name.casefold()} for name in names]
        )
        session.execute(update(Match).where(Match.id.in_(matches)).values(tally=None))
        session.commit()
        db.session.remove()
        db.engine.dispose()


def _fill(session: Session, club: dict[str, str | None], match: str) -> None:
    seats = session.execute(select(Seat.seat, Seat.player_id).where(Seat.match_id == match)).all()
    ids = [new_id() for _ in range(MOST_ROUNDS - 600)]
    own = club | {"match_id": match}
    session.execute(insert(Round), [own | {"id": id, "place": place} for place, id in enumerate(ids, start=1)])
    entry = {"ended": "went-out", "went_out": 0, "hands": {}, "cards_left": {}, "last_card": None}
    score = {"hands": {}, "points": {"0": 1}, "credited_to": [0], "winners": [0]}
    said = {"version": 1, "entry": entry | {"credited_to": None, "sat_out": []}, "score": score}
    session.execute(insert(RoundVersion), [club | said | {"round_id": id} for id in ids])
    brought = {"players": len(seats), "scale": "highest", "went_out": False}
    session.execute(
        insert(RoundScore),
        [
            own | brought | {"place": place, "seat": seat, "player_id": player, "points": int(seat == 0)}
            for place in range(1, len(ids) + 1)
            for seat, player in seats
        ],
    )


def _worst(phone: Phone, long: str, old: str) -> dict[str, Callable[[], object]]:
    """Give what a club can do over and over, by what it is called."""
    rounds = f"/matches/{long}/rounds"
    standing = phone.call("GET", f"/matches/{long}")
    recorded = count(len(standing["rounds"]))
    newest: dict[str, Any] = {"If-Match": "*"}
    other, same = _round(0, TABLE), count()
    del other["after"]

    def correct() -> None:
        """Correct rounds of the long match in turn, so that none is changed too often."""
        played = standing["rounds"][next(same) % len(standing["rounds"])]["id"]
        phone.call("PUT", f"{rounds}/{played}", other, **newest)

    def turn_the_past() -> None:
        """Reopen the oldest match, which takes its ratings away, and finish it again."""
        for what in ("reopen", "finish"):
            phone.call("POST", f"/matches/{old}/{what}", due=(200, 422))

    names = count()

    def new_match() -> None:
        number = next(names)
        players = [f"Guest {(number * TABLE + seat) % 1000}" for seat in range(TABLE)]
        phone.call("POST", "/matches", {"players": players, "rulebook": "official", "note": "x" * 1900})

    def ruling() -> None:
        case = {"dispute": "played-card-effect", "facts": {"players": TABLE, "played": "red-skip"}}
        phone.call("POST", f"/matches/{long}/rulings", case, due=(201, 422))

    return {
        "rounds of a match of 1,400": lambda: phone.call("POST", rounds, _round(next(recorded), TABLE)),
        "corrections in it": correct,
        "its sheet, read": lambda: phone.call("GET", f"/matches/{long}"),
        "matches begun": new_match,
        "rulings saved": ruling,
        "the oldest of 300 matches reopened and finished": turn_the_past,
        "all rounds as CSV": lambda: phone.call("GET", "/rounds.csv"),
        "the whole club exported": lambda: phone.call("GET", "/export"),
        "2,000 players listed": lambda: phone.call("GET", "/players"),
        "statistics": lambda: phone.call("GET", "/statistics"),
    }


def _beside(quiet: Phone, name: str, things: Sequence[Callable[[], object]], most: float = MOST) -> Iterator[Figure]:
    """Record rounds in one club while others do things over and over; gives the slowest but one of a hundred."""
    match, over, done, wrong = _play(quiet, len(CAST), 100_000), threading.Event(), count(), list[BaseException]()

    def go_on(thing: Callable[[], object]) -> None:
        try:
            while not over.is_set():
                thing()
                next(done)
        except BaseException as error:
            wrong.append(error)

    others = [threading.Thread(target=go_on, args=(thing,)) for thing in things]
    for other in others:
        other.start()
    rounds, looks = list[float](), list[float]()
    end = time.monotonic() + SECONDS
    for after in count():
        record = partial(quiet.call, "POST", f"/matches/{match}/rounds", _round(after), Prefer="return=minimal")
        rounds.append(_timed(record))
        looks.append(_timed(quiet.look))
        if time.monotonic() > end:
            break
        time.sleep(PAUSE)
    over.set()
    for other in others:
        other.join()
    if wrong:
        raise wrong[0]
    times = f"{next(done)} times"
    yield _figure(f"another club's round beside {name}", rounds, most, times)
    yield _figure(f"/healthz beside {name}", looks, MOST, times)


def _timed(thing: Callable[[], object]) -> float:
    began = time.perf_counter()
    thing()
    return (time.perf_counter() - began) * 1000


def _figure(what: str, taken: list[float], most: float, times: str) -> Figure:
    taken.sort()
    p50, p99 = taken[len(taken) // 2], taken[int(len(taken) * 0.99)]
    raw = f"{len(taken)} of them: p50 {p50:.1f} ms, p99 {p99:.0f} ms, slowest {taken[-1]:.0f} ms; {times}"
    return Figure(f"{what}, p99 in ms", p99, most, raw)
