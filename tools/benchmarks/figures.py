"""Measure things against each other, and print what came out."""

from __future__ import annotations

import gc
import statistics
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import inf
from time import process_time

Thing = Callable[[], object]
Clock = Callable[[], float]


@dataclass(frozen=True)
class Figure:
    """One figure reached: what it is, how much is allowed or wanted, and the raw figures it comes from."""

    what: str
    reached: float
    most: float
    raw: str
    unit: str = "×"
    least: float = -inf

    @property
    def holds(self) -> bool:
        """Tell whether the figure is within what is allowed."""
        return self.least <= self.reached <= self.most

    @property
    def aim(self) -> str:
        """Write what is allowed, or wanted."""
        return f"≤ {_plain(self.most)}" if self.least == -inf else f"≥ {_plain(self.least)}"

    def __str__(self) -> str:
        verdict = "" if self.holds else "   TOO MUCH" if self.reached > self.most else "   TOO LITTLE"
        return f"{self.what:<58}{_plain(self.reached):>8} {self.unit:<2}  {self.aim:<9} {self.raw}{verdict}"


def medians(
    things: Mapping[str, Thing], *, times: int, warm_up: int = 3, in_a_row: int = 10, clock: Clock = process_time
) -> dict[str, float]:
    """Run things in turn, each so many times together, and give the median of each in seconds.

    In turn, so that whatever else the machine does hits all alike; some times in a row, since the first of them pays
    for the other thing's use of the processor's caches; median, so that both hardly count. The clock counts the work
    of this process; where something waits for the disk it has to be one that counts the waiting too.
    """
    for thing in things.values():
        for _ in range(warm_up):
            thing()
    taken: dict[str, list[float]] = {name: [] for name in things}
    gc.collect()
    gc.disable()
    try:
        for _ in range(-(-times // in_a_row)):
            for name, thing in things.items():
                for _ in range(in_a_row):
                    started = clock()
                    thing()
                    taken[name].append(clock() - started)
            gc.collect(0)
    finally:
        gc.enable()
    return {name: statistics.median(each) for name, each in taken.items()}


def ratio(what: str, most: float, over: tuple[str, float], under: tuple[str, float]) -> Figure:
    """Make a figure of two times, each with its name."""
    raw = f"{over[0]} {in_words(over[1])} / {under[0]} {in_words(under[1])}"
    return Figure(what, over[1] / under[1], most, raw)


def in_words(seconds: float) -> str:
    """Write a time with a fitting unit."""
    if seconds < 0.001:
        return f"{seconds * 1e6:.0f} µs"
    return f"{seconds * 1000:.2f} ms" if seconds < 1 else f"{seconds:.1f} s"


def table(figures: Iterable[Figure]) -> str:
    """Write figures as rows of a Markdown table."""
    rows = [f"| {one.what} | {_plain(one.reached)} {one.unit} | {one.aim} | {one.raw} |" for one in figures]
    return "\n".join(["| figure | reached | aim | raw |", "| --- | --: | --: | --- |", *rows])


def _plain(number: float) -> str:
    return f"{number:,.0f}" if number >= 1000 else f"{number:.2f}" if number < 10 else f"{number:.1f}"
