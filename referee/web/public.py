"""Public pages, for anyone with the address: of a match, a season, or a club's matches, players and records.

They take no key, ask nothing of the browser and store nothing in it. They show names, results and the rules agreed on;
they leave out notes, places, rulings, corrections, and who entered what.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from flask import Blueprint, Response, current_app, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from referee.records.club import links
from referee.records.club.players import call_players, get_player, list_players
from referee.records.club.precedents import law_of_match
from referee.records.deletion.waiting import refuse_deleted_with
from referee.records.errors import Deleted, NotFound
from referee.records.match import matches
from referee.records.match.history import count_matches, list_matches, load_leads
from referee.records.match.sheets import load_sheet, load_summaries
from referee.records.models import Club, Match, MatchStatus, Season
from referee.records.season.seasons import get_season
from referee.records.statistics.decided import load_course
from referee.records.statistics.definitions import PlayerComparison, compare
from referee.records.statistics.figures import Choices, Figures, Filter, load_choices, load_figures
from referee.rules.text.problem import Impossible
from referee.web.history.wording import Month, months_of
from referee.web.page import layout, match_wording
from referee.web.page.charts import course_chart
from referee.web.page.filters import number
from referee.web.page.match_wording import by_sides, rule_card
from referee.web.pictures.views import match_picture, picture
from referee.web.players.views import DRAWN, Drawn
from referee.web.players.wording import form_of, player_page
from referee.web.score.wording import winner_of
from referee.web.season.views import season_picture, state_of, told
from referee.web.server import guards, local_time, rate_limits
from referee.web.server.errors import answer
from referee.web.server.headers import etag_of, unless_cached
from referee.web.server.long_work import reading_all_of
from referee.web.server.polls import PRIVATE
from referee.web.sharing.wording import SharedPage, preview_text
from referee.web.words import say

blueprint = Blueprint("public", __name__, url_prefix="/public/<public_token>")
blueprint.url_defaults(layout.keep_language)

PLAYERS = 100
"""Players in its table, the first by their place."""
ROUNDS = 100
"""Rounds in a match's table, the last ones; few matches have more than thirty."""


@dataclass(frozen=True)
class Visit:
    """What the address of this request opens."""

    token: str
    club: Club
    match: Match | None
    """the only match that is shown; None where all of the club are, or a season"""
    season: Season | None = None
    """the only season that is shown"""

    def find_match(self, match_id: str) -> Match:
        """Return a match that the page shows; raise `NotFound`."""
        if self.match is not None and self.match.id != match_id:
            raise NotFound("match")
        return self.match or matches.get_match(guards.records(), self.club.id, match_id)


@blueprint.get("")
def front(public_token: str) -> Response:
    """Show the match or the club of an address; 304, 404, 410, 429."""
    visit = _visit(public_token)
    if visit.match is not None:
        return _match_page(visit, visit.match)
    if visit.season is not None:
        return _season_page(visit, visit.season)
    choices = load_choices(guards.records(), visit.club.id)
    year = _year(choices)
    everyone = list_players(guards.records(), visit.club)
    names = {player.id: player.name for player in everyone}
    markers = {player.id: player.marker for player in everyone if player.marker}

    def draw() -> str:
        latest = list_matches(guards.records(), visit.club, year=year, limit=5)
        with reading_all_of(visit.club.id):
            compared = _compare(visit, year, names)
        page = SharedPage(
            title=say("public-page.club-title", club=visit.club.name),
            text=say("public-page.club-text", n=count_matches(guards.records(), visit.club)),
            address=_address(visit),
            picture=url_for("public.front_picture", public_token=visit.token, _external=True),
            version=f"{choices.state[0]}-{choices.state[1]}",
        )
        return render_template(
            "public/club.html",
            visit=visit,
            page=page,
            players=compared,
            markers=markers,
            form_of=form_of,
            year=year,
            years=choices.years[:8],
            months=_months(latest.matches),
            more=latest.next is not None,
            most=PLAYERS,
        )

    return _page((visit.club.id, visit.club.name, choices.state, *names.items(), *markers.items()), draw)


@blueprint.get("/picture.png")
def front_picture(public_token: str) -> Response:
    """Return the picture of a match, of a season, or of a club's year; 304, 404, 410, 429."""
    visit = _visit(public_token)
    if visit.match is not None:
        return match_picture(visit.match, public=True)
    if visit.season is not None:
        return season_picture(visit.club, visit.season, public=True)
    choices = load_choices(guards.records(), visit.club.id)
    names = {player.id: player.name for player in list_players(guards.records(), visit.club)}

    def draw() -> bytes:
        from referee.web.pictures.cards import draw_club  # with Pillow, which few starts need

        year = choices.years[0] if choices.years else None
        count = count_matches(guards.records(), visit.club, year) if year else 0
        return draw_club(visit.club.name, year, _compare(visit, year, names).lines, count)

    return picture(("club", visit.club.id, visit.club.name, choices.state, *names.items()), draw, public=True)


@blueprint.get("/matches")
def all_matches(public_token: str) -> Response:
    """List a club's matches, fifty a page; 304, 404 also for a page that cannot be, 410, 429."""
    visit = _visit(public_token, whole_club=True)
    choices = load_choices(guards.records(), visit.club.id)
    page = list_matches(guards.records(), visit.club, before=request.args.get("before") or None)

    def draw() -> str:
        following = url_for("public.all_matches", public_token=visit.token, before=page.next) if page.next else ""
        return render_template(
            "public/matches.html",
            visit=visit,
            months=_months(page.matches),
            next=following,
            back=_address(visit),
        )

    return _page((visit.club.id, visit.club.name, choices.state), draw)


@blueprint.get("/matches/<match_id>")
def one_match(public_token: str, match_id: str) -> Response:
    """Show one match of a club's page; 304, 404, 410, 429."""
    visit = _visit(public_token, whole_club=True)
    return _match_page(visit, visit.find_match(match_id))


@blueprint.get("/matches/<match_id>/picture.png")
def one_match_picture(public_token: str, match_id: str) -> Response:
    """Return the picture of one match of a club's page; 304, 404, 410, 429."""
    return match_picture(_visit(public_token, whole_club=True).find_match(match_id), public=True)


@blueprint.get("/players/<player_id>")
def player(public_token: str, player_id: str) -> AnyResponse:
    """Show one player; redirect from one merged into another; 304, 404, 410, 429."""
    visit = _visit(public_token, whole_club=True)
    player = get_player(guards.records(), visit.club.id, player_id)
    if player.merged_into is not None:
        return redirect(url_for("public.player", public_token=visit.token, player_id=player.merged_into), 301)
    choices = load_choices(guards.records(), visit.club.id)
    year = _year(choices)
    names, stand_ins = call_players(guards.records(), visit.club)

    def draw() -> str:
        with reading_all_of(visit.club.id):
            figures = load_figures(guards.records(), visit.club.id, Filter(year=year), player.id)
        shown = player_page(figures.get(player.id, Figures(player.id)), names, stand_ins)
        return render_template(
            "public/player.html", visit=visit, player=player, figures=shown, year=year, back=_address(visit)
        )

    return _page((visit.club.id, visit.club.name, player.id, choices.state, tuple(names.items())), draw)


def _match_page(visit: Visit, match: Match) -> Response:
    def draw() -> str:
        sheet = load_sheet(guards.records(), match, last=ROUNDS, rulings=False)
        whole = visit.match is None
        endpoint, part = ("public.one_match", {"match_id": match.id}) if whole else ("public.front", {})
        title = match_wording.title_of(match, sheet.players)
        result = match_wording.result(match, sheet.winners) or say("result.in-progress")
        page = SharedPage(
            title=title if match.status == MatchStatus.IN_PROGRESS else result,
            text=preview_text(sheet),
            address=url_for(endpoint, public_token=visit.token, _external=True, **part),
            picture=url_for(f"{endpoint}_picture", public_token=visit.token, _external=True, **part),
            version=str(match.state),
        )
        scene = winner_of(sheet)
        course = () if scene else load_course(guards.records(), match, sheet.terms, sheet.seating)
        return render_template(
            "public/match.html",
            visit=visit,
            page=page,
            sheet=sheet,
            title=title,
            result=result,
            scene=scene,
            sides=by_sides(sheet.standings),
            # not where the rules name no winner, nor before the first round
            ranked=bool(sheet.terms.wins and sheet.round_count),
            chart=scene.chart if scene else course_chart(sheet, course) if len(course) > 2 else None,
            card=rule_card(sheet.terms),
            # words of its people stay with them
            law=[one for one in law_of_match(guards.records(), match) if not one.decision.text],
            changes=match_wording.amendments(sheet, notes=False),
            back=_address(visit) if whole else "",
        )

    return _page((match.club_id, match.id, match.state, visit.club.name), draw)


def _season_page(visit: Visit, season: Season) -> Response:
    def draw() -> str:
        view, _ = told(visit.club, season)
        picture = url_for("public.front_picture", public_token=visit.token, _external=True)
        text = view.headline or view.days
        page = SharedPage(
            f"{view.name}: {view.headline}" if view.headline else view.name, text, _address(visit), picture
        )
        return render_template("public/season.html", visit=visit, page=page, view=view)

    return _page(state_of(visit.club, season), draw)


def _compare(visit: Visit, year: int | None, names: Mapping[str, str]) -> PlayerComparison:
    return compare(load_figures(guards.records(), visit.club.id, Filter(year=year)), names)


def _year(choices: Choices) -> int | None:
    """Return the year that is asked for; None for all of them, and for one without a match."""
    year = number(request.args.get("year", ""))
    return year if year in choices.years else None


def _visit(token: str, *, whole_club: bool = False) -> Visit:
    """Find what an address shows, all of a club if `whole_club`; raise `NotFound`, `Gone` and 429."""
    session = guards.records()
    try:
        page = links.open_page(session, token)
    except NotFound:
        refuse_deleted_with(session, token)
        guards.count_unknown(token)
        raise
    rate_limits.count_public()
    layout.speak_as_asked(page.club.language)
    if guards.reopened(page.club.id, page.club.import_id):
        page = links.open_page(session, token)
    if (page.match_id or page.season_id) and whole_club:
        raise NotFound("public page")
    if page.season_id:
        return Visit(token, page.club, None, get_season(session, page.club.id, page.season_id))
    match = matches.get_match(session, page.club.id, page.match_id) if page.match_id else None
    return Visit(token, page.club, match)


def _months(matches: Sequence[Match]) -> list[Month]:
    """Group matches by month, those in progress with who leads."""
    running = [match for match in matches if match.status == MatchStatus.IN_PROGRESS]
    return months_of(load_summaries(guards.records(), matches), load_leads(guards.records(), running))


def _page(state: tuple[object, ...], draw: Callable[[], str]) -> Response:
    """Return a page, or 304 to whoever has it; `state` holds everything it depends on but the program."""
    style: str = current_app.jinja_env.globals["static"]("css/public.css")  # type: ignore[operator]
    here = (request.url_root, request.full_path, str(local_time.zone()))
    etag = etag_of(style, *here, *state)
    return unless_cached(etag, lambda: DRAWN.get(etag, lambda: Drawn(draw())).html)


def _address(visit: Visit) -> str:
    """Return the address that people pass on."""
    return url_for("public.front", public_token=visit.token, _external=True)


@blueprint.errorhandler(Impossible)
def impossible(error: Impossible) -> Response:
    """Answer for a page of the list that cannot be."""
    return answer(404, error.problems[0].message)


@blueprint.errorhandler(Deleted)
def deleted(_error: Deleted) -> Response:
    """Answer for what was deleted as for what was switched off: only its club may restore it."""
    return answer(410, say("public-page.deleted"))


@blueprint.after_request
def keep_private(response: Response) -> Response:
    """Keep the address, which is a key, from other sites and search engines."""
    for name, value in PRIVATE.items():
        response.headers.setdefault(name, value)
    return response
