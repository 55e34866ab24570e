"""Statistics as rows for spreadsheets: a line for each player, a column for each figure.

A share of matches or rounds has two columns, its part and its whole; points have one for each scale they are meant by.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from referee.records.models import Scale
from referee.records.statistics.definitions import STATISTICS, Fraction, Run, TopOpponents, Value
from referee.records.statistics.figures import Figures

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
    for statistic in STATISTICS:
        title = statistic.id.replace("_", " ")
        if statistic.id in PER_SCALE:
            yield from (f"{title} ({scale})" for scale in Scale)
        elif statistic.id in SHARES:
            yield from (title, f"{title}: of")
        else:
            yield title


def _cells(figures: Figures, names: Mapping[str, str]) -> Iterator[object]:
    for statistic in STATISTICS:
        value = statistic.of(figures)
        if statistic.id in PER_SCALE:
            points = value if isinstance(value, Mapping) else {}
            yield from (_rounded(points.get(scale)) for scale in Scale)
        elif isinstance(value, Fraction):
            yield from (value.part, value.whole)
        else:
            yield _cell(value, names)


def _cell(value: Value, names: Mapping[str, str]) -> object:
    """Write a figure into one cell; matches lost in a row count below zero."""
    if isinstance(value, Run):
        return value.matches if value.won else -value.matches
    if isinstance(value, TopOpponents):
        return ", ".join(names.get(id, "") for id in value.ids)
    if isinstance(value, Mapping):
        return ", ".join(f"{face} {count}" for face, count in value.items())
    return value


def _rounded(points: float | None) -> float | None:
    return None if points is None else round(points, 2)


def _rating(figures: Figures) -> Row:
    if not figures.ratings:
        return (None, None)
    last = figures.ratings[-1]
    return (round(last.mu, 2), round(last.sigma, 2))
