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
from referee.records.models import Invitation, KeyRole
from referee.rules.problem import Impossible, Problem
from referee.web import guards
from referee.web.extensions import db, limiter

blueprint = Blueprint("invitations", __name__)

GUESSES = "20 per minute; 200 per day"


def path_of(token: str) -> str:
    """Return the path, without the host, under which an invitation is accepted."""
    return f"/join/{quote(token)}"


@blueprint.get("/join/<token>")
@limiter.limit(GUESSES)
def show(token: str) -> str:
    """Show whose club the invitation leads into; 404, 410."""
    invitation, club = access.open_invitation(guards.records(), token)
    return _page(token, invitation, club.name)


@blueprint.post("/join/<token>")
@limiter.limit(GUESSES)
def accept(token: str) -> Response | tuple[str, int]:
    """Turn the invitation into a key of this browser; 404, 410, 422 for a bad name."""
    session = guards.records()
    invitation, club = access.open_invitation(session, token)
    try:
        _key, key_token = access.accept(session, token, request.form.get("name", ""))
    except Impossible as error:
        return _page(token, invitation, club.name, error.problems), 422
    db.session.commit()
    guards.keep_token(key_token)
    return redirect("/", 303)


MAY = {
    KeyRole.SCOREKEEPER: "This phone will be able to keep the score.",
    KeyRole.SPECTATOR: "This phone will see the score and every ruling.",
}


def _page(token: str, invitation: Invitation, club: str, problems: Sequence[Problem] = ()) -> str:
    return render_template(
        "score/join.html",
        club=club,
        lead=MAY[KeyRole(invitation.role)],
        address=path_of(token),
        name=request.form.get("name", ""),
        errors=[problem.message for problem in problems],
    )
