"""Load real servers as an evening at sixteen tables does, beside a Flask app that says “Hello” on the same server.

By wrk with 16 connections: boards that nothing changed; the pages of an evening without its polls, which also warms
everything up; the whole evening, in the proportions that stand in ``evening.lua`` with their reasons. Hello takes
turns with what is measured. In the end every round that was acknowledged is looked for in the database, and
``referee check`` proves it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.request import urlopen

from sqlalchemy import func, select

from referee.records.models import Round
from referee.web.server.database import db
from tools.benchmarks import wrk
from tools.benchmarks.figures import Figure, in_words
from tools.benchmarks.filling import fill
from tools.benchmarks.ground import CAST, Client, found_club, phone_of, running_app
from tools.benchmarks.servers import HELLO, Served, served
from tools.benchmarks.wrk import CONNECTIONS, Run, in_turn

TURNS = 4
"""How often hello and what is measured beside it take turns."""
CLUBS = 4
"""At how many clubs the tables sit."""
TARGET = 400
"""Reached in the thirteenth round, when each goes out in turn and catches 109 points."""
PAGES = 0.1
"""Requests of the pages alone, as a share of those of the evening."""
LEAST_POLLS, LEAST_MIX = 0.5, 0.2
MOST_SPREAD = 10.0
"""How many times the median the slowest hundredth of a kind may take."""
MOST_GROWTH = 1.05
ENOUGH = 200
"""Requests of a kind; of fewer, the slowest hundredth is one or two, and stands in the table only."""


@dataclass(frozen=True)
class Sides:
    """Both servers, and the folder that tells wrk who sits at the tables."""

    name: str
    hello: Served
    app: Served
    folder: Path


def load(requests: int, *, postgresql: bool = False) -> Iterator[Figure]:
    """Fill a club, start both servers, send `requests` of the whole evening, and measure; print a table in the end.

    Raises `tools.benchmarks.wrk.NoWrk`, and `tests.ground.postgresql.NoPostgreSQL` where these are missing.
    """
    wrk.look_for_wrk()
    kind, name = ("gunicorn", "PostgreSQL") if postgresql else ("waitress", "SQLite")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="referee-load-", ignore_cleanup_errors=True)))
        settings = {
            "DATABASE_URL": _database(stack, folder, postgresql=postgresql),
            "REFEREE_INSTANCE": str(folder),
            "REFEREE_SECRET_KEY": "benchmark",
            "REFEREE_RATELIMIT_ENABLED": "false",  # here everybody comes from one address
        }
        board = sit_down(folder, settings["DATABASE_URL"])
        with served(kind, HELLO, folder) as hello, served(kind, "referee:create_app", folder, settings) as app:
            yield from _measure(Sides(name, hello, app, folder), board, requests)
        yield from proof(name, folder, settings)


def _database(stack: ExitStack, folder: Path, *, postgresql: bool) -> str:
    if not postgresql:
        return f"sqlite:///{folder}/referee.db"
    from tests.ground.postgresql import fresh_database, running_postgresql

    return stack.enter_context(fresh_database(stack.enter_context(running_postgresql()), "evening"))


def sit_down(folder: Path, database: str, tables: int = CONNECTIONS) -> str:
    """Fill clubs that have played for years, seat the tables in them, and give the path of the board of one.

    More than sixteen tables sit at new clubs, four at each.
    """
    with running_app(database) as app:
        filled = fill(app, clubs=10, rounds=5000, busy=2000)
        clubs = [filled.busy, *(model for model, _ in filled.models)][:CLUBS]
        keys = [club.scorekeeper_token for club in clubs]
        new = [found_club(app) for _ in range(CLUBS, tables // 4)]
        keys += [club.scorekeeper.headers["Authorization"].removeprefix("Bearer ") for club in new]
        for number in range(tables):
            key = keys[number % len(keys)]
            program = Client(app, {"Authorization": f"Bearer {key}"})
            known = _players(program)
            names = [f"{name} {number + 1}" for name in CAST]
            plan = {"players": names, "rulebook": "classic-500", "target": TARGET}
            match = program.read("POST", "/matches", plan)["id"]  # the names join the club
            program.read("POST", f"/matches/{match}/abandon", {})
            now = _players(program)
            phone = phone_of(app, program)
            said = {
                "key": key,
                "cookie": phone.headers["Cookie"],
                "csrf": phone.headers["X-CSRFToken"],
                "plan": json.dumps(plan),
            }
            lines = [f"{name} = {json.dumps(value)}" for name, value in said.items()]
            lines += [f"players = {_lua(now[name] for name in names)}", f"known = {_lua((known or now).values())}"]
            (folder / f"table-{number}.lua").write_text(f"return {{ {', '.join(lines)} }}\n", "utf-8")
        return f"/live/{filled.busy.spectator_token}/now"


def _players(program: Client) -> dict[str, str]:
    return {player["name"]: player["id"] for player in program.read("GET", "/players")["players"]}


def _lua(texts: Iterable[str]) -> str:
    return f"{{ {', '.join(map(json.dumps, texts))} }}"


def _measure(sides: Sides, board: str, requests: int) -> Iterator[Figure]:
    seconds = max(1, requests // 20_000)
    folder, app = sides.folder, sides.app
    hello = partial(wrk.plain, "hello", sides.hello, seconds)
    etag = _etag(app.address + board)
    asked = folder / "boards.txt"
    asked.write_text(f"{board} {etag}\n" * CONNECTIONS, "utf-8")
    hellos, polls = in_turn(TURNS, hello, partial(wrk.plain, "board, unchanged", app, seconds, asked))
    if _etag(app.address + board) != etag:
        raise AssertionError("the board changed while it was measured")
    pages = wrk.evening(app, folder, 0, int(requests * PAGES))
    before = app.memory()
    beside, evening = in_turn(TURNS, hello, partial(wrk.evening, app, folder, 1, requests // TURNS))
    after = app.memory()
    yield _rate(f"{sides.name}: board, unchanged", polls, hellos, LEAST_POLLS)
    yield _rate(f"{sides.name}: the evening", evening, beside, LEAST_MIX)
    yield _rate(f"{sides.name}: its pages alone, without polls", pages, beside, 0)
    yield from _spreads(sides.name, polls)
    yield from _spreads(sides.name, evening)
    errors = sum((run.errors for run in (hellos, polls, pages, beside, evening)), Counter[str]())
    yield Figure(f"{sides.name}: errors", errors.total(), 0, "; ".join(map(str, errors.items())), "")
    raw = f"{after:.1f} MB after {requests:,} requests / {before:.1f} MB"
    yield Figure(f"{sides.name}: memory", after / before, MOST_GROWTH, raw)
    print(f"\n{_table(sides.name, hellos, polls, pages, beside, evening)}\n")


def _etag(address: str) -> str:
    with urlopen(address) as answer:
        return str(answer.headers["ETag"])


def _rate(what: str, run: Run, hellos: Run, least: float) -> Figure:
    raw = f"{run.rate:,.0f} requests/s / hello {hellos.rate:,.0f}"
    return Figure(f"{what}, requests/s", run.rate / hellos.rate, inf, raw, least=least)


def _spreads(name: str, run: Run) -> Iterator[Figure]:
    for what, kind in run.kinds.items():
        if kind.sent >= ENOUGH and not what.startswith("error"):
            slow, usual = kind.within(0.99), kind.within(0.5)
            raw = f"{in_words(slow)} / {in_words(usual)}"
            yield Figure(f"{name}: {what}, p99 over p50", slow / usual, MOST_SPREAD, raw)


def _table(name: str, hellos: Run, polls: Run, pages: Run, beside: Run, evening: Run) -> str:
    """Write what was measured as a Markdown table; ``processor`` is what a request costs the server."""
    rows = ["| what | requests | requests/s | × hello | processor | p50 | p99 | p99 ÷ p50 |", "| --- |" + " --: |" * 7]

    def row(what: str, kinds: list[wrk.Kind], run: Run | None = None, beside: Run | None = None) -> None:
        taken = wrk.Kind(sum(kind.sent for kind in kinds), [one for kind in kinds for one in kind.seconds])
        usual, slow = taken.within(0.5), taken.within(0.99)
        rates = f"{run.rate:,.0f} | {run.rate / beside.rate:.2f} | {in_words(run.price)}" if run and beside else " | | "
        spread = f"{in_words(usual)} | {in_words(slow)} | {slow / usual:.1f}"
        rows.append(f"| {what} | {taken.sent:,} | {rates} | {spread} |")

    for what, run, other in (
        ("hello", hellos, hellos),
        ("board, unchanged", polls, hellos),
        ("hello again", beside, beside),
        ("**the evening**", evening, beside),
    ):
        row(f"{name}: {what}", list(run.kinds.values()), run, other)
    for what, kind in sorted(evening.kinds.items(), key=lambda item: -item[1].sent):
        row(f"in it: {what}", [kind])
    row(f"{name}: its pages alone", list(pages.kinds.values()), pages, beside)
    return "\n".join(rows)


def proof(name: str, folder: Path, settings: dict[str, str]) -> Iterator[Figure]:
    """Look for every round that was acknowledged, and let the app prove its database."""
    told = Counter(
        line.split()[0] for file in folder.glob("rounds-*.txt") for line in file.read_text("ascii").splitlines()
    )
    with running_app(settings["DATABASE_URL"]) as app, app.app_context():
        asked = select(Round.match_id, func.count()).where(Round.match_id.in_(told)).group_by(Round.match_id)
        found = Counter(dict(db.session.execute(asked).all()))
        db.session.remove()
    wrong = sum(abs(found[match] - told[match]) for match in told)
    raw = f"{told.total():,} acknowledged in {len(told):,} matches"
    yield Figure(f"{name}: rounds lost or too many", wrong, 0, raw, "")
    command = (sys.executable, "-m", "referee", "check")
    checked = subprocess.run(command, env=os.environ | settings, capture_output=True, text=True, check=False)
    said = (checked.stdout.strip() or checked.stderr.strip()).splitlines()[-1]
    yield Figure(f"{name}: referee check, exit status", checked.returncode, 0, said, "")
