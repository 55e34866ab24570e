"""The first page: go on playing, or begin."""

from __future__ import annotations

from flask import current_app, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from referee.records.access import RECOVERY_SHEET, list_keys
from referee.records.models import Club, MatchStatus
from referee.web.club.demo import may_demo
from referee.web.page import layout
from referee.web.page.elements import Link
from referee.web.score.new_match_presenter import first_view
from referee.web.score.recent import lines
from referee.web.score.room import blueprint
from referee.web.server import guards
from referee.web.words import say

RUNNING = 10
PAST = 5


@blueprint.get("/")
def index() -> str:
    """Show the club's matches; to a stranger, how to begin; 410 for a deleted one."""
    found = guards.holder()
    guards.refuse_deleted()
    if found is None or found[0].match_id is not None:
        view = first_view(known=()) if current_app.config["SIGN_UP"] else None
        return render_template("score/welcome.html", view=view, may_demo=may_demo())
    club = found[1]
    running = lines(club, MatchStatus.IN_PROGRESS, RUNNING)
    past = lines(club, MatchStatus.FINISHED, PAST)
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


def ways_on() -> list[Link]:
    """List where anybody can go on from a page that has led nowhere."""
    return [
        Link(say("astray.home"), url_for("score.index"), say("astray.home-hint")),
        Link(say("astray.dispute"), url_for("disputes.index"), say("astray.dispute-hint")),
        Link(say("astray.rules"), url_for("rules.index"), say("astray.rules-hint")),
        Link(say("astray.help"), url_for("help.index"), say("astray.help-hint")),
    ]


def _has_recovery(club: Club) -> bool:
    return any(key.name == RECOVERY_SHEET and key.revoked_at is None for key in list_keys(guards.records(), club))
