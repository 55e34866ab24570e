"""Where a public address leads first: a match, or a club's players, records and latest matches."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Response, request, url_for

from referee.records.history import count_matches, list_matches
from referee.records.players import list_players
from referee.records.sheets import load_summaries
from referee.records.statistics.counting import load_figures
from referee.records.statistics.figures import Choices, Filter, load_choices
from referee.web.history.matches import Month, months_of
from referee.web.history.players import COMPARED, PlayersView, players_view
from referee.web.history.room import number
from referee.web.public.match import picture_of, show
from referee.web.public.room import Visit, answered, blueprint, draw, opened, pictured, whole_address
from referee.web.server import guards
from referee.web.sharing.ways import Preview, ways_of
from referee.web.words import say

Everyone = tuple[tuple[str, str, bool], ...]
LATEST = 5
"""Matches on the first page."""
PLAYERS = 100
"""Players in its table, the first by their place."""
YEARS = 8
"""Years to choose among, the newest."""


@blueprint.get("")
def front(public_token: str) -> Response:
    """Show the match or the club of an address; 304, 404, 410, 429."""
    page = opened(public_token)
    if page.match is not None:
        return show(page, page.match)
    choices = load_choices(guards.records(), page.club.id)
    year = year_of(choices)
    everyone = everyone_of(page)
    state = (page.club.name, choices.state, everyone)
    return answered(state, lambda: _page(page, choices, year, everyone))


@blueprint.get("/picture.png")
def picture(public_token: str) -> Response:
    """Draw the match of an address, or the season of its club; 304, 404, 410, 429."""
    page = opened(public_token)
    if page.match is not None:
        return picture_of(page.match)
    choices = load_choices(guards.records(), page.club.id)
    everyone = everyone_of(page)
    return pictured((page.club.name, choices.state, everyone), lambda: _drawn(page, choices, everyone))


@blueprint.get("/matches")
def all_matches(public_token: str) -> Response:
    """List a club's matches, fifty a page; 304, 404, 410, 422 for a page that cannot be, 429."""
    page = opened(public_token, whole_club=True)
    before = request.args.get("before") or None
    choices = load_choices(guards.records(), page.club.id)
    found = list_matches(guards.records(), page.club, before=before)
    following = url_for("public.all_matches", public_token=page.token, before=found.next) if found.next else ""
    return answered(
        (page.club.name, choices.state),
        lambda: draw(
            "public/matches.html",
            page,
            months=_without_places(months_of(load_summaries(guards.records(), found.matches))),
            next=following,
            back=whole_address(page),
        ),
    )


def everyone_of(page: Visit) -> Everyone:
    """List a club's players: id, name, and whether they still play."""
    return tuple((one.id, one.name, one.active) for one in list_players(guards.records(), page.club))


def year_of(choices: Choices) -> int | None:
    """Read the year that is asked for; None for all of them, and for one without a match."""
    year = number(request.args.get("year", ""))
    return year if year in choices.years else None


def compared(page: Visit, choices: Choices, year: int | None, everyone: Everyone) -> PlayersView:
    """Set a club's players side by side, as its own page does."""
    chosen = Filter(year=year)

    def compare() -> PlayersView:
        return players_view(load_figures(guards.records(), page.club.id, chosen), everyone)

    return COMPARED.get((page.club.id, chosen, choices.state, *everyone), compare)


def _page(page: Visit, choices: Choices, year: int | None, everyone: Everyone) -> str:
    latest = list_matches(guards.records(), page.club, year=year, limit=LATEST)
    view = compared(page, choices, year, everyone)
    address = whole_address(page)
    image = url_for("public.picture", public_token=page.token, _external=True)
    count = choices.state[0]
    preview = Preview(
        title=say("public-page.club-title", club=page.club.name),
        text=say("public-page.club-text", n=count),
        picture=f"{image}?{choices.state[0]}-{choices.state[1]}",
        address=address,
    )
    return draw(
        "public/club.html",
        page,
        ways_of(preview, image),
        preview=preview,
        view=view,
        year=year,
        years=choices.years[:YEARS],
        months=_without_places(months_of(load_summaries(guards.records(), latest.matches))),
        more=latest.next is not None,
        most=PLAYERS,
    )


def _without_places(months: Sequence[Month]) -> list[Month]:
    return [Month(month.title, [match.anywhere() for match in month.matches]) for month in months]


def _drawn(page: Visit, choices: Choices, everyone: Everyone) -> bytes:
    from referee.web.sharing.season_card import draw_season  # with Pillow, which few starts need

    year = choices.years[0] if choices.years else None
    matches = count_matches(guards.records(), page.club, year) if year else 0
    return draw_season(page.club.name, year, compared(page, choices, year, everyone).lines, matches)
