"""Time what a busy club opens, beside few and beside very many rounds of other clubs: they should not feel them.

A database is filled by `tools.benchmarks.filling` with a busy club (20,000 rounds) and 10,000 rounds of others; a copy
of it is filled up to a million rounds. So the same club stands in both, row by row, and a ratio between the two tells
what the size of the database costs, and nothing else.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from flask import Flask
from sqlalchemy import select

from referee.records.models import Club as Row
from referee.records.models import Match, MatchStatus
from referee.records.soundness import faults_of_club
from referee.web.server.database import db
from tools.benchmarks.figures import Figure, Thing, in_words, medians, ratio
from tools.benchmarks.filling import Filled, crowd, extend, fill
from tools.benchmarks.ground import Client, Club, hello_app, phone_of, running_app

ROUNDS, BUSY = 1_000_000, 20_000
FEW, FEW_CLUBS = 10_000, 10
"""Rounds of other clubs where there are few, and clubs that played them: of that size, a thousand make a million."""
MOST_GROWTH = 1.3
FEWER_TIMES = 9
"""How often a large club is asked for each thing: its statistics take seconds."""
LARGE_CLUB = {
    "home, after": 10.0,
    "a search": 3.0,
    "history of": 5.0,
    "players compared": 10.0,
    "statistics by JSON": 10.0,
}
"""How much dearer some things may be in a club a hundred times as large; whatever is not named here stays flat."""
LONGEST_FILL = 300
SAMPLE = 5
"""Clubs of which every row is worked out again after filling."""
MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Side:
    """One database, and what is opened on it."""

    filled: Filled
    things: dict[str, Thing]


def scale(times: int, *, postgresql: bool = False, most: int = ROUNDS) -> Iterator[Figure]:
    """Fill both databases and measure; `most` rounds in the larger one."""
    with ExitStack() as stack:
        few_at, copied = _databases(stack, postgresql=postgresql)
        app = stack.enter_context(running_app(few_at))
        filled = fill(app, clubs=FEW_CLUBS, rounds=FEW, busy=BUSY)
        full = stack.enter_context(running_app(copied()))
        filled_up = extend(full, filled, most)
        few, many = Side(filled, _things(app, filled)), Side(filled_up, _things(full, filled_up))
        name = "PostgreSQL" if postgresql else "SQLite"
        rounds = f"{many.filled.rounds:,} rounds of {many.filled.clubs:,} clubs"
        yield Figure(f"{name} filled with {rounds}", many.filled.seconds, LONGEST_FILL, "", "s")
        yield Figure(f"what is wrong in {SAMPLE} of these clubs", _faults(full), 0, "", "")
        yield from _against_hello(few, many, times)
        yield from _export(full, many.filled)


def one_club(times: int, *, most: int = ROUNDS) -> Iterator[Figure]:
    """Put all rounds into one club, ten times as many again and again, and measure what it opens."""
    times = min(times, FEWER_TIMES)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="referee-benchmark-", ignore_cleanup_errors=True)))
        address, size = f"sqlite:///{folder}/{FEW}.db", FEW
        app = stack.enter_context(running_app(address))
        filled = fill(app, clubs=1, rounds=1, busy=FEW)
        sizes = {size: medians(_of_a_large_club(app, filled), times=times, in_a_row=3)}
        while size < most:
            with closing(sqlite3.connect(folder / f"{size}.db")) as connection:
                connection.execute("VACUUM INTO ?", (str(folder / f"{size * 10}.db"),))
            size *= 10
            larger = stack.enter_context(running_app(f"sqlite:///{folder}/{size}.db"))
            filled = crowd(larger, filled, size)
            sizes[size] = medians(_of_a_large_club(larger, filled), times=times, in_a_row=3)
        for name, least in sizes[FEW].items():
            raw = ", ".join(f"{count:,} rounds {in_words(taken[name])}" for count, taken in sizes.items())
            aim = next((allowed for begin, allowed in LARGE_CLUB.items() if name.startswith(begin)), MOST_GROWTH)
            yield Figure(f"{name}: {size:,} rounds in one club over {FEW:,}", sizes[size][name] / least, aim, raw)


def _of_a_large_club(app: Flask, filled: Filled) -> dict[str, Thing]:
    things = _things(app, filled)
    program = Client(app, {"Authorization": f"Bearer {filled.busy.scorekeeper_token}"})
    phone, player = phone_of(app, program), program.read("GET", "/players")["players"][0]["id"]
    with app.app_context():
        here = (Match.club_id == filled.busy.club.id, Match.status == MatchStatus.FINISHED)
        old = db.session.scalars(select(Match.id).where(*here).order_by(Match.id).offset(FEW // 100).limit(1)).one()
        db.session.remove()

    def opening(client: Client, path: str) -> Thing:
        request = client.request("GET", path)
        return lambda: client.send(request)

    return {
        "home": opening(phone, "/"),
        "home, after a match ended": _afresh(opening(phone, "/")),
        "an old match": opening(phone, f"/history/matches/{old}"),
        "history, first page": things["history, first page"],
        "history of one player": opening(phone, f"/history/?player={player}"),
        "a search without a hit": opening(phone, "/history/?search=zyzzyva"),
        "a player's statistics": things["a player's statistics"],
        "players compared, first look": _afresh(opening(phone, "/history/players")),
        "statistics by JSON": opening(program, "/api/v1/statistics"),
    }


def _databases(stack: ExitStack, *, postgresql: bool) -> tuple[str, Callable[[], str]]:
    """Make an empty database; give its address, and what copies it as it then stands and gives that address."""
    if postgresql:
        from tests.ground.postgresql import fresh_database, running_postgresql

        server = stack.enter_context(running_postgresql())
        few = stack.enter_context(fresh_database(server, "few"))
        return few, lambda: stack.enter_context(fresh_database(server, "many", template="few"))
    folder = Path(stack.enter_context(TemporaryDirectory(prefix="referee-benchmark-", ignore_cleanup_errors=True)))

    def copied() -> str:
        with closing(sqlite3.connect(folder / "few.db")) as connection:
            connection.execute("VACUUM INTO ?", (str(folder / "many.db"),))
        return f"sqlite:///{folder}/many.db"

    return f"sqlite:///{folder}/few.db", copied


def _things(app: Flask, filled: Filled) -> dict[str, Thing]:
    program = Client(app, {"Authorization": f"Bearer {filled.busy.scorekeeper_token}"})
    club = Club(app, program, phone_of(app, program))
    matches = program.read("GET", "/matches?status=finished")["matches"]
    match, player = matches[0]["id"], program.read("GET", "/players")["players"][0]["id"]
    board = Client(app)
    now = f"/live/{filled.busy.spectator_token}/now"
    etag = board.send(board.request("GET", now)).headers["ETag"]
    unchanged = board.request("GET", now, **{"If-None-Match": etag})
    changed = board.request("GET", now, **{"If-None-Match": 'W/"another"'})

    def opening(path: str) -> Thing:
        request = club.phone.request("GET", path)
        return lambda: club.phone.send(request)

    statistics = opening(f"/history/players/{player}")
    return {
        "history, first page": opening("/history/"),
        "a match": opening(f"/history/matches/{match}"),
        "a player's statistics": statistics,
        "a player's statistics, first look": _afresh(statistics),
        "board, unchanged": lambda: board.send(unchanged, 304),
        "board, changed": lambda: board.send(changed),
    }


def _afresh(open_it: Thing) -> Thing:
    from referee.web.players.views import DRAWN  # rooms are loaded with their app

    def look() -> object:
        DRAWN.clear()
        return open_it()

    return look


def _against_hello(few: Side, many: Side, times: int) -> Iterator[Figure]:
    hello = Client(hello_app())
    greeting = hello.request("GET", "/")
    things: dict[str, Thing] = {"hello": lambda: hello.send(greeting)}
    for size, side in (("few", few), ("many", many)):
        things |= {f"{name}, {size}": thing for name, thing in side.things.items()}
    taken = medians(things, times=times, warm_up=5)
    for name in few.things:
        over, under = taken[f"{name}, many"], taken[f"{name}, few"]
        yield ratio(f"{name}: beside a million over beside 10,000", MOST_GROWTH, ("many", over), ("few", under))
    hellos = ("hello", taken["hello"])
    statistics = "a player's statistics"
    aims = {statistics: 80.0, f"{statistics}, first look": 80.0, "board, unchanged": 2.0}
    for name in few.things:
        most = aims.get(name, float("inf"))
        yield ratio(f"{name}, {BUSY:,} rounds of one club", most, ("many", taken[f"{name}, many"]), hellos)


def _faults(app: Flask) -> int:
    """Work every row of some clubs out again, drawn by chance, and print what does not agree."""
    with app.app_context():
        session = db.session()
        ids = session.scalars(select(Row.id).order_by(Row.id)).all()
        faults = [
            fault
            for club in Random(1).sample(ids, SAMPLE)
            for fault in faults_of_club(session, session.get_one(Row, club))
        ]
        unfinished = session.scalars(select(Match.id).where(Match.status == MatchStatus.FINISHED).limit(1)).all()
        db.session.remove()
    for fault in faults[:20]:
        print(fault, file=sys.stderr)
    return len(faults) + (not unfinished)


# VmHWM and not ru_maxrss, which counts what the process was before it became this program
_EXPORT = """
import sys
from referee import create_app
app = create_app({"SECRET_KEY": "benchmark", "SQLALCHEMY_DATABASE_URI": sys.argv[1], "INSTANCE": sys.argv[2]})
client = app.test_client(use_cookies=False)
answer = client.get("/api/v1/export", headers={"Authorization": "Bearer " + sys.argv[3]}, buffered=False)
assert answer.status_code == 200, answer.status
size = sum(map(len, answer.response))
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(size, status["VmHWM"].split()[0])
"""


def _export(app: Flask, filled: Filled) -> Iterator[Figure]:
    """Let a process of its own export the busy club and one of usual size, and compare the most memory each took."""
    peaks = []
    for token in (filled.models[0][0].scorekeeper_token, filled.busy.scorekeeper_token):
        address, instance = app.config["SQLALCHEMY_DATABASE_URI"], app.config["INSTANCE"]
        command = [sys.executable, "-c", _EXPORT, address, instance, token]
        said = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": "."})
        size, peak = map(int, said.stdout.split())
        peaks.append((peak * 1024 / MEGABYTE, size / MEGABYTE))
    (little, little_size), (much, much_size) = peaks
    raw = f"{much:.0f} MB for a file of {much_size:.1f} MB / {little:.0f} MB for one of {little_size:.1f} MB"
    yield Figure(f"most memory, exporting {BUSY:,} rounds over exporting a usual club", much / little, 1.1, raw)
