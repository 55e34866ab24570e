"""How statistics are worded and laid out; what they mean stands in `referee.records.statistics.definitions`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from referee.records.models import Scale
from referee.records.statistics.definitions import Statistic
from referee.records.statistics.figures import Ending, Figures, PlayerResult
from referee.records.statistics.measures import Fraction, Opponents, Run, Value
from referee.rules.decks import parse_card
from referee.web.score import summaries
from referee.web.words import number, say

FORM = 16
"""Latest matches shown at a glance."""
MARKS = {
    Ending.WON: "won",
    Ending.SHARED: "shared",
    Ending.LOST: "lost",
    Ending.LEFT: "lost",
    Ending.UNDECIDED: "none",
}


@dataclass(frozen=True)
class StatisticValue:
    """One value of a statistic; `note` says what it belongs to where there are several."""

    text: str
    note: str = ""


@dataclass(frozen=True)
class StatisticView:
    """One statistic as shown: its parts, or counted cards."""

    id: str
    title: str
    means: str
    parts: Sequence[StatisticValue]
    share: Fraction | None
    cards: Sequence[tuple[str, str, int]]
    """counted cards: each face, its name, and how many"""


class Rated(NamedTuple):
    """A rating after one match, give or take two sigma."""

    match_id: str
    mu: float
    sigma: float


@dataclass(frozen=True)
class FormMark:
    """How one match ended: `won`, `shared`, `lost`, or `none` where nobody is named the winner."""

    kind: str
    match_id: str


def worded(statistics: Sequence[Statistic], figures: Figures, names: Mapping[str, str]) -> list[StatisticView]:
    """Word some statistics of a player; those that have nothing to say are left out."""
    views = []
    for statistic in statistics:
        value = statistic.of(figures)
        if value not in (None, 0, {}) and not (isinstance(value, Fraction) and not value.whole):
            views.append(_view(statistic, value, names))
    return views


def _view(statistic: Statistic, value: Value, names: Mapping[str, str]) -> StatisticView:
    cards: Sequence[tuple[str, str, int]] = ()
    share = value if isinstance(value, Fraction) else None
    if isinstance(value, Mapping):
        by_scale = [(scale, points) for scale, points in value.items() if isinstance(scale, Scale)]
        parts = [StatisticValue(figure(points), say(f"statistics.{scale}")) for scale, points in by_scale]
        cards = () if by_scale else [(str(face), parse_card(str(face)).label, int(n)) for face, n in value.items()]
    else:
        parts = [_part(value, names)]
    return StatisticView(statistic.id, statistic.title, statistic.means, parts, share, cards)


def _part(value: int | Fraction | Run | Opponents | None, names: Mapping[str, str]) -> StatisticValue:
    if isinstance(value, Fraction):
        return StatisticValue(percent(value), say("statistics.of", part=value.part, whole=value.whole))
    if isinstance(value, Run):
        return StatisticValue(
            str(value.matches), say("statistics.won-in-a-row" if value.won else "statistics.lost-in-a-row")
        )
    if isinstance(value, Opponents):
        who = summaries.joined([names.get(id, say("names.unknown")) for id in value.ids])
        return StatisticValue(who, say("statistics.of-matches", part=value.share.part, whole=value.share.whole))
    return StatisticValue("–" if value is None else number(value))


def percent(share: Fraction) -> str:
    """Write a share in percent: ``69 %``; a dash for a share of nothing."""
    return "–" if share.percent is None else f"{share.percent:.0f} %"


def figure(value: float) -> str:
    """Write a number of points: whole ones as they are, averages with one place."""
    return number(value) if isinstance(value, int) else f"{value:.1f}".replace("-", "−")


def ratings_of(figures: Figures) -> list[Rated]:
    """List the ratings after each match that gave one, oldest first."""
    return [
        Rated(result.match_id, result.mu, result.sigma)
        for result in figures.results
        if result.mu is not None and result.sigma is not None
    ]


def form_of(results: Sequence[PlayerResult]) -> list[FormMark]:
    """Show the latest matches, oldest first."""
    return [FormMark(MARKS[result.ending], result.match_id) for result in results[-FORM:]]


def form_in_words(marks: Sequence[FormMark]) -> str:
    """Say the form aloud: ``The last 5 matches, oldest first: won, lost, lost, tied, won.``"""
    results = ", ".join(say(f"statistics.{mark.kind}") for mark in marks)
    return say("statistics.form", n=len(marks), results=results)
