"""The seasons of a club: their list, one with its table, the sheet for the door, its link, and its form."""

import sys
from collections.abc import Mapping, Sequence
from datetime import date
from functools import partial
from typing import Any

from flask import Blueprint, current_app, render_template, request, url_for
from flask import Response as FlaskResponse
from werkzeug.wrappers import Response

from referee.records.cache import Cache
from referee.records.club import links
from referee.records.club.players import list_players
from referee.records.errors import Conflict
from referee.records.models import Club, Season, now
from referee.records.season import seasons
from referee.records.season.days import day_of, zone_named
from referee.records.season.seasons import Rules, SeasonDraft, draft_of, following
from referee.records.season.table import SeasonTable, load_table
from referee.rules.text.problem import Impossible
from referee.web.history.views import invitation
from referee.web.page import layout
from referee.web.page.fields import attach_problems, listed
from referee.web.page.filters import number
from referee.web.page.rulebooks import available
from referee.web.pictures.views import picture
from referee.web.season import wording
from referee.web.season.forms import SeasonForm, fields_of
from referee.web.season.wording import SeasonView, days_of, season_view, weight
from referee.web.server import guards, local_time
from referee.web.server.database import save
from referee.web.server.long_work import BYTE_ORDER_MARK, reading_all_of, save_as
from referee.web.sharing.wording import public_page
from referee.web.words import say

blueprint = Blueprint("season", __name__, url_prefix="/seasons")

LEAST = 3
"""Evenings to be ranked that a new season begins with: else whoever won once would lead for ever."""

Page = str | Response | tuple[str, int]


@blueprint.get("/")
def index() -> str:
    """List the club's seasons, and invite a stranger; 401, 403."""
    if not guards.presents_key():
        return invitation(say("season-page.seasons"), "seasons")
    club = guards.get_club()
    found = seasons.list_seasons(guards.records(), club.id)
    today = today_of(club)
    over = [season for season in found if season.last_day and season.last_day < today]
    return render_template(
        "season/index.html",
        running=[(season, days_of(season)) for season in found if season not in over],
        over=[(season, days_of(season)) for season in over],
        may_write=guards.may_write(),
    )


@blueprint.get("/<season_id>")
def show(season_id: str) -> Response | str:
    """Show a season; 304, 401, 403, 404."""
    season = guards.get_season(season_id)
    club, may_write = guards.get_club(), guards.may_write()

    def draw() -> str:
        view, html = told(club, season)
        link = links.find_public(guards.records(), club, season, current_app.config["SECRET_KEY"])
        return render_template(
            "season/season.html",
            season=season,
            view=view,
            drawn=html,
            may_write=may_write,
            is_public=link.on,
            public=public_page(link.token, season.name, view.headline or view.days),
            written=local_time.written,
        )

    return layout.unless_page_cached(draw, may_write, season.public_key_id, *state_of(club, season))


@blueprint.get("/<season_id>/door")
def door(season_id: str) -> str:
    """Show the table as a sheet to print, one page to hang on a door; 401, 403, 404."""
    season = guards.get_season(season_id)
    view, _ = told(guards.get_club(), season)
    return render_template("season/door.html", season=season, view=view, today=local_time.day(now()))


@blueprint.get("/<season_id>.csv")
def table(season_id: str) -> FlaskResponse:
    """Return the table for a spreadsheet, points of every evening beside it; 401, 403, 404."""
    season, club = guards.get_season(season_id), guards.get_club()
    counted = count(club, season)
    people = {player.id: player.name for player in list_players(guards.records(), club, removed=True)}
    return save_as(say("spreadsheet.season"), "text/csv", wording.csv_of(counted, people), BYTE_ORDER_MARK)


@blueprint.get("/<season_id>/season.png")
def card(season_id: str) -> Response:
    """Return the picture of a season: who won it or leads; 304, 401, 403, 404."""
    season, club = guards.get_season(season_id), guards.get_club()
    guards.speak_for_club()
    return season_picture(club, season, public=False)


@blueprint.route("/new", methods=["GET", "POST"])
def new() -> Page:
    """Make a season, of matches that were played too; 401, 403, 422."""
    club = guards.get_club(write=True)
    if request.method == "POST":
        return _save(None)
    return _form(SeasonForm(formdata=None, data=fields_of(_proposal(club))))


@blueprint.route("/<season_id>/edit", methods=["GET", "POST"])
def edit(season_id: str) -> Page:
    """Change a season; 401, 403, 404, 409, 422."""
    season = guards.get_season(season_id, write=True)
    if request.method == "POST":
        return _save(season)
    return _form(SeasonForm(formdata=None, data=fields_of(draft_of(season), str(season.state))), season)


@blueprint.post("/<season_id>/delete")
def delete(season_id: str) -> Response:
    """Delete a season, with Undo: its matches stay; 401, 403, 404."""
    name = guards.get_season(season_id, write=True).name
    save(lambda: seasons.delete(guards.records(), guards.get_season(season_id, write=True)))
    layout.announce(say("season-page.deleted", name=name), undo=url_for("season.restore", season_id=season_id))
    return layout.go(url_for("season.index"))


@blueprint.post("/<season_id>/restore")
def restore(season_id: str) -> Response:
    """Restore a deleted season; 401, 403, 404, 422."""
    save(lambda: seasons.restore(guards.records(), guards.get_season(season_id, write=True, deleted=True)))
    layout.announce(say("season-page.restored"))
    return layout.go(url_for("season.show", season_id=season_id))


@blueprint.post("/<season_id>/public")
def open_public(season_id: str) -> Response:
    """Make the link by which anyone sees the season; 401, 403, 404."""
    secret = current_app.config["SECRET_KEY"]
    club, by = guards.get_club(write=True), guards.get_key()
    save(lambda: links.open_public(guards.records(), club, guards.get_season(season_id, write=True), secret, by))
    layout.announce(say("public-page.is-on"))
    return layout.go(url_for("season.show", season_id=season_id, _anchor="public-title"))


@blueprint.post("/<season_id>/public/close")
def close_public(season_id: str) -> Response:
    """Close that link; 401, 403, 404."""
    club = guards.get_club(write=True)
    save(lambda: links.close_public(guards.records(), club, guards.get_season(season_id, write=True)))
    layout.announce(say("public-page.is-off"))
    return layout.go(url_for("season.show", season_id=season_id))


def today_of(club: Club) -> date:
    """Return the club's day of play."""
    return day_of(now(), zone_named(club.time_zone))


def season_picture(club: Club, season: Season, *, public: bool) -> FlaskResponse:
    """Return the picture of a season, or 304."""
    view, _ = told(club, season)  # beforehand: counting waits for its turn, and so does drawing

    def draw() -> bytes:
        from referee.web.season.card import draw_standings  # with Pillow, which few starts need

        rows = [(row.rank, row.name, row.marker, row.points) for row in view.rows]
        return draw_standings(view.name, view.headline, rows, [view.days, *view.figures], club.name)

    return picture(("season", *state_of(club, season)), draw, public=public)


TOLD: Cache[tuple[SeasonView, str]] = Cache("seasons", 4_000_000, lambda one: weight(one[0]) + sys.getsizeof(one[1]))
"""Seasons, worded and drawn, by all that they are counted and told from: ten years take a tenth of a second."""


def told(club: Club, season: Season) -> tuple[SeasonView, str]:
    """Return a season as it stands: worded, and drawn as its club sees it."""

    def tell() -> tuple[SeasonView, str]:
        people = {player.id: player for player in list_players(guards.records(), club, removed=True)}
        view = season_view(season, count(club, season), people, today_of(club))
        return view, render_template("season/_drawn.html", view=view).strip()

    return TOLD.get(state_of(club, season), tell)


def count(club: Club, season: Season) -> SeasonTable:
    """Count a season as it stands now; raises `Occupied` where years are to be read, and others read a club whole."""
    return load_table(guards.records(), club, season, partial(reading_all_of, club.id))


def state_of(club: Club, season: Season) -> tuple[object, ...]:
    """Return what a season's page follows from: names and matches that are over, and no round of one that goes on."""
    return club.id, club.name, season.id, season.state, club.unrated_turn, club.time_zone, today_of(club)


def _proposal(club: Club) -> SeasonDraft:
    """Return what a new season begins with: this year, or what follows on the one that is named by ``again``."""
    today = today_of(club)
    if not request.args.get("again"):
        name = say("season-page.of-year", year=today.year)
        return SeasonDraft(name, date(today.year, 1, 1), date(today.year, 12, 31), Rules(least=LEAST))
    before = draft_of(guards.get_season(request.args["again"]))
    return following(before, before.last_day or today)


def _save(season: Season | None) -> Page:
    """Save the form, or show it again with every problem at its field."""
    form = SeasonForm()

    def write() -> Season:
        club, draft = guards.get_club(write=True), form.draft(season)
        if season is None:
            club.time_zone = club.time_zone or local_time.zone_name()
            return seasons.create(guards.records(), club, draft, guards.get_key())
        own = guards.get_season(season.id, write=True)
        seasons.change(guards.records(), own, draft, number(form.state.data or "") or 0)
        return own

    try:
        if not form.validate():
            return _form(form, season), 422
        saved = save(write)
    except Impossible as error:
        attach_problems(form, error.problems)
        return _form(form, season), 422
    except Conflict as error:
        form.form_errors.append(str(error))
        season = guards.get_season(season.id, write=True) if season else None
        form.state.data = str(season.state) if season else ""
        return _form(form, season), 409
    layout.announce(say("season-page.saved"))
    return layout.go(url_for("season.show", season_id=saved.id))


def _form(form: Any, season: Season | None = None) -> str:
    club = guards.get_club(write=True)
    return render_template(
        "season/form.html",
        form=form,
        season=season,
        problems=listed(form),
        people=list_players(guards.records(), club),
        rulebooks=_rulebooks(form.rulebooks.data or ()),
        zone=club.time_zone or local_time.zone_name() or "UTC",
    )


def _rulebooks(chosen: Sequence[str]) -> Mapping[str, str]:
    """Return what a season can be of: every rulebook by its title, those chosen first."""
    titles = {id: book.title for id, book in available().items()}
    return {id: titles.get(id, id) for id in [*chosen, *(id for id in titles if id not in chosen)]}
