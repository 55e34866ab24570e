"""The players of a club side by side, and one player: figures, a season in pictures, and every statistic."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from referee.records.cache import Cache
from referee.records.club.players import call_players, list_players
from referee.records.match.sheets import to_csv
from referee.records.models import Player
from referee.records.statistics.definitions import compare, statistics_rows
from referee.records.statistics.figures import Figures, Filter, load_choices, load_figures
from referee.rules.text.problem import Impossible, Problem
from referee.web.history.views import invitation
from referee.web.page.filters import number, read_filter
from referee.web.players.wording import YearCard, form_of, player_page, scales_of, year_of_club, year_of_player
from referee.web.server import guards, local_time
from referee.web.server.long_work import BYTE_ORDER_MARK, reading_all_of, save_as
from referee.web.transfer.views import player_file
from referee.web.words import say

blueprint = Blueprint("players", __name__, url_prefix="/history")


class Drawn(NamedTuple):
    """What a page shows of figures."""

    html: str
    scales: Sequence[tuple[str, str]] = ()
    """the scorings to choose among, by value and label; none where there is only one"""


DRAWN: Cache[Drawn] = Cache("statistics", 2_000_000, lambda drawn: sys.getsizeof(drawn.html))
"""By the state of the club's matches and all that is shown beside them: counting 20,000 rounds takes 100 ms."""


@blueprint.get("/players")
def index() -> str | tuple[str, int]:
    """Show players side by side, and invite a stranger; 401, 403, 422 with the page for a filter that cannot be."""
    if not guards.presents_key():
        return invitation(say("page.players"), "players")
    club = guards.get_club()
    chosen, form = read_filter(club)
    everyone = list_players(guards.records(), club)
    shown = {player.id: player.name for player in everyone}
    markers = {player.id: player.marker for player in everyone if player.marker}

    def draw() -> Drawn:
        with reading_all_of(club.id):
            figures = load_figures(guards.records(), club.id, chosen) if chosen else {}
        told = {"form": form, "form_of": form_of, "markers": markers}
        html = render_template("players/_players.html", **told, **vars(compare(figures, shown)))
        return Drawn(html.strip())

    state = (club.id, chosen, *form.given.values(), form.choices.state, *shown.items(), *markers.items())
    html = render_template("players/players.html", form=form, drawn=DRAWN.get(state, draw))
    return html if chosen else (html, 422)


@blueprint.get("/players.csv")
def table() -> Response:
    """Return everybody's statistics for a spreadsheet, by the same filter; 401, 403, 422."""
    club = guards.get_club()
    chosen, form = read_filter(club)
    if chosen is None:
        raise Impossible([Problem(field, message) for field, messages in form.errors.items() for message in messages])
    names, stand_ins = call_players(guards.records(), club)
    with reading_all_of(club.id):
        figures = load_figures(guards.records(), club.id, chosen)
    shown = {id: line for id, line in figures.items() if id not in stand_ins}
    rows = to_csv(statistics_rows(shown, names, titled=True))
    return save_as(say("spreadsheet.statistics"), "text/csv", rows, BYTE_ORDER_MARK)


@blueprint.get("/players/<player_id>")
def player(player_id: str) -> Response | str | tuple[str, int]:
    """Show one player; redirect from one merged into another; 401, 403, 404, 422."""
    player = guards.get_player(player_id)
    if player.merged_into is not None:
        return redirect(url_for("players.player", player_id=player.merged_into), 301)
    club = guards.get_club()
    chosen, form = read_filter(club, "scale")

    def draw() -> Drawn:
        with reading_all_of(club.id):
            loaded = load_figures(guards.records(), club.id, chosen, player.id) if chosen else {}
        figures = loaded.get(player.id, Figures(player.id))
        names, stand_ins = call_players(guards.records(), club)
        page = player_page(figures, names, stand_ins)
        html = render_template("players/_player.html", player=player, page=page, form=form)
        return Drawn(html.strip(), scales_of(figures))

    state = (club.id, player.id, player.name, chosen, *form.given.values(), form.choices.state, str(local_time.zone()))
    html = render_template("players/player.html", player=player, form=form, drawn=DRAWN.get(state, draw))
    return html if chosen else (html, 422)


@blueprint.get("/players/<player_id>/everything.json")
def everything(player_id: str) -> Response:
    """Return everything that is stored about a player as one file; 401, 403, 404, 410."""
    return player_file(guards.get_player(player_id))


YEARS: Cache[Sequence[YearCard]] = Cache("years", 200_000, lambda cards: 2_000 + sum(len(f"{card}") for card in cards))
"""The cards of a year by all they are told from: each picture of them asks for one."""


@blueprint.get("/year")
def year() -> str:
    """Show a year of the club, or of one player, in pictures; 401, 403, 404."""
    return render_template("players/year.html", year=year_in_address())


class Year(NamedTuple):
    """A year of a player, or of a club, told on cards."""

    year: int
    player: Player | None
    title: str
    cards: Sequence[YearCard]


def year_in_address() -> Year:
    """Return the year in the address; the latest with a match if it has another."""
    club = guards.get_club()
    player = guards.get_player(request.args["player"]) if "player" in request.args else None
    choices = load_choices(guards.records(), club.id)
    asked = number(request.args.get("year", ""))
    chosen = asked if asked in choices.years else next(iter(choices.years), datetime.now(UTC).year)
    names, _ = call_players(guards.records(), club)
    whose = player.name if player else club.name
    state = (club.id, whose, player.id if player else "", chosen, choices.state, str(local_time.zone()), *names.items())

    def tell() -> Sequence[YearCard]:
        with reading_all_of(club.id):
            figures = load_figures(guards.records(), club.id, Filter(year=chosen), player.id if player else None)
        if player:
            return year_of_player(whose, chosen, figures.get(player.id, Figures(player.id)), names)
        return year_of_club(whose, chosen, figures, names)

    return Year(chosen, player, say("year.of", name=whose, year=chosen), YEARS.get(state, tell))
