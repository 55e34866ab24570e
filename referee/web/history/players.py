"""The players of a club side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from flask import Response, render_template, url_for

from referee.records.cache import Cache
from referee.records.models import Scale
from referee.records.players import call_players, list_players
from referee.records.score_tables import to_csv
from referee.records.statistics.counting import load_figures
from referee.records.statistics.definitions import (
    MATCHES,
    ROUNDS,
    Statistic,
    matches_shared,
    matches_won,
    rounds_won,
)
from referee.records.statistics.figures import Figures
from referee.records.statistics.measures import Fraction, Value
from referee.records.statistics.table import statistics_rows
from referee.rules.problem import Impossible, Problem
from referee.web.history import statistics_presenter
from referee.web.history.room import TABLES, blueprint, filled, invitation, read_filter
from referee.web.server import guards
from referee.web.server.files import SPREADSHEET, stream
from referee.web.words import say

GRID = 8
"""Players in the table of who beat whom, at most; more do not fit a phone."""
RECORDS = ("biggest_catch", "biggest_hand", "biggest_rescue", "longest_winning_run")
"""Statistics whose best holder the club's page names."""
COMPARED: Cache[PlayersView] = Cache("players", 2_000_000, share=2)
"""All players side by side, for one state of the club's matches."""


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
    rank: int = 0
    """by the share of matches won; equal shares of as many matches share a place"""


@dataclass(frozen=True)
class Best:
    """The most of one thing, where points are meant by one scale, and all who reached it."""

    text: str
    note: str
    holders: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Record:
    """The best of the club in one thing."""

    title: str
    bests: Sequence[Best]


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
    chosen, filters, state = read_filter(club)
    everyone = [(one.id, one.name, one.active) for one in list_players(guards.records(), club)]

    def compare() -> PlayersView:
        return players_view(load_figures(guards.records(), club.id, chosen) if chosen else {}, everyone)

    view = COMPARED.get((club.id, chosen, state, *everyone), compare)
    html = render_template(
        "history/players.html",
        lines=view.lines,
        records=view.records,
        grid=view.grid,
        filters=filters,
        table_sizes=TABLES,
        table=url_for("history.players_table", **filled(filters.given)),
    )
    return html if chosen else (html, 422)


@blueprint.get("/players.csv")
def players_table() -> Response:
    """Give everybody's statistics for a spreadsheet, by the same filter; 401, 403, 422."""
    club = guards.get_club()
    chosen, filters, _ = read_filter(club)
    if chosen is None:
        raise Impossible([Problem(field, message) for field, said in filters.errors.items() for message in said])
    names, stand_ins = call_players(guards.records(), club)
    figures = load_figures(guards.records(), club.id, chosen)
    shown = {id: one for id, one in figures.items() if id not in stand_ins}
    return stream(to_csv(statistics_rows(shown, names)), "text/csv", "uno-statistics.csv", SPREADSHEET)


def players_view(figures: Mapping[str, Figures], everyone: Sequence[tuple[str, str, bool]]) -> PlayersView:
    """Set players side by side; `everyone` are their ids, names, and whether they still play."""
    names = {id: name for id, name, _ in everyone}
    lines = [_line(figures[id], name, active) for id, name, active in everyone if id in figures]
    lines.sort(key=lambda line: (-(line.won.percent or 0), -line.won.whole, line.name))
    places = [(line.won.percent or 0, line.won.whole) for line in lines]
    lines = [replace(line, rank=places.index(place) + 1) for line, place in zip(lines, places, strict=True)]
    records = [_record(statistic, figures, names) for statistic in _records()]
    return PlayersView(lines, [record for record in records if record.bests], _grid(figures, lines))


def _line(figures: Figures, name: str, active: bool) -> PlayerLine:
    ratings = statistics_presenter.ratings_of(figures)
    return PlayerLine(
        id=figures.player_id,
        name=name,
        active=active,
        matches=len(figures.results),
        won=matches_won(figures),
        line=list(_told(matches_shared(figures), rounds_won(figures))),
        rating=ratings[-1].mu if ratings else None,
    )


def _told(tied: int, rounds: Fraction) -> Iterator[str]:
    """Say in short phrases how often somebody tied and went out."""
    if tied:
        yield say("statistics.line-tied", n=tied)
    if rounds.whole:
        yield say("statistics.line-went-out", share=statistics_presenter.percent(rounds))


def _records() -> list[Statistic]:
    by_id = {statistic.id: statistic for statistic in (*MATCHES, *ROUNDS)}
    return [by_id[id] for id in RECORDS]


def _record(statistic: Statistic, figures: Mapping[str, Figures], names: Mapping[str, str]) -> Record:
    """Name who holds the most in one thing, for each scale where points are meant; all who are equal."""
    values = {id: _by_scale(statistic.of(one)) for id, one in figures.items() if id in names}
    most: dict[Scale | None, float] = {}
    for value in values.values():
        for scale, points in value.items():
            most[scale] = max(most.get(scale, 0), points)
    bests = [
        Best(
            text=statistics_presenter.figure(points),
            note="" if scale is None else say(f"statistics.{scale}"),
            holders=[(id, names[id]) for id, value in values.items() if value.get(scale) == points],
        )
        for scale, points in most.items()
        if points
    ]
    return Record(statistic.title, bests)


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
