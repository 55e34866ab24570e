"""Print the figures of the app: ``python3 -m tools.benchmarks [--times N] [--requests N] [--markdown] [part …]``.

Parts: ``answers`` (recording, sheets, hearings, look-ups), ``walk`` (every hearing there is), ``start`` (start-up),
``weight`` (bytes over the wire, in Chromium), ``json`` (what a phone takes along). All of them when none is named.
By name only, since they take minutes: ``http`` (recording, first looks, start and memory over real HTTP),
``scale`` (a million rounds on SQLite), ``scale-postgresql`` (on PostgreSQL), ``club`` (a million rounds in one club),
``load`` (an evening at sixteen tables by wrk, on waitress and SQLite), ``load-postgresql`` (two gunicorn processes),
``cluster`` (the same by the guide to two servers, at ``--tables``),
``neighbours`` (a club beside one that does its worst), ``season`` (the page of a season of 3,000 matches), ``phone`` (a
save until its total is painted, first visits with the service worker, a minute of a sheet at rest; in Chromium).
Each figure is a ratio of two times measured in turn, by the same client (all but those of the load in one process too),
with the raw times beside it; no figure is absolute.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Callable, Iterator
from importlib.machinery import SourceFileLoader
from importlib.util import find_spec, module_from_spec, spec_from_loader
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flask import Flask

    from tools.benchmarks.figures import Figure

ROOT = Path(__file__).resolve().parents[2]
LONG = (
    "http",
    "scale",
    "scale-postgresql",
    "club",
    "load",
    "load-postgresql",
    "cluster",
    "neighbours",
    "season",
    "phone",
)


def main() -> int:
    """Measure and print; 1 when a figure is beyond what is allowed."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help="one of those above; all when none is named")
    parser.add_argument("--times", type=int, default=200, help="how often each answer is timed (200)")
    parser.add_argument("--requests", type=int, default=100_000, help="requests of an evening under load (100000)")
    parser.add_argument("--markdown", action="store_true", help="print a Markdown table at the end")
    parser.add_argument("--tables", type=int, default=100, help="how many tables play on two servers (100)")
    parser.add_argument("--seconds", type=int, default=300, help="for how long (300)")
    parser.add_argument("--boards", type=int, default=3, help="phones on the board of each (3)")
    wanted = parser.parse_args()
    parts = _parts(wanted.times, wanted.requests) | {"cluster": lambda: on_two_servers(wanted)}
    if unknown := set(wanted.parts) - parts.keys():
        parser.error(f"no part is called {', '.join(sorted(unknown))}; there are {', '.join(parts)}")
    from tests.ground.postgresql import NoPostgreSQL
    from tools.benchmarks.figures import table
    from tools.benchmarks.wrk import NoWrk

    print(f"Python {platform.python_version()}, {os.cpu_count()} processors, {platform.system()}", flush=True)
    reached = []
    for name in wanted.parts or [part for part in parts if part not in LONG]:
        try:
            for figure in parts[name]():
                print(figure, flush=True)
                reached.append(figure)
        except (NoWrk, NoPostgreSQL) as error:
            parser.exit(2, f"{name}: {error}\n")
    if wanted.markdown:
        print(f"\n{table(reached)}")
    return 0 if all(figure.holds for figure in reached) else 1


def on_two_servers(wanted: argparse.Namespace) -> Iterator[Figure]:
    """Let tables play by the guide to two servers."""
    from tools.benchmarks.cluster import cluster

    return cluster(wanted.tables, wanted.seconds, wanted.boards)


def _parts(times: int, requests: int) -> dict[str, Callable[[], Iterator[Figure]]]:
    from tools.benchmarks import speed, startup, weight
    from tools.benchmarks.ground import running_app

    def in_an_app(measure: Callable[[Flask], Iterator[Figure]]) -> Callable[[], Iterator[Figure]]:
        def part() -> Iterator[Figure]:
            with running_app() as app:
                yield from measure(app)

        return part

    def at_scale(*, postgresql: bool = False) -> Iterator[Figure]:
        from tools.benchmarks.scale import scale

        return scale(times, postgresql=postgresql)

    def of_one_club() -> Iterator[Figure]:
        from tools.benchmarks.scale import one_club

        return one_club(times)

    def of_a_season() -> Iterator[Figure]:
        from tools.benchmarks.season import season

        return season(times)

    def under_load(*, postgresql: bool = False) -> Iterator[Figure]:
        from tools.benchmarks.load import load

        return load(requests, postgresql=postgresql)

    def neighbours() -> Iterator[Figure]:
        from tools.benchmarks.neighbours import neighbours as beside

        return beside()

    def over_http() -> Iterator[Figure]:
        from tools.benchmarks.wire import over_http as wired

        return wired(times)

    def on_a_phone(app: Flask) -> Iterator[Figure]:
        from tools.benchmarks.phone import phone

        return phone(app)

    return {
        "http": over_http,
        "answers": in_an_app(lambda app: speed.answers(app, times)),
        "walk": speed.walk,
        "start": startup.start_up,
        "weight": in_an_app(weight.pages),
        "json": weight.phone_json,
        "phone": in_an_app(on_a_phone),
        "scale": at_scale,
        "scale-postgresql": lambda: at_scale(postgresql=True),
        "club": of_one_club,
        "neighbours": neighbours,
        "season": of_a_season,
        "load": under_load,
        "load-postgresql": lambda: under_load(postgresql=True),
    }


def _with_packages() -> None:
    """Start again in the environment that ``python3 run`` makes, where this Python has not the packages."""
    if all(map(find_spec, ("flask_sqlalchemy", "playwright"))):
        return
    loader = SourceFileLoader("run", str(ROOT / "run"))
    spec = spec_from_loader("run", loader)
    assert spec is not None
    run = module_from_spec(spec)
    loader.exec_module(run)
    run.prepare("dev")
    os.execv(run.PYTHON, [str(run.PYTHON), "-m", "tools.benchmarks", *sys.argv[1:]])


if __name__ == "__main__":
    _with_packages()
    sys.exit(main())
