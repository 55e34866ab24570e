"""Drive a server by wrk, and collect how long each request took."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from tools.benchmarks.servers import Served

CONNECTIONS = 16
"""A thread of wrk for each, so that a script knows which answer belongs to which request."""
HERE = Path(__file__).parent
LONGEST = 1800
"""Seconds after which the evening has gone wrong."""


class NoWrk(Exception):
    """Say that wrk is missing, and how to get it."""


@dataclass
class Kind:
    """One kind of request: how many were sent, and the seconds that they took, or thousandths of their distribution."""

    sent: int = 0
    seconds: list[float] = field(default_factory=list)

    def within(self, share: float) -> float:
        """Give the time within which a share of the requests was answered."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


@dataclass
class Run:
    """What one kind of load, or several runs of it, came to."""

    rates: list[float] = field(default_factory=list)
    """requests each second, of each run"""
    kinds: dict[str, Kind] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)
    worked: float = 0.0
    """seconds of processors that the server took"""

    @property
    def rate(self) -> float:
        """Give the median of the runs."""
        return median(self.rates)

    @property
    def price(self) -> float:
        """Give the processor time of a request in seconds: it depends less on what else the machine does."""
        return self.worked / sum(kind.sent for kind in self.kinds.values())

    def add(self, other: Run) -> None:
        """Take another run in."""
        self.rates += other.rates
        self.errors += other.errors
        self.worked += other.worked
        for name, kind in other.kinds.items():
            own = self.kinds.setdefault(name, Kind())
            own.sent += kind.sent
            own.seconds += kind.seconds


def look_for_wrk() -> None:
    """Raise `NoWrk` where it is not installed."""
    if shutil.which("wrk") is None:
        raise NoWrk("this needs wrk, which is not installed; on Debian: apt-get install wrk")


def in_turn(times: int, *things: Callable[[], Run]) -> list[Run]:
    """Run things in turn, so that whatever else the machine does hits all alike; put together what each came to."""
    together = [Run() for _ in things]
    for _ in range(times):
        for thing, run in zip(things, together, strict=True):
            run.add(thing())
    return together


def plain(name: str, server: Served, seconds: int, asked: Path | None = None) -> Run:
    """Send the same again and again; `asked` has a line for each connection: path and ETag."""
    arguments = [str(asked)] if asked else []
    before = server.worked()
    process = _wrk(server, "plain.lua", seconds, arguments)
    said, _ = process.communicate(timeout=seconds + 60)
    found = [line for line in said.splitlines() if line.startswith("wrk {")]
    if process.returncode or not found:
        raise RuntimeError(f"wrk failed: {said}")
    told = json.loads(found[0].removeprefix("wrk "))
    errors = Counter({f"{name}: {told['errors']} errors": told["errors"]}) if told["errors"] else Counter[str]()
    kinds = {name: Kind(told["requests"], told["thousandths"])}
    return Run([told["requests"] / told["seconds"]], kinds, errors, server.worked() - before)


def evening(
    server: Served,
    folder: Path,
    share: float,
    requests: int,
    *,
    tables: int = CONNECTIONS,
    given: Mapping[str, str] = {},
) -> Run:
    """Let every table go on with its evening, `requests` of all together; `share` of its polls is sent.

    What is `given` goes into the environment of the script, which says what it takes from there.
    """
    for old in folder.glob("sent-*.txt"):
        old.unlink()
    before = server.worked()
    arguments = [str(folder), str(share), str(requests // tables)]
    process = _wrk(server, "evening.lua", LONGEST, arguments, tables, given)
    files = [folder / f"sent-{number}.txt" for number in range(tables)]
    while not all(file.exists() for file in files) and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)  # wrk would sleep for as long as it was allowed
    said, _ = process.communicate(timeout=60)
    if not all(file.exists() for file in files):
        raise RuntimeError(f"wrk failed: {said}")
    run, moments = Run(worked=server.worked() - before), []
    for file in files:
        for line in file.read_text("utf-8").splitlines():
            ended, microseconds, name = line.split("\t")
            kind = run.kinds.setdefault(name, Kind())
            kind.sent += 1
            kind.seconds.append(int(microseconds) / 1e6)
            moments.append(float(ended))
    run.errors = Counter({name: kind.sent for name, kind in run.kinds.items() if name.startswith("error")})
    run.rates = [len(moments) / (max(moments) - min(moments))]
    return run


def _wrk(
    server: Served,
    script: str,
    seconds: int,
    arguments: list[str],
    tables: int = CONNECTIONS,
    given: Mapping[str, str] = {},
) -> subprocess.Popen[str]:
    sizes = (f"-t{tables}", f"-c{tables}", f"-d{seconds}s", "--timeout=30s")
    command = ("wrk", *sizes, "-s", str(HERE / script), server.address, "--", *arguments)
    environment = {**os.environ, **given}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
