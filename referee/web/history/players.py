"""The players of a club side by side, and each player's own page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from flask import redirect, render_template, url_for
from werkzeug.wrappers import Response

from referee.records.cache import Cache
from referee.records.models import Club, Scale
from referee.records.players import list_players
from referee.records.statistics.counting import load_figures
from referee.records.statistics.definitions import (
    DISPUTES,
    MATCHES,
    OPPONENTS,
    ROUNDS,
    AtTable,
    Statistic,
    by_table_size,
    matches_shared,
    matches_won,
    rounds_won,
)
from referee.records.statistics.figures import Figures, Filter, Meeting, load_choices
from referee.records.statistics.measures import Fraction, Value
from referee.rules.problem import Impossible
from referee.rules.rulebook import TABLE_SIZES
from referee.web.charts import Chart, rating_chart
from referee.web.history import statistics_presenter
from referee.web.history.room import FilterView, blueprint, choices_of, given, invitation, number
from referee.web.server import guards
from referee.web.words import say

GRID = 8
"""Players in the table of who beat whom, at most; more do not fit a phone."""
RECORDS = ("biggest_catch", "biggest_hand", "biggest_rescue", "longest_winning_run")
"""Statistics whose best holder the club's page names."""
COUNTED: Cache[PlayerView] = Cache("player", 2_000_000)
COMPARED: Cache[PlayersView] = Cache("players", 3_000_000, share=2)
"""One player's figures, and all players side by side, each for one state of the club's matches."""
TABLES = (("", say("filter.any-table")), *((str(size), say("filter.table", n=size)) for size in TABLE_SIZES))


@dataclass(frozen=True)
class PlayerLine:
    """One player beside the others."""

    id: str
    name: str
    active: bool
    matches: int
    won: Fraction
    line: Sequence[str]
    rating: float | None
    give_or_take: float
    form: Sequence[statistics_presenter.FormMark]


@dataclass(frozen=True)
class Record:
    """The best of the club in one thing."""

    title: str
    text: str
    note: str
    holders: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Rival:
    """One opponent of a player."""

    id: str
    name: str
    line: Sequence[str]
    meeting: Meeting


@dataclass(frozen=True)
class PlayerView:
    """Everything the page of one player shows."""

    id: str
    name: str
    won: Fraction
    went_out: Fraction
    rating: float | None
    give_or_take: float
    form: Sequence[statistics_presenter.FormMark]
    form_in_words: str
    groups: Sequence[tuple[str, Sequence[statistics_presenter.StatisticView]]]
    tables: Sequence[AtTable]
    rivals: Sequence[Rival]
    chart: Chart | None


@dataclass(frozen=True)
class PlayersView:
    """Everything the page of all players shows."""

    lines: Sequence[PlayerLine]
    records: Sequence[Record]
    grid: Sequence[tuple[PlayerLine, Sequence[str]]]


@blueprint.get("/players")
def players() -> str | tuple[str, int]:
    """Show players side by side, and invite a stranger; 401, 403, 422 with the page for a filter that cannot be."""
    if not guards.presents_key():
        return invitation("Players", "players")
    club = guards.get_club()
    chosen, filters, state = _filter(club)
    everyone = [(one.id, one.name, one.active) for one in list_players(guards.records(), club)]

    def compare() -> PlayersView:
        return _players_view(load_figures(guards.records(), club.id, chosen) if chosen else {}, everyone)

    view = COMPARED.get((club.id, chosen, state, *everyone), compare)
    html = render_template(
        "history/players.html",
        lines=view.lines,
        records=view.records,
        grid=view.grid,
        filters=filters,
        table_sizes=TABLES,
    )
    return html if chosen else (html, 422)


@blueprint.get("/players/<player_id>")
def player(player_id: str) -> Response | str | tuple[str, int]:
    """Show one player; 401, 403, 404, 422; one merged into another leads there."""
    found = guards.get_player(player_id)
    if found.merged_into is not None:
        return redirect(url_for("history.player", player_id=found.merged_into), 301)
    club = guards.get_club()
    chosen, filters, state = _filter(club)

    def count() -> PlayerView:
        loaded = load_figures(guards.records(), club.id, chosen, found.id) if chosen else {}
        names = {one.id: one.name for one in list_players(guards.records(), club)}
        return _player_view(loaded.get(found.id, Figures(found.id)), names)

    view = COUNTED.get((club.id, found.id, found.name, chosen, state), count)
    html = render_template("history/player.html", player=view, filters=filters, table_sizes=TABLES)
    return html if chosen else (html, 422)


def _filter(club: Club) -> tuple[Filter | None, FilterView, tuple[int, int]]:
    """Read the filter of the address; None, with the problems beside their fields, when it cannot be.

    Last comes the state that the club's figures are in.
    """
    asked = given("rulebook", "year", "players")
    chosen = None
    errors: dict[str, list[str]] = {}
    try:
        year, players = number(asked["year"]), number(asked["players"])
        chosen = Filter(rulebook=asked["rulebook"] or None, year=year, players=players)
    except Impossible as error:
        for problem in error.problems:
            errors.setdefault(problem.field, []).append(problem.message)
    choices = load_choices(guards.records(), club.id)
    books, years = choices_of(choices)
    return chosen, FilterView(asked, books, years, errors), choices.state


def _players_view(figures: Mapping[str, Figures], everyone: Sequence[tuple[str, str, bool]]) -> PlayersView:
    names = {id: name for id, name, _ in everyone}
    lines = [_line(figures[id], name, active) for id, name, active in everyone if id in figures]
    lines.sort(key=lambda line: (-(line.won.percent or 0), -line.won.whole, line.name))
    records = [record for statistic in _records() for record in _record(statistic, figures, names)]
    return PlayersView(lines, records, _grid(figures, lines))


def _line(figures: Figures, name: str, active: bool) -> PlayerLine:
    ratings = _ratings(figures)
    return PlayerLine(
        id=figures.player_id,
        name=name,
        active=active,
        matches=len(figures.results),
        won=matches_won(figures),
        line=list(_told(matches_won(figures), matches_shared(figures), rounds_won(figures))),
        rating=ratings[-1][0] if ratings else None,
        give_or_take=2 * ratings[-1][1] if ratings else 0,
        form=statistics_presenter.form_of(figures.results),
    )


def _told(won: Fraction, tied: int, rounds: Fraction) -> Iterator[str]:
    """Say in short phrases how often somebody won and went out."""
    if won.whole:
        yield say("statistics.line-won", part=won.part, whole=won.whole)
    if won.whole and tied:
        yield say("statistics.line-tied", n=tied)
    if rounds.whole:
        yield say("statistics.line-went-out", share=statistics_presenter.percent(rounds))


def _rival(name: str, meeting: Meeting) -> Rival:
    counts = {"better": meeting.beat, "level": meeting.level, "worse": meeting.beaten}
    line = [say(f"statistics.{how}", n=count) for how, count in counts.items() if count or how != "level"]
    return Rival(meeting.opponent, name, line, meeting)


def _player_view(figures: Figures, names: Mapping[str, str]) -> PlayerView:
    ratings = _ratings(figures)
    form = statistics_presenter.form_of(figures.results)
    name = names[figures.player_id]
    groups = [
        (say(title), statistics_presenter.worded(statistics, figures, names))
        for title, statistics in (
            ("statistics.group-matches", MATCHES),
            ("statistics.group-rounds", ROUNDS),
            ("statistics.group-disputes", DISPUTES),
            ("statistics.group-opponents", OPPONENTS),
        )
    ]
    meetings = sorted(figures.meetings, key=lambda one: (-one.together, names.get(one.opponent, "")))
    return PlayerView(
        id=figures.player_id,
        name=name,
        won=matches_won(figures),
        went_out=rounds_won(figures),
        rating=ratings[-1][0] if ratings else None,
        give_or_take=2 * ratings[-1][1] if ratings else 0,
        form=form,
        form_in_words=statistics_presenter.form_in_words(form),
        groups=[(title, shown) for title, shown in groups if shown],
        tables=by_table_size(figures),
        rivals=[_rival(names.get(one.opponent, say("names.unknown")), one) for one in meetings],
        chart=_chart(name, ratings) if len(ratings) > 1 else None,
    )


def _ratings(figures: Figures) -> list[tuple[float, float]]:
    return [
        (result.mu, result.sigma) for result in figures.results if result.mu is not None and result.sigma is not None
    ]


def _chart(name: str, ratings: Sequence[tuple[float, float]]) -> Chart:
    mu, sigma = ratings[-1]
    told = say("statistics.chart-told", name=name, rating=f"{mu:.1f}", points=f"{2 * sigma:.1f}", n=len(ratings))
    return rating_chart(say("statistics.chart"), told, ratings)


def _records() -> list[Statistic]:
    by_id = {statistic.id: statistic for statistic in (*MATCHES, *ROUNDS)}
    return [by_id[id] for id in RECORDS]


def _record(statistic: Statistic, figures: Mapping[str, Figures], names: Mapping[str, str]) -> list[Record]:
    """Name who holds the most in one thing, for each scale where points are meant; all who are equal."""
    values = {id: _by_scale(statistic.of(one)) for id, one in figures.items() if id in names}
    best: dict[Scale | None, float] = {}
    for value in values.values():
        for scale, points in value.items():
            best[scale] = max(best.get(scale, 0), points)
    return [
        Record(
            title=statistic.title,
            text=statistics_presenter.figure(points),
            note="" if scale is None else say(f"statistics.{scale}"),
            holders=[(id, names[id]) for id, value in values.items() if value.get(scale) == points],
        )
        for scale, points in best.items()
        if points
    ]


def _by_scale(value: Value) -> dict[Scale | None, float]:
    """Take a statistic's numbers apart by scale; one that is no points has a single number."""
    if isinstance(value, Mapping):
        return {scale: points for scale, points in value.items() if isinstance(scale, Scale)}
    return {None: value} if isinstance(value, int) else {}


def _grid(figures: Mapping[str, Figures], lines: Sequence[PlayerLine]) -> list[tuple[PlayerLine, list[str]]]:
    """Make the table of who beat whom: those who met most, in the order of the list."""
    most = sorted(lines, key=lambda line: -line.matches)[:GRID]
    shown = [line for line in lines if line in most]
    met = {(id, meeting.opponent): meeting for id, one in figures.items() for meeting in one.meetings}
    return [
        (line, [str(met[line.id, other.id].beat) if (line.id, other.id) in met else "" for other in shown])
        for line in shown
    ]
