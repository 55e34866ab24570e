"""The players of a club side by side: places, the club's records, and who beat whom; and as rows for spreadsheets.

A row has a column for each figure: two for a share of matches or rounds, its part and its whole; points have one for
each scale they are meant by.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from referee.records.models import Scale
from referee.records.statistics import definitions
from referee.records.statistics.figures import Ending, Figures

GRID = 8
"""Players in the table of who beat whom, at most; more do not fit a phone."""
ENOUGH = 5
"""Decided matches that always suffice for a place; in a young club half of what its busiest player has."""
LATEST = 8
"""Matches of each whose endings stand beside the name."""
RECORDS = ("biggest_catch", "biggest_hand", "biggest_rescue", "longest_winning_run")
"""Statistics whose best holder is named."""


@dataclass(frozen=True)
class PlayerLine:
    """One player in the comparison of a club."""

    id: str
    name: str
    matches: int
    won: definitions.Fraction
    tied: int
    rounds_won: definitions.Fraction
    rating: float | None
    latest: Sequence[Ending]
    """how the latest matches ended, oldest first"""
    rank: int = 0
    """by the share of matches won; equal shares of as many matches share a place, 0 for too few matches"""


@dataclass(frozen=True)
class Best:
    """The highest value of a statistic, on one scale where it is in points, and all who reached it."""

    points: float
    scale: Scale | None
    holders: Sequence[tuple[str, str]]
    """id and name of each"""


@dataclass(frozen=True)
class PlayerComparison:
    """The comparison of a club's players, with the best in each statistic."""

    lines: Sequence[PlayerLine]
    """those with a place first"""
    least: int
    """decided matches that a place takes; 0 where everyone has one"""
    records: Sequence[tuple[definitions.Statistic, Sequence[Best]]]
    grid: Sequence[tuple[PlayerLine, Sequence[int | None]]]
    """how often each beat each other, None for two who never met; in the order of `lines`"""


def compare(figures: Mapping[str, Figures], names: Mapping[str, str]) -> PlayerComparison:
    """Set the players of `names`, by id, side by side; those without figures are left out."""
    compared = [_line(figures[id], name) for id, name in names.items() if id in figures]
    least = min(ENOUGH, (max((line.won.whole for line in compared), default=0) + 1) // 2)
    compared.sort(key=lambda line: (line.won.whole < least, -(line.won.percent or 0), -line.won.whole, line.name))
    places = [(line.won.percent, line.won.whole) for line in compared]
    lines = [
        replace(line, rank=places.index(place) + 1) if line.won.whole >= least else line
        for place, line in zip(places, compared, strict=True)
    ]
    if all(line.rank for line in lines):
        least = 0
    by_id = {statistic.id: statistic for statistic in definitions.STATISTICS}
    records = [(by_id[id], _bests(by_id[id], figures, names)) for id in RECORDS]
    told = [(statistic, bests) for statistic, bests in records if bests]
    return PlayerComparison(lines, least, told, _grid(figures, lines))


def by_wins(lines: Sequence[PlayerLine]) -> list[PlayerLine]:
    """Sort players by how many matches they won, then by their share of them."""
    return sorted(lines, key=lambda line: (-line.won.part, -(line.won.percent or 0), -line.matches))


def _line(figures: Figures, name: str) -> PlayerLine:
    ratings = figures.ratings
    latest = figures.results[-LATEST:]
    return PlayerLine(
        id=figures.player_id,
        name=name,
        matches=definitions.matches_played(figures),
        won=definitions.matches_won(figures),
        tied=definitions.matches_shared(figures),
        rounds_won=definitions.rounds_won(figures),
        rating=ratings[-1].mu if ratings else None,
        latest=[result.ending for result in latest],
    )


def _bests(statistic: definitions.Statistic, figures: Mapping[str, Figures], names: Mapping[str, str]) -> list[Best]:
    """Find who holds the most of a statistic, on each scale where it is in points; all who are equal."""
    counted = {id: statistic.of(own) for id, own in figures.items() if id in names}
    values = {id: _by_scale(value) for id, value in counted.items()}
    most: dict[Scale | None, float] = {}
    for value in values.values():
        for scale, points in value.items():
            most[scale] = max(most.get(scale, 0), points)
    return [
        Best(points, scale, [(id, names[id]) for id, value in values.items() if value.get(scale) == points])
        for scale, points in most.items()
        if points
    ]


def _by_scale(value: definitions.Value) -> dict[Scale | None, float]:
    """Return the numbers of a statistic by scale; by None where it is not in points."""
    if isinstance(value, Mapping):
        return {scale: points for scale, points in value.items() if isinstance(scale, Scale)}
    return {None: value} if isinstance(value, int) else {}


def _grid(figures: Mapping[str, Figures], lines: Sequence[PlayerLine]) -> list[tuple[PlayerLine, list[int | None]]]:
    most = sorted(lines, key=lambda line: -line.matches)[:GRID]
    shown = [line for line in lines if line in most]
    beat = {(id, meeting.opponent): meeting.beat for id, own in figures.items() for meeting in own.meetings}
    return [(line, [beat.get((line.id, other.id)) for other in shown]) for line in shown]


Row = Sequence[object]
PER_SCALE = frozenset({"biggest_rescue", "caught_with", "biggest_hand", "handed_over", "collected", "biggest_catch"})
"""Statistics in points."""
SHARES = frozenset({"matches_won", "rounds_won", "challenges_won", "draw_fours_caught"})


def statistics_rows(figures: Mapping[str, Figures], names: Mapping[str, str]) -> Iterator[Row]:
    """Yield a header, then a row for each player who ever played, in the order of `names`."""
    yield ("player", *_heads(), "rating", "rating sigma")
    for id, name in names.items():
        if id in figures:
            yield (name, *_cells(figures[id], names), *_rating(figures[id]))


def _heads() -> Iterator[str]:
    for statistic in definitions.STATISTICS:
        title = statistic.id.replace("_", " ")
        if statistic.id in PER_SCALE:
            yield from (f"{title} ({scale})" for scale in Scale)
        elif statistic.id in SHARES:
            yield from (title, f"{title}: of")
        else:
            yield title


def _cells(figures: Figures, names: Mapping[str, str]) -> Iterator[object]:
    for statistic in definitions.STATISTICS:
        value = statistic.of(figures)
        if statistic.id in PER_SCALE:
            points = value if isinstance(value, Mapping) else {}
            yield from (round(points[scale], 2) if scale in points else None for scale in Scale)
        elif isinstance(value, definitions.Fraction):
            yield from (value.part, value.whole)
        else:
            yield _cell(value, names)


def _cell(value: definitions.Value, names: Mapping[str, str]) -> object:
    """Write a figure into one cell; matches lost in a row count below zero."""
    if isinstance(value, definitions.Run):
        return value.matches if value.won else -value.matches
    if isinstance(value, definitions.TopOpponents):
        return ", ".join(names.get(id, "") for id in value.ids)
    if isinstance(value, Mapping):
        return ", ".join(f"{face} {count}" for face, count in value.items())
    return value


def _rating(figures: Figures) -> Row:
    if not figures.ratings:
        return (None, None)
    last = figures.ratings[-1]
    return (round(last.mu, 2), round(last.sigma, 2))
