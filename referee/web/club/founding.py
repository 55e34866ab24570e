"""Found a stranger's club with the first thing they save, once however often the form is sent."""

from __future__ import annotations

import secrets

from flask import abort, current_app, request, session
from sqlalchemy.exc import IntegrityError

from referee.records import access
from referee.records.errors import Conflict
from referee.records.links import derive_token
from referee.records.models import Club, Key
from referee.web.server import guards, rate_limits
from referee.web.words import say

NEW_CLUB = "Our table"


def own_club() -> Club | None:
    """Give the club that this request may write in; None for a stranger who may found one.

    Raises 403 for one who may not, 429 for one who sends too many forms.
    """
    if guards.holder() is not None:
        return guards.get_club(write=True)
    if not current_app.config["SIGN_UP"]:
        abort(403, say("new.closed"))
    if request.method == "POST":
        rate_limits.count_sign_up()
    return None


def found_once(form_token: str, busy: str) -> tuple[Key, Club, str]:
    """Found the stranger's club, or find the one that the same tap has founded already; `busy` says that it is.

    The tokens follow from the server's secret, the browser's session and the form, so that the same form from the same
    browser gives the same ones and nobody else can make them.
    """
    seed = f"{session.get('csrf_token', '')} {form_token or secrets.token_urlsafe(12)}"
    secret = current_app.secret_key or ""
    tokens = (derive_token(secret, f"scorekeeper {seed}"), derive_token(secret, f"spectator {seed}"))
    found = access.find_key(guards.records(), tokens[0])
    if found is not None:
        return *found, tokens[0]
    try:
        founded = access.create_club(guards.records(), NEW_CLUB, tokens)
    except IntegrityError:
        raise Conflict(busy) from None
    return founded.scorekeeper, founded.club, tokens[0]
