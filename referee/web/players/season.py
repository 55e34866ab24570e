"""Lay out a player's season in pictures: the rating, a calendar of evenings, and the head-to-head bars.

Coordinates are units of the picture's view box, which is as wide as a phone; templates draw it as SVG.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from operator import attrgetter

from referee.records.ids import first_id_of, moment_of
from referee.records.statistics.figures import DECIDED, Ending, Meeting, PlayerResult, Rating
from referee.web.page.charts import WIDTH, Chart, Tick, rating_chart, shortened
from referee.web.server import local_time
from referee.web.words import number, say

MONTHS = 12
"""Months in a calendar: those up to the latest match."""
WEEKS = (1, 8, 15, 22, 29)
"""The days of a month that its squares begin with."""
SQUARE, PITCH, ASIDE, ABOVE = 24, 27, 36, 36
"""Side of a square, from one to the next, and the room for what stands beside and above them."""
LEVELS = (1, 2, 4, 7)
"""Matches from which on a square is darker."""
RIVALS, LISTED = 8, 40
"""Opponents in the picture and in its table, those met most often first; nobody reads more."""
LABEL = 15
"""Letters of a name in a bar, so that both names fit above it."""


@dataclass(frozen=True)
class Square:
    """Some days of a month, and how many matches were played on them."""

    x: int
    y: int
    matches: int
    level: int
    """0 for none, then the more the darker, up to 4"""


@dataclass(frozen=True)
class Calendar:
    """When somebody played: a column a month, a square a week of it; the same months as a table."""

    title: str
    description: str
    months: Sequence[Tick]
    years: Sequence[Tick]
    weeks: Sequence[Tick]
    squares: Sequence[Square]
    rows: Sequence[tuple[str, Sequence[str]]]
    height: int = ABOVE + PITCH * len(WEEKS)


@dataclass(frozen=True)
class Duel:
    """A player against one opponent: both names as they fit a bar, and the widths of its two parts."""

    id: str
    name: str
    has_page: bool
    """False for a deleted name, which has no page to link to"""
    own_label: str
    label: str
    line: str
    beat: int
    level: int
    beaten: int
    won: float
    lost: float


@dataclass(frozen=True)
class Duels:
    """A player's head-to-head records, with the opponents met most often first."""

    title: str
    description: str
    shown: Sequence[Duel]
    rows: Sequence[tuple[Duel, Sequence[str]]]
    more: int
    """opponents beyond those of the table"""


def course(name: str, ratings: Sequence[Rating]) -> Chart:
    """Draw a rating match by match, over the months."""
    last = ratings[-1]
    told = say(
        "statistics.chart-told", name=name, rating=f"{last.mu:.1f}", points=f"{2 * last.sigma:.1f}", n=len(ratings)
    )

    def days_of(steps: Sequence[int]) -> Sequence[date]:
        return _days([ratings[step].match_id for step in steps])

    return rating_chart(say("statistics.chart"), told, ratings, days_of)


def calendar(name: str, results: Sequence[PlayerResult]) -> Calendar:
    """Count a player's matches by week, in the twelve months up to the latest one."""
    (latest,) = _days([results[-1].match_id])
    months = [_month_before(latest, back) for back in reversed(range(MONTHS))]
    # a zone is at most a day ahead of UTC, in which ids count
    first = first_id_of(datetime(*months[0], 1, tzinfo=UTC) - timedelta(days=1)) if months[0] > (1970, 1) else ""
    late = results[bisect_left(results, first, key=attrgetter("match_id")) :]
    days = _days([result.match_id for result in late])
    inside = [(day, one) for day, one in zip(days, late, strict=True) if (day.year, day.month) >= months[0]]
    matches = Counter((day.year, day.month, (day.day - 1) // 7) for day, _ in inside)
    by_month: dict[tuple[int, int], list[tuple[date, PlayerResult]]] = defaultdict(list)
    for day, result in inside:
        by_month[day.year, day.month].append((day, result))
    squares = [
        Square(ASIDE + PITCH * column, ABOVE + PITCH * row, count, sum(count >= level for level in LEVELS))
        for column, (year, month) in enumerate(months)
        for row, first in enumerate(WEEKS)
        if first <= _days_of(year, month)
        for count in (matches[year, month, row],)
    ]
    middles = [ASIDE + PITCH * column + SQUARE / 2 for column in range(MONTHS)]
    starts = [column for column, (_, month) in enumerate(months) if month == 1]
    first_of_year = starts if 1 in starts else sorted({0, *starts})  # two years side by side would overlap
    evenings = {day for day, _ in inside}
    return Calendar(
        title=say("statistics.calendar"),
        description=say(
            "statistics.calendar-told",
            name=name,
            matches=say("statistics.count-matches", n=len(inside)),
            evenings=say("statistics.count-evenings", n=len(evenings)),
            first=_title(*months[0]),
            last=_title(*months[-1]),
        ),
        months=[Tick(x, f"{date(*of, 1):%b}"[0]) for x, of in zip(middles, months, strict=True)],
        years=[Tick(ASIDE + PITCH * column, str(months[column][0])) for column in first_of_year],
        weeks=[Tick(ABOVE + PITCH * row + SQUARE / 2, say("statistics.week", n=row + 1)) for row in range(len(WEEKS))],
        squares=squares,
        rows=[(_title(*of), _month_row(by_month[of])) for of in months if of in by_month],
    )


def _month_row(here: Sequence[tuple[date, PlayerResult]]) -> list[str]:
    """Return a month's evenings, its matches, and those won of the decided ones, as text."""
    decided = [result.ending for _, result in here if result.ending in DECIDED]
    won = say("statistics.of", part=decided.count(Ending.WON), whole=len(decided)) if decided else "–"
    return [number(len({day for day, _ in here})), number(len(here)), won]


def _days(match_ids: Sequence[str]) -> list[date]:
    return local_time.days(map(moment_of, match_ids))


def _month_before(day: date, back: int) -> tuple[int, int]:
    year, month = divmod(day.year * 12 + day.month - 1 - back, 12)
    return max(year, 1), month + 1


def _days_of(year: int, month: int) -> int:
    after = date(year + month // 12, month % 12 + 1, 1)
    return (after - date(year, month, 1)).days


def _title(year: int, month: int) -> str:
    return f"{date(year, month, 1):%B %Y}"


def duels(name: str, meetings: Sequence[Meeting], names: Mapping[str, str], stand_ins: Collection[str]) -> Duels:
    """Draw a player against each opponent; `stand_ins` are the ids of those whose name was deleted."""
    known = [(names.get(meeting.opponent, say("names.unknown")), meeting) for meeting in meetings]
    known.sort(key=lambda one: (-one[1].together, one[0]))
    made = [_duel(name, rival, meeting, meeting.opponent not in stand_ins) for rival, meeting in known[:LISTED]]
    return Duels(
        title=say("statistics.duels"),
        description=say("statistics.duels-told", lines=" ".join(duel.line for duel in made[:RIVALS])),
        shown=made[:RIVALS],
        rows=[(duel, [number(duel.beat), number(duel.level), number(duel.beaten)]) for duel in made],
        more=len(known) - len(made),
    )


def _duel(name: str, rival: str, meeting: Meeting, has_page: bool) -> Duel:
    counts = {"better": meeting.beat, "level": meeting.level, "worse": meeting.beaten}
    told = ", ".join(say(f"statistics.{how}", n=count) for how, count in counts.items() if count or how != "level")
    return Duel(
        id=meeting.opponent,
        name=rival,
        has_page=has_page,
        own_label=shortened(name, LABEL),
        label=shortened(rival, LABEL),
        line=say("statistics.duel", name=rival, told=told),
        beat=meeting.beat,
        level=meeting.level,
        beaten=meeting.beaten,
        won=round(WIDTH * meeting.beat / meeting.together, 1),
        lost=round(WIDTH * meeting.beaten / meeting.together, 1),
    )
