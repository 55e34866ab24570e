"""The first page: go on playing, or begin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask import current_app, redirect, render_template, request, url_for
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from referee.records.access import RECOVERY_SHEET, list_keys
from referee.records.history import find_matches, list_matches
from referee.records.leads import Lead, load_leads
from referee.records.models import Club, MatchStatus
from referee.records.sheets import MatchSummary, load_summaries
from referee.web import layout
from referee.web.club.demo import may_demo
from referee.web.score import summaries
from referee.web.score.new_match_presenter import first_view
from referee.web.score.room import blueprint
from referee.web.score.sides import SideLine, by_sides
from referee.web.server import guards, local_time
from referee.web.server.database import looking
from referee.web.shared_templates import Link
from referee.web.words import say

RUNNING = 10
MOST_NAMED = 6
"""Players named below the match that is resumed; of more the last are counted."""
PAST = 5
RECENT = 4


@dataclass(frozen=True)
class MatchRow:
    """One match in a list."""

    id: str
    title: str
    line: Sequence[str]
    sides: Sequence[SideLine] = ()
    """who plays, best first, while the match goes on"""

    @property
    def shown(self) -> Sequence[SideLine]:
        """Give those named on the first page: all of a few, else the first."""
        return self.sides if len(self.sides) <= MOST_NAMED else self.sides[: MOST_NAMED - 1]


@blueprint.get("/")
def index() -> str:
    """Show the club's matches; to a stranger, how to begin; 410 for a deleted one."""
    found = guards.holder()
    guards.refuse_deleted()
    if found is None or found[0].match_id is not None:
        view = first_view(known=()) if current_app.config["SIGN_UP"] else None
        return render_template("score/welcome.html", view=view, may_demo=may_demo())
    club = found[1]
    running = _lines(club, MatchStatus.IN_PROGRESS, RUNNING)
    past = _lines(club, MatchStatus.FINISHED, PAST)
    return render_template(
        "score/home.html",
        club=club,
        running=running,
        past=past,
        may_write=guards.may_write(),
        asks_recovery=bool(past) and guards.may_write() and club.ends_at is None and not _has_recovery(club),
    )


@blueprint.post("/theme")
def choose_theme() -> Response:
    """Keep the light that this browser wants."""
    theme = request.form.get("theme", "auto")
    response = redirect(url_for("score.club") if guards.holder() else url_for("score.index"), 303)
    if theme in layout.THEMES:
        response.set_cookie(layout.THEME_COOKIE, theme, max_age=layout.KEPT, samesite="Lax", httponly=True)
    return response


def recent_sheets() -> list[Link]:
    """List the newest matches that this browser's key may see, for a page that has led nowhere; none in any trouble."""
    try:
        with looking():
            found = guards.holder()
            if found is None or found[1].import_id is not None:
                return []
            key, club = found
            session = guards.records()
            matches = (
                find_matches(session, club, [key.match_id])
                if key.match_id
                else list_matches(session, club, limit=RECENT).matches
            )
            leads = load_leads(session, [match for match in matches if match.status == MatchStatus.IN_PROGRESS])
            lines = [_line(summary, leads.get(summary.match.id)) for summary in load_summaries(session, matches)]
    except (SQLAlchemyError, HTTPException):
        return []
    return [Link(line.title, url_for("score.sheet", match_id=line.id), " · ".join(line.line)) for line in lines]


def ways_on() -> list[Link]:
    """List where anybody can go on from a page that has led nowhere."""
    return [
        Link(say("astray.home"), url_for("score.index"), say("astray.home-hint")),
        Link(say("astray.dispute"), url_for("disputes.index"), say("astray.dispute-hint")),
        Link(say("astray.rules"), url_for("rules.index"), say("astray.rules-hint")),
    ]


def _has_recovery(club: Club) -> bool:
    return any(key.name == RECOVERY_SHEET and key.revoked_at is None for key in list_keys(guards.records(), club))


def _lines(club: Club, status: MatchStatus, limit: int) -> Sequence[MatchRow]:
    matches = list_matches(guards.records(), club, status=status, limit=limit).matches
    leads = load_leads(guards.records(), matches) if status == MatchStatus.IN_PROGRESS else {}
    return [_line(summary, leads.get(summary.match.id)) for summary in load_summaries(guards.records(), matches)]


def _line(summary: MatchSummary, lead: Lead | None) -> MatchRow:
    match = summary.match
    line = [
        summaries.ended(summary.match, summary.winners) if lead is None else summaries.stands(lead),
        local_time.day(match.started_at),
    ]
    if lead is not None and match.name:
        line.insert(0, summaries.joined(summary.players))
    sides = by_sides(lead.standings) if lead else ()
    return MatchRow(match.id, summaries.title_of(match, summary.players), line, sides)
