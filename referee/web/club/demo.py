"""Try the app with a demo table: a club of one's own with a season played already, which ends after a day."""

from __future__ import annotations

from flask import abort, current_app, url_for
from werkzeug.wrappers import Response

from referee.records.demo.club import found_demo
from referee.web.page import layout
from referee.web.score.room import blueprint
from referee.web.server import guards, rate_limits
from referee.web.server.extensions import db
from referee.web.words import say


def may_demo() -> bool:
    """Tell whether this server offers demos: a host may switch them off, or let no stranger start anything."""
    return bool(current_app.config["DEMO"] and current_app.config["SIGN_UP"])


@blueprint.post("/demo")
def open_demo() -> Response:
    """Give this browser a demo of its own; 403 where the host offers none, 409 while too many are open, 429."""
    rate_limits.count_demo()
    if not may_demo():
        abort(403, say("try-out.closed"))
    guards.keep_token(found_demo(db.engine).token)
    return layout.go(url_for("start.index"))


@blueprint.post("/demo/leave")
def leave_demo() -> Response:
    """Let this browser forget its demo, for a table of its own; 401, and 403 for a club that is no demo."""
    guards.get_key()
    if layout.demo_end() is None:
        abort(403, say("try-out.no-demo"))
    guards.drop_token()
    answer = layout.go(url_for("start.index"))
    if guards.holder() is None:  # what is kept for playing offline belongs to the demo
        answer.headers["Clear-Site-Data"] = '"cache", "storage"'
    return answer
