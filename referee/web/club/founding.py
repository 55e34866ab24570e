"""Found a club for a stranger: with the first thing they save, or as a demo to try."""

from flask import Blueprint, abort, current_app, request, session, url_for
from sqlalchemy.exc import IntegrityError
from werkzeug.wrappers import Response

from referee.records.club import access
from referee.records.club.links import derive_keys
from referee.records.demo.sample import found_demo
from referee.records.errors import Conflict
from referee.records.models import Club, Key
from referee.web.page import layout
from referee.web.page.changes import leave_club, new_key
from referee.web.server import guards, local_time, rate_limits
from referee.web.server.database import db
from referee.web.words import say

blueprint = Blueprint("founding", __name__)


def own_club() -> Club | None:
    """Return the club that this request may write in; None for a stranger who may found one.

    403 for a stranger who may not, 429 for too many forms.
    """
    if guards.presented() is not None:
        return guards.get_club(write=True)
    if not current_app.config["SIGN_UP"]:
        abort(403, say("new.closed"))
    if request.method == "POST":
        rate_limits.count_founding()
    return None


def found_once(form_token: str, busy: str) -> tuple[Key, Club, str]:
    """Found the stranger's club, or return the one the same form founded; with its key and token.

    Raises `Conflict` with the message `busy` while it is being founded, and as `access.refuse_founded`. The tokens are
    derived from the server's secret, the browser's session and the form, so that the same form from the same browser
    has the same ones.
    """
    tokens = _tokens_of_form(form_token)
    earlier = access.find_key(guards.records(), tokens[0])
    if earlier is not None:
        return *earlier, tokens[0]
    access.refuse_founded(guards.records(), tokens[0])
    try:
        founded = access.create_club(guards.records(), say("clubs.new"), tokens)
    except IntegrityError:
        raise Conflict(busy) from None
    guards.records().delete(founded.spectator)  # a browser is shown no token for it, so it would stand for nobody
    founded.club.time_zone = local_time.zone_name()
    return founded.scorekeeper, founded.club, tokens[0]


def find_founded(form_token: str) -> Club | None:
    """Return the club that the same form founded before; None for a new form."""
    founded = access.find_key(guards.records(), _tokens_of_form(form_token)[0])
    return founded[1] if founded is not None else None


def _tokens_of_form(form_token: str) -> tuple[str, str]:
    # The page shows the session's CSRF token, only its signed cookie proves the session. So "page" stands in the seed,
    # and no other way to found a club may have it: whoever sends this seed to the interface founds another club.
    seed = f"page {session.get('csrf_token', '')} {form_token or new_key()}"
    return derive_keys(current_app.config["SECRET_KEY"], seed)


@blueprint.post("/demo")
def open_demo() -> Response:
    """Found a demo for this browser; 403 where the host offers none, 409 while too many are open, 429."""
    rate_limits.count_demo()
    if not layout.may_demo():
        abort(403, say("try-out.closed"))
    guards.keep_token(found_demo(db.engine).token)
    return layout.go(url_for("start.index"))


@blueprint.post("/demo/leave")
def leave_demo() -> Response:
    """Drop this browser's key to its demo; 401, and 403 for a club that is no demo."""
    guards.get_key()
    if layout.demo_end() is None:
        abort(403, say("try-out.no-demo"))
    return leave_club()
