"""Word statistics; `referee.records.statistics.definitions` says what they mean."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from referee.records.models import Scale
from referee.records.statistics.definitions import (
    DISPUTES,
    MATCHES,
    OPPONENTS,
    ROUNDS,
    AtTable,
    Fraction,
    Run,
    Statistic,
    TopOpponents,
    Value,
    by_table_size,
    caught_with,
    matches_played,
    matches_won,
    present_run,
)
from referee.records.statistics.figures import Ending, Figures
from referee.rules.cards.decks import parse_card
from referee.rules.text.words import joined, language
from referee.web.page.charts import Chart
from referee.web.players.season import Calendar, HeadToHeads, calendar, course, duels
from referee.web.words import number, say

GROUPS = (("matches", MATCHES), ("rounds", ROUNDS), ("disputes", DISPUTES), ("opponents", OPPONENTS))
FORM = 16
"""Latest matches shown at a glance."""
MARKS = {
    Ending.WON: "won",
    Ending.SHARED: "shared",
    Ending.LOST: "lost",
    Ending.LEFT: "lost",
    Ending.UNDECIDED: "none",
}
"""How the form shows each ending."""
Part = tuple[str, str]
"""A value as text, and what it belongs to where there are several."""


@dataclass(frozen=True)
class PlayerPage:
    """One player's figures as sentences and charts; what says nothing about the player is left out."""

    headline: Sequence[tuple[str, Part]]
    """the figures that people look for first, each with its title"""
    form: Sequence[str]
    """how the latest matches ended, oldest first: values of `MARKS`"""
    form_in_words: str
    groups: Sequence[tuple[str, Sequence[tuple[Statistic, Sequence[Part], Sequence[tuple[str, str, int]]]]]]
    """by title; of each statistic its parts, and counted cards: each face, its name, and how many"""
    tables: Sequence[AtTable]
    rating: Chart | None
    calendar: Calendar | None
    duels: HeadToHeads | None


def player_page(figures: Figures, names: Mapping[str, str], stand_ins: Collection[str]) -> PlayerPage:
    """Word a player's figures; `names` are those of the club's players, `stand_ins` the ids of deleted ones."""
    name = names[figures.player_id]
    form, form_in_words = form_of([result.ending for result in figures.results[-FORM:]])
    groups = [(say(f"statistics.group-{group}"), _worded(each, figures, names)) for group, each in GROUPS]
    return PlayerPage(
        headline=list(_headline(figures)),
        form=form,
        form_in_words=form_in_words,
        groups=[(title, worded) for title, worded in groups if worded],
        tables=by_table_size(figures),
        rating=course(name, figures.ratings) if len(figures.ratings) > 1 else None,
        calendar=calendar(name, figures.results) if figures.results else None,
        duels=duels(name, figures.meetings, names, stand_ins) if figures.meetings else None,
    )


def form_of(endings: Sequence[Ending]) -> tuple[Sequence[str], str]:
    """Return the marks of the latest matches, oldest first, and the same in words."""
    form = [MARKS[ending] for ending in endings]
    results = ", ".join(say(f"statistics.{mark}") for mark in form)
    return form, say("statistics.form", n=len(form), results=results)


def scales_of(figures: Figures) -> list[Part]:
    """Return the scorings to choose among, each by its value in the address; none where there is only one."""
    played = [scale for scale in Scale if scale in figures.scales]
    every = [("", say("statistics.every-scale")), *((str(scale), say(f"statistics.{scale}-wins")) for scale in played)]
    return every if len(played) > 1 else []


def _headline(figures: Figures) -> Iterator[tuple[str, Part]]:
    matches, won, run = matches_played(figures), matches_won(figures), present_run(figures)
    if matches:
        yield say("statistics.headline-played"), (number(matches), say("statistics.matches", n=matches))
    if won.whole:
        yield say("statistics.headline-won"), _part(won, {})
    if points := caught_with(figures):
        hands = {scale: sum(sums.hands for sums in figures.rounds if sums.scale == scale) for scale in points}
        most = max(points, key=lambda scale: hands[scale])
        told = say(f"statistics.{most}") if len(points) > 1 else say("statistics.headline-points")
        yield say("statistics.headline-caught"), (figure(points[most]), told)
    if run:
        yield say("statistics.headline-streak"), _part(run, {})
    if figures.ratings:
        last = figures.ratings[-1]
        margin = say("statistics.margin", points=number(2 * last.sigma, ".1f"))
        yield say("statistics.headline-rating"), (number(last.mu, ".1f"), margin)


def _worded(
    statistics: Sequence[Statistic], figures: Figures, names: Mapping[str, str]
) -> list[tuple[Statistic, list[Part], list[tuple[str, str, int]]]]:
    """Word the statistics that have something to say."""
    values = [(statistic, statistic.of(figures)) for statistic in statistics]
    return [
        (statistic, [] if _cards(value) else _parts(value, names), _cards(value))
        for statistic, value in values
        if value not in (None, 0, {}) and not (isinstance(value, Fraction) and not value.whole)
    ]


def _cards(value: Value) -> list[tuple[str, str, int]]:
    """Return counted cards; none where the value is something else."""
    if not isinstance(value, Mapping):
        return []
    return [
        (str(face), parse_card(str(face)).label, int(n)) for face, n in value.items() if not isinstance(face, Scale)
    ]


def _parts(value: Value, names: Mapping[str, str]) -> list[Part]:
    if isinstance(value, Mapping):
        return [(figure(points), say(f"statistics.{scale}")) for scale, points in value.items()]
    return [_part(value, names)]


def _part(value: int | Fraction | Run | TopOpponents | None, names: Mapping[str, str]) -> Part:
    if isinstance(value, Fraction):
        return percent(value), say("statistics.of", part=value.part, whole=value.whole)
    if isinstance(value, Run):
        return str(value.matches), say("statistics.won-in-a-row" if value.won else "statistics.lost-in-a-row")
    if isinstance(value, TopOpponents):
        who = joined([names.get(id, say("names.unknown")) for id in value.ids])
        return who, say("statistics.of-matches", part=value.share.part, whole=value.share.whole)
    return "–" if value is None else number(value), ""


def percent(share: Fraction) -> str:
    """Write a share in percent: ``69%``; a dash for a share of nothing."""
    percent = share.percent
    return "–" if percent is None else language().percent.format(n=f"{percent:.0f}")


def figure(value: float) -> str:
    """Write a number of points: whole ones as they are, averages with one decimal."""
    return number(value) if isinstance(value, int) else number(value, ".1f")
