"""A player's page on a club's public page."""

from __future__ import annotations

from flask import redirect, url_for
from werkzeug.wrappers import Response

from referee.records.players import call_players, get_player
from referee.records.statistics.counting import load_figures
from referee.records.statistics.figures import Figures, Filter, load_choices
from referee.web.history.player import COUNTED, PlayerView, player_view
from referee.web.public.front import year_of
from referee.web.public.room import answered, blueprint, draw, opened, whole_address
from referee.web.server import guards, local_time


@blueprint.get("/players/<player_id>")
def player(public_token: str, player_id: str) -> Response:
    """Show one player; one merged into another leads there; 304, 404, 410, 429."""
    page = opened(public_token, whole_club=True)
    session = guards.records()
    found = get_player(session, page.club.id, player_id)
    if found.merged_into is not None:
        return redirect(url_for("public.player", public_token=page.token, player_id=found.merged_into), 301)
    choices = load_choices(session, page.club.id)
    year = year_of(choices)
    chosen = Filter(year=year)
    names, stand_ins = call_players(session, page.club)

    def count() -> PlayerView:
        figures = load_figures(session, page.club.id, chosen, found.id)
        return player_view(figures.get(found.id, Figures(found.id)), names, stand_ins)

    def draw_page() -> str:
        state = (page.club.id, found.id, found.name, chosen, choices.state, str(local_time.zone()))
        view = COUNTED.get(state, count)
        return draw("public/player.html", page, player=view, year=year, back=whole_address(page))

    return answered((page.club.name, found.id, choices.state, tuple(names.items())), draw_page)
