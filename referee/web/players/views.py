"""The players of a club side by side, and one player: figures, a season in pictures, and every statistic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from flask import Blueprint, redirect, render_template, url_for
from werkzeug.wrappers import Response

from referee.records.cache import Cache
from referee.records.players import call_players
from referee.records.score_tables import to_csv
from referee.records.statistics.comparison import compare
from referee.records.statistics.counting import load_figures
from referee.records.statistics.figures import Figures
from referee.records.statistics.table import statistics_rows
from referee.rules.problem import Impossible, Problem
from referee.web.history.views import invitation
from referee.web.players.forms import TABLES, read_filter
from referee.web.players.wording import player_page, scales_of
from referee.web.server import guards, local_time
from referee.web.server.files import BYTE_ORDER_MARK, save_as
from referee.web.server.long_work import reading_all_of
from referee.web.transfer.views import player_file

blueprint = Blueprint("players", __name__, url_prefix="/history")


class Drawn(NamedTuple):
    """What a page shows of figures."""

    html: str
    scales: Sequence[tuple[str, str]] = ()
    """the scorings to choose among, by value and label; none where there is only one"""


DRAWN: Cache[Drawn] = Cache("statistics", 2_000_000)
"""By the state of the club's matches and all that is shown beside them: counting 20,000 rounds takes 100 ms."""


@blueprint.get("/players")
def index() -> str | tuple[str, int]:
    """Show players side by side, and invite a stranger; 401, 403, 422 with the page for a filter that cannot be."""
    if not guards.presents_key():
        return invitation("Players", "players")
    club = guards.get_club()
    chosen, form = read_filter(club)
    names, stand_ins = call_players(guards.records(), club)
    shown = {id: name for id, name in names.items() if id not in stand_ins}

    def draw() -> Drawn:
        with reading_all_of(club.id):
            figures = load_figures(guards.records(), club.id, chosen) if chosen else {}
        return Drawn(render_template("players/_players.html", form=form, **vars(compare(figures, shown))).strip())

    state = (club.id, chosen, *form.given.values(), form.choices.state, *shown.items())
    html = render_template("players/players.html", form=form, table_sizes=TABLES, drawn=DRAWN.get(state, draw))
    return html if chosen else (html, 422)


@blueprint.get("/players.csv")
def table() -> Response:
    """Return everybody's statistics for a spreadsheet, by the same filter; 401, 403, 422."""
    club = guards.get_club()
    chosen, form = read_filter(club)
    if chosen is None:
        raise Impossible([Problem(field, message) for field, said in form.errors.items() for message in said])
    names, stand_ins = call_players(guards.records(), club)
    with reading_all_of(club.id):
        figures = load_figures(guards.records(), club.id, chosen)
    shown = {id: one for id, one in figures.items() if id not in stand_ins}
    return save_as("uno-statistics.csv", "text/csv", to_csv(statistics_rows(shown, names)), BYTE_ORDER_MARK)


@blueprint.get("/players/<player_id>")
def player(player_id: str) -> Response | str | tuple[str, int]:
    """Show one player; redirect from one merged into another; 401, 403, 404, 422."""
    found = guards.get_player(player_id)
    if found.merged_into is not None:
        return redirect(url_for("players.player", player_id=found.merged_into), 301)
    club = guards.get_club()
    chosen, form = read_filter(club, "scale")

    def draw() -> Drawn:
        with reading_all_of(club.id):
            loaded = load_figures(guards.records(), club.id, chosen, found.id) if chosen else {}
        figures = loaded.get(found.id, Figures(found.id))
        names, stand_ins = call_players(guards.records(), club)
        page = player_page(figures, names, stand_ins)
        html = render_template("players/_player.html", player=found, page=page, form=form)
        return Drawn(html.strip(), scales_of(figures))

    state = (club.id, found.id, found.name, chosen, *form.given.values(), form.choices.state, str(local_time.zone()))
    drawn = DRAWN.get(state, draw)
    html = render_template("players/player.html", player=found, form=form, table_sizes=TABLES, drawn=drawn)
    return html if chosen else (html, 422)


@blueprint.get("/players/<player_id>/everything.json")
def everything(player_id: str) -> Response:
    """Return everything that is stored about a player as one file; 401, 403, 404, 410."""
    return player_file(guards.get_player(player_id))
