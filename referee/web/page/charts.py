"""Lay out line charts, which templates draw as SVG with the same figures in a table beneath.

A line has the color of its player and ends at the player's shape and name, so that nobody needs to tell colors apart.
Coordinates are units of the SVG's view box, from its upper left corner.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from unicodedata import east_asian_width

from referee.records.ids import moment_of
from referee.records.match.sheets import Sheet, Story
from referee.records.statistics.decided import NameCourse
from referee.records.statistics.figures import Rating
from referee.rules.books.settings import TIME_LIMIT_WINNER
from referee.rules.text.words import joined, language
from referee.web.page.match_wording import by_sides
from referee.web.server import local_time
from referee.web.words import number, say

WIDTH, HEIGHT = 360, 220
LEFT, RIGHT, TOP, BOTTOM = 34, 230, 10, 196
LABEL_GAP = 15
"""Between two names at the ends of lines."""
STEPS = 60
"""Points of a line, about; of a longer course every n-th is drawn, and always the last."""


@dataclass(frozen=True)
class Tick:
    """A mark on an axis."""

    at: float
    text: str


@dataclass(frozen=True)
class ChartLine:
    """One line of a chart, with its name at its end."""

    name: str
    label: str
    value: str
    points: str
    marker: str
    """color and shape of the player, the first of a team; empty for a line that is nobody's"""
    strong: bool
    end_x: float
    end_y: float
    label_y: float


@dataclass(frozen=True)
class Chart:
    """A line chart, its description, and its figures: a row for each step shown."""

    title: str
    description: str
    lines: Sequence[ChartLine]
    y_ticks: Sequence[Tick]
    x_ticks: Sequence[Tick]
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[str]]]
    target: Tick | None = None
    mark: tuple[float, float] | None = None
    """a point with a ring around it"""
    band: str = ""
    """points of the polygon that shows the uncertainty around the first line"""
    width: int = WIDTH
    height: int = HEIGHT


@dataclass(frozen=True)
class _Scale:
    low: float
    high: float
    first: float
    last: float

    def at(self, value: float) -> float:
        span = self.high - self.low or 1
        return round(self.first + (value - self.low) / span * (self.last - self.first), 1)


def course_chart(played: Sheet | Story, course: NameCourse, mark: tuple[tuple[str, ...], int] | None = None) -> Chart:
    """Draw the total of each side after each round; `mark` is a side and a round whose total gets a ring."""
    terms, markers, leader = played.terms, played.seating.markers, by_sides(played.standings)[0]
    way = "story.chart-lowest" if terms.leads == "lowest" else "story.chart-highest"
    target = None if terms.rulebook.find(TIME_LIMIT_WINNER) else terms.target
    shown = _thinned(len(course))
    sides = list(dict.fromkeys(side for table in course for side in table))
    values = [total for table in course for total in table.values()]
    ticks = _ticks(min(0, *values), max([*values, target or 0]))
    x = _Scale(0, len(course) - 1, LEFT, RIGHT)
    y = _Scale(ticks[0], ticks[-1], BOTTOM, TOP)
    ends = {side: max(step for step in shown if side in course[step]) for side in sides}
    label_ys = _apart({side: y.at(course[end][side]) for side, end in ends.items()})
    lines = [
        ChartLine(
            name=joined(side),
            label=shortened(joined(side), 11),
            value=number(course[ends[side]][side]),
            points=" ".join(f"{x.at(step)},{y.at(course[step][side])}" for step in shown if side in course[step]),
            marker=markers[side[0]],
            strong=side[0] in played.winners,
            end_x=x.at(ends[side]),
            end_y=y.at(course[ends[side]][side]),
            label_y=label_ys[side],
        )
        for side in sides
    ]
    ringed = (x.at(mark[1]), y.at(course[mark[1]][mark[0]])) if mark else None
    return Chart(
        title=say("story.chart"),
        description=say(way, n=len(course) - 1, name=joined(leader.names), total=leader.total),
        lines=sorted(lines, key=lambda line: line.strong),  # the strong ones are drawn on top
        y_ticks=[Tick(y.at(value), number(value)) for value in ticks],
        x_ticks=_x_ticks(x, len(course) - 1),
        columns=[joined(side) for side in sides],
        rows=[(str(step), [number(course[step].get(side, "–")) for side in sides]) for step in shown if step],
        target=Tick(y.at(target), say("story.chart-target", target=target)) if target else None,
        mark=ringed,
    )


def shortened(name: str, most: int) -> str:
    """Cut a name to the width of `most` small letters, with an ellipsis; East Asian letters count twice."""
    room = float(most)
    for place, letter in enumerate(name):
        room -= 2 if east_asian_width(letter) in "WF" else 1.4 if letter.isupper() and place else 1
        if room < 0:
            return f"{name[: max(1, place - 1)].rstrip()}…"
    return name


def rating_chart(name: str, ratings: Sequence[Rating]) -> Chart:
    """Draw a rating match by match; a band of two sigma above and below holds the true one 95 times in 100."""
    shown, now = _thinned(len(ratings)), ratings[-1]
    days = local_time.days(moment_of(ratings[step].match_id) for step in shown)
    rating, margin = number(now.mu, ".1f"), number(2 * now.sigma, ".1f")
    lows = [ratings[step].mu - 2 * ratings[step].sigma for step in shown]
    highs = [ratings[step].mu + 2 * ratings[step].sigma for step in shown]
    ticks = _ticks(math.floor(min(lows)), math.ceil(max(highs)))
    x = _Scale(0, max(1, len(ratings) - 1), LEFT, WIDTH - 8)
    y = _Scale(ticks[0], ticks[-1], BOTTOM, TOP)
    upper = [f"{x.at(step)},{y.at(high)}" for step, high in zip(shown, highs, strict=True)]
    lower = [f"{x.at(step)},{y.at(low)}" for step, low in zip(shown, lows, strict=True)]
    last = y.at(now.mu)
    line = ChartLine(
        name=say("statistics.rating"),
        label="",
        value=rating,
        points=" ".join(f"{x.at(step)},{y.at(ratings[step].mu)}" for step in shown),
        marker="",
        strong=True,
        end_x=x.at(len(ratings) - 1),
        end_y=last,
        label_y=last,
    )
    return Chart(
        title=say("statistics.chart"),
        description=say("statistics.chart-told", name=name, rating=rating, points=margin, n=len(ratings)),
        lines=[line],
        y_ticks=[Tick(y.at(value), number(value)) for value in ticks],
        x_ticks=_months([(x.at(step), day) for step, day in zip(shown, days, strict=True)]),
        columns=[say("statistics.rating"), say("statistics.give-or-take")],
        rows=[
            (language().date(day), [number(ratings[step].mu, ".1f"), number(2 * ratings[step].sigma, ".1f")])
            for step, day in zip(shown, days, strict=True)
        ],
        band=" ".join(upper + lower[::-1]),
    )


def _thinned(count: int) -> list[int]:
    every = max(1, math.ceil((count - 1) / STEPS))
    return sorted({*range(0, count, every), count - 1})


def _ticks(low: float, high: float) -> list[int]:
    """Return three to six round numbers that span everything from `low` to `high`."""
    span = max(high - low, 1)
    round_sizes = (digit * 10**power for power in range(8) for digit in (1, 2, 5))
    step = next(size for size in round_sizes if span / size <= 4.5)
    first = math.floor(low / step) * step
    return list(range(first, math.ceil(high / step) * step + step, step))


def _months(days: Sequence[tuple[float, date]]) -> list[Tick]:
    """Return a tick for each month there is room for, with the year at its first."""
    ticks: list[Tick] = []
    year, last = 0, (0, 0)
    for at, day in days:
        month = (day.year, day.month)
        short = language().short_months[day.month - 1]
        if month != last and at <= WIDTH - 24 and (not ticks or at - ticks[-1].at >= 56):
            ticks.append(Tick(at, short if day.year == year else f"{short} {day.year}"))
            year = day.year
        last = month
    return ticks


def _x_ticks(x: _Scale, last: int) -> list[Tick]:
    """Return ticks for the first step, the last, and a few round ones that do not touch either."""
    inner = [value for value in _ticks(0, last) if 0 < value < last]
    numbers = dict.fromkeys((1, *inner, last))
    ticks: list[Tick] = []
    for step in numbers:
        at = x.at(step)
        if ticks and at - ticks[-1].at < 22:
            if step != last:
                continue
            ticks.pop()
        ticks.append(Tick(at, str(step)))
    return ticks


def _apart(wanted: Mapping[tuple[str, ...], float]) -> dict[tuple[str, ...], float]:
    """Return where labels go so that none overlaps another, in their order and inside the picture."""
    order = sorted(wanted, key=lambda side: wanted[side])
    placed: dict[tuple[str, ...], float] = {}
    least = float(TOP)
    for side in order:
        placed[side] = max(wanted[side], least)
        least = placed[side] + LABEL_GAP
    most = float(HEIGHT - 8)
    for side in reversed(order):
        placed[side] = min(placed[side], most)
        most = placed[side] - LABEL_GAP
    return {side: round(at, 1) for side, at in placed.items()}
