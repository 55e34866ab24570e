"""Measure how much work a request is, so that the measure depends little on who else uses the machine."""

from __future__ import annotations

import cProfile
import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Work:
    """What a call cost: function calls (Python's and C's), and seconds of the processor while they were counted."""

    calls: int
    seconds: float
    spent: tuple[tuple[str, float], ...] = field(repr=False)
    """for each function its name and the seconds in itself"""

    def grown_most(self, before: Work, most: int = 3) -> str:
        """Name the functions in which this cost more than `before` did."""
        earlier = dict(before.spent)
        grown = sorted(((seconds - earlier.get(name, 0.0), name) for name, seconds in self.spent), reverse=True)
        return ", ".join(f"{name} +{seconds * 1000:.0f} ms" for seconds, name in grown[:most])


@contextmanager
def quiet() -> Iterator[None]:
    """Collect no garbage meanwhile: what a test process keeps would be gone through at anyone's expense."""
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()


def measure(call: Callable[[], object]) -> Work:
    """Run a call once under the profiler that is written in C."""
    profiler = cProfile.Profile()
    began = time.thread_time()
    profiler.enable()
    try:
        call()
    finally:
        profiler.disable()
    seconds = time.thread_time() - began
    entries = profiler.getstats()
    return Work(
        sum(entry.callcount for entry in entries),
        seconds,
        tuple((_name(entry.code), entry.inlinetime) for entry in entries),
    )


def least_seconds(call: Callable[[], object], runs: int = 3, before: Callable[[], object] = lambda: None) -> float:
    """Take the processor's time of the fastest of several runs, each after `before`: noise only ever adds."""
    found = []
    for _ in range(runs):
        before()
        began = time.thread_time()
        call()
        found.append(time.thread_time() - began)
    return min(found)


def slowness() -> float:
    """Say how many times slower this machine is now than the one on which limits in seconds were set; 1 at least."""

    def count() -> int:
        return sum(len(str(number)) for number in range(100_000))

    return max(1.0, least_seconds(count, 5) / USUAL)


USUAL = 0.0075
"""Seconds that `slowness` counts for on the machine on which limits in seconds were set, when nobody else uses it."""


def _name(code: Any) -> str:
    return code if isinstance(code, str) else f"{code.co_filename.rsplit('/', 1)[-1]}:{code.co_name}"
