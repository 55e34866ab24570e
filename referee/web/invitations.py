"""Bring a phone in by a one-time link.

Opening the link shows whose club it is and uses nothing up: messengers open links to draw a preview of them.
Accepting it does, once.
"""

from __future__ import annotations

from urllib.parse import quote

from flask import Blueprint, redirect, render_template, request
from werkzeug.wrappers import Response

from referee.records import access
from referee.records.models import Invitation
from referee.rules.problem import Impossible
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
    name = request.form.get("name", "")
    try:
        _key, key_token = access.accept(session, token, name)
    except Impossible as error:
        return _page(token, invitation, club.name, name, [problem.message for problem in error.problems]), 422
    db.session.commit()
    guards.keep_token(key_token)
    return redirect("/", 303)


def _page(token: str, invitation: Invitation, club: str, name: str = "", problems: list[str] | None = None) -> str:
    action = path_of(token)
    return render_template("join.html", action=action, role=invitation.role, club=club, name=name, problems=problems)
