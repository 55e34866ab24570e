"""Bring a phone in by a one-time link.

Opening the link shows whose club it is and uses nothing up: messengers open links to draw a preview of them.
Accepting it does, once.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from flask import Blueprint, redirect, render_template, request
from werkzeug.wrappers import Response

from referee.records import access
from referee.records.errors import Gone, NotFound
from referee.records.models import Club, Invitation, KeyRole
from referee.rules.problem import Impossible, Problem
from referee.web.server import guards, rate_limits
from referee.web.server.extensions import db
from referee.web.words import say

blueprint = Blueprint("invitations", __name__)


def path_of(token: str) -> str:
    """Return the path, without the host, under which an invitation is accepted."""
    return f"/join/{quote(token)}"


@blueprint.get("/join/<token>")
def show(token: str) -> str:
    """Show whose club the invitation leads into; 404, 410."""
    invitation, club = _open(token)
    return _page(token, invitation, club.name)


@blueprint.post("/join/<token>")
def accept(token: str) -> Response | tuple[str, int]:
    """Turn the invitation into a key of this browser; 404, 410, 422 for a bad name."""
    session = guards.records()
    invitation, club = _open(token)
    try:
        _key, key_token = access.accept(session, token, request.form.get("name", ""))
    except Impossible as error:
        return _page(token, invitation, club.name, error.problems), 422
    db.session.commit()
    guards.keep_token(key_token)
    return redirect("/", 303)


def _open(token: str) -> tuple[Invitation, Club]:
    """Look at an invitation; 404 and 410, and 429 for those who guess."""
    try:
        return access.open_invitation(guards.records(), token)
    except (NotFound, Gone):
        rate_limits.count_wrong_key()
        raise


MAY = {KeyRole.SCOREKEEPER: "invitation.joins-to-keep-score", KeyRole.SPECTATOR: "invitation.joins-to-watch"}


def _page(token: str, invitation: Invitation, club: str, problems: Sequence[Problem] = ()) -> str:
    return render_template(
        "score/join.html",
        club=club,
        lead=say(MAY[KeyRole(invitation.role)]),
        address=path_of(token),
        name=request.form.get("name", ""),
        errors=[problem.message for problem in problems],
    )
