"""One player of a club: five figures, a season in pictures, and every statistic."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from flask import redirect, render_template, url_for
from markupsafe import Markup
from werkzeug.wrappers import Response

from referee.records.cache import Cache
from referee.records.models import Scale
from referee.records.players import call_players
from referee.records.statistics.counting import load_figures
from referee.records.statistics.definitions import (
    DISPUTES,
    MATCHES,
    OPPONENTS,
    ROUNDS,
    AtTable,
    by_table_size,
    caught_with,
    matches_won,
    present_run,
)
from referee.records.statistics.figures import Figures
from referee.web.club.player_file import player_file
from referee.web.history import season, statistics_presenter
from referee.web.history.room import TABLES, blueprint, read_filter
from referee.web.history.statistics_presenter import Rated, StatisticValue, figure, percent
from referee.web.page.charts import Chart
from referee.web.server import guards, local_time
from referee.web.words import number, say

COUNTED: Cache[PlayerView] = Cache("player", 500_000, share=4)
"""One player's figures, for one state of the club's matches."""
DRAWN: Cache[DrawnPlayer] = Cache("drawn player", 1_000_000)
"""The same as the page of the club shows them."""


@dataclass(frozen=True)
class DrawnPlayer:
    """What the page of one player has of figures, drawn."""

    scales: Sequence[tuple[str, str]]
    html: str


@dataclass(frozen=True)
class PlayerView:
    """All figures that the page of one player shows."""

    id: str
    name: str
    scales: Sequence[tuple[str, str]]
    """the scorings to choose among, each by its name in the address; none where there is one only"""
    headline: Sequence[tuple[str, StatisticValue]]
    form: Sequence[statistics_presenter.FormMark]
    form_in_words: str
    groups: Sequence[tuple[str, Sequence[statistics_presenter.StatisticView]]]
    tables: Sequence[AtTable]
    rating: Chart | None
    calendar: season.Calendar | None
    duels: season.Duels | None


@blueprint.get("/players/<player_id>")
def player(player_id: str) -> Response | str | tuple[str, int]:
    """Show one player; 401, 403, 404, 422; one merged into another leads there."""
    found = guards.get_player(player_id)
    if found.merged_into is not None:
        return redirect(url_for("history.player", player_id=found.merged_into), 301)
    club = guards.get_club()
    chosen, filters, state = read_filter(club, "scale")

    def draw() -> DrawnPlayer:
        loaded = load_figures(guards.records(), club.id, chosen, found.id) if chosen else {}
        names, stand_ins = call_players(guards.records(), club)
        view = player_view(loaded.get(found.id, Figures(found.id)), names, stand_ins)
        html = render_template("history/_player.html", player=view, given=filters.given) if view.groups else ""
        return DrawnPlayer(view.scales, html)

    drawn = DRAWN.get((club.id, found.id, found.name, chosen, state, str(local_time.zone())), draw)
    html = render_template(
        "history/player.html",
        player={"id": found.id, "name": found.name},
        scales=drawn.scales,
        figures=Markup(drawn.html),  # drawn by a template
        filters=filters,
        table_sizes=TABLES,
    )
    return html if chosen else (html, 422)


@blueprint.get("/players/<player_id>/everything.json")
def everything(player_id: str) -> Response:
    """Give everything that is stored about a player as one file; 401, 403, 404, 410."""
    return player_file(guards.get_player(player_id))


def player_view(figures: Figures, names: Mapping[str, str], stand_ins: Collection[str]) -> PlayerView:
    """Lay out a player's figures; `names` are those of the club's players, `stand_ins` the ids of deleted ones."""
    ratings = statistics_presenter.ratings_of(figures)
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
    played = [scale for scale in Scale if scale in figures.scales]
    scales = [("", say("statistics.every-scale")), *((str(scale), say(f"statistics.{scale}-wins")) for scale in played)]
    return PlayerView(
        id=figures.player_id,
        name=name,
        scales=scales if len(played) > 1 else (),
        headline=list(_headline(figures, ratings)),
        form=form,
        form_in_words=statistics_presenter.form_in_words(form),
        groups=[(title, shown) for title, shown in groups if shown],
        tables=by_table_size(figures),
        rating=season.course(name, ratings) if len(ratings) > 1 else None,
        calendar=season.calendar(name, figures.results) if figures.results else None,
        duels=season.duels(name, figures.meetings, names, stand_ins) if figures.meetings else None,
    )


def _headline(figures: Figures, ratings: Sequence[Rated]) -> Iterator[tuple[str, StatisticValue]]:
    """Give the five figures that people look for first; one that is missing is left out."""
    matches, won, run = len(figures.results), matches_won(figures), present_run(figures)
    if matches:
        yield say("statistics.headline-played"), StatisticValue(number(matches), say("statistics.matches", n=matches))
    if won.whole:
        told = say("statistics.of", part=won.part, whole=won.whole)
        yield say("statistics.headline-won"), StatisticValue(percent(won), told)
    if points := caught_with(figures):
        hands = {scale: sum(one.hands for one in figures.rounds if one.scale == scale) for scale in points}
        most = max(points, key=lambda scale: hands[scale])
        told = say(f"statistics.{most}") if len(points) > 1 else say("statistics.headline-points")
        yield say("statistics.headline-caught"), StatisticValue(figure(points[most]), told)
    if run:
        told = say("statistics.won-in-a-row" if run.won else "statistics.lost-in-a-row")
        yield say("statistics.headline-streak"), StatisticValue(str(run.matches), told)
    if ratings:
        margin = say("statistics.margin", points=f"{2 * ratings[-1].sigma:.1f}")
        yield say("statistics.headline-rating"), StatisticValue(f"{ratings[-1].mu:.1f}", margin)
