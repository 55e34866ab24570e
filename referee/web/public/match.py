"""The public page of a match: its result, its course, its rounds and the rules agreed on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from flask import Response, url_for

from referee.records.cache import Cache
from referee.records.models import Match, MatchStatus
from referee.records.sheets import Sheet, load_sheet
from referee.records.statistics.decided import load_course
from referee.web.page.charts import Chart
from referee.web.public.room import Visit, answered, blueprint, draw, opened, pictured, whole_address
from referee.web.score import summaries
from referee.web.score.rule_card import RuleCard, rule_card
from referee.web.score.sides import by_sides
from referee.web.score.winner import chart_of, winner_of
from referee.web.server import guards, local_time
from referee.web.sharing.handouts import preview_text
from referee.web.sharing.ways import Preview, ways_of
from referee.web.words import say

ROUNDS = 100
"""Rounds in the table, the last ones; few matches have more than thirty."""


@dataclass(frozen=True)
class RoundCell:
    """What a round brought one player; None for who sat it out."""

    points: int | None
    won: bool


@dataclass(frozen=True)
class MatchView:
    """Everything the public page of a match shows."""

    id: str
    title: str
    text: str
    """the standings in a line"""
    result: str
    note: str
    when: str
    day: str
    rounds: str
    standings: Sequence[tuple[int | None, str, int, bool]]
    decided: Sequence[str]
    chart: Chart | None
    columns: Sequence[str]
    rows: Sequence[tuple[int, Sequence[RoundCell]]]
    hidden: int
    """rounds before those in the table"""
    card: RuleCard
    changes: Sequence[str]


VIEWS: Cache[MatchView] = Cache("public matches", 1_000_000)
"""By the state of their match."""


def show(opened: Visit, match: Match) -> Response:
    """Answer with the page of a match; 304."""
    state = (match.id, match.state, opened.club.name)
    return answered(state, lambda: _page(opened, match))


def _page(opened: Visit, match: Match) -> str:
    view = view_of(match)
    whole = opened.match is None
    part = {"match_id": match.id} if whole else {}
    page = "public.one_match" if whole else "public.front"
    image = "public.match_picture" if whole else "public.picture"
    address = url_for(page, public_token=opened.token, _external=True, **part)
    picture = url_for(image, public_token=opened.token, _external=True, **part)
    said = view.title if match.status == MatchStatus.IN_PROGRESS else view.result
    preview = Preview(said, view.text, f"{picture}?{match.state}", address)
    back = whole_address(opened) if whole else ""
    return draw("public/match.html", opened, ways_of(preview, picture), match=view, preview=preview, back=back)


@blueprint.get("/matches/<match_id>")
def one_match(public_token: str, match_id: str) -> Response:
    """Show one match of a club's page; 304, 404, 410, 429."""
    page = opened(public_token, whole_club=True)
    return show(page, page.find_match(match_id))


@blueprint.get("/matches/<match_id>/picture.png")
def match_picture(public_token: str, match_id: str) -> Response:
    """Draw one match of a club's page; 304, 404, 410, 429."""
    return picture_of(opened(public_token, whole_club=True).find_match(match_id))


def picture_of(match: Match) -> Response:
    """Answer with the picture of a match, without the place where it was played; 304."""
    return pictured((match.id, match.state), lambda: _drawn(match))


def _drawn(match: Match) -> bytes:
    from referee.web.sharing.result_card import draw_card  # with Pillow, which few starts need

    sheet = load_sheet(guards.records(), match, last=1, rulings=False)
    return draw_card(sheet, load_course(guards.records(), match, sheet.terms, sheet.seating), public=True)


def view_of(match: Match) -> MatchView:
    """Put the page of a match together, once for each state."""
    return VIEWS.get((match.id, match.state, str(local_time.zone())), lambda: _view(match))


def _view(match: Match) -> MatchView:
    sheet = load_sheet(guards.records(), match, last=ROUNDS, rulings=False)
    names = [seat.name for seat in sheet.seating.seats]
    rows = [
        (
            one.number or 0,
            [RoundCell(None if name in one.sat_out else one.points.get(name), name == one.winner) for name in names],
        )
        for one in sheet.rounds
    ]
    scene = winner_of(sheet)
    course = () if scene else load_course(guards.records(), match, sheet.terms, sheet.seating)
    agreed = [replace(one, note="") for one in sheet.agreements]
    return MatchView(
        id=match.id,
        title=summaries.title_of(match, sheet.players),
        text=preview_text(sheet),
        result=summaries.result(match, sheet.winners) or say("result.in-progress"),
        note=scene.note if scene else "",
        when=match.started_at.isoformat(),
        day=local_time.day(match.started_at),
        rounds=say("result.rounds", n=sheet.round_count),
        standings=_standings(sheet),
        decided=scene.decided if scene else (),
        chart=scene.chart if scene else chart_of(sheet, course) if len(course) > 2 else None,
        columns=names,
        rows=rows,
        hidden=sheet.round_count - len(rows),
        card=rule_card(sheet.terms),
        changes=[
            summaries.amendment(agreed[place - 1], agreed[place], sheet.terms.rulebook)
            for place in range(1, len(agreed))
        ],
    )


def _standings(sheet: Sheet) -> list[tuple[int | None, str, int, bool]]:
    return [
        (
            side.rank if sheet.terms.wins and sheet.round_count else None,
            summaries.joined(side.names),
            side.total,
            side.names[0] in sheet.winners,
        )
        for side in by_sides(sheet.standings)
    ]
