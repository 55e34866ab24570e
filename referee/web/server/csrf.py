"""Ask for a CSRF token wherever a request could have been made by another site."""

from __future__ import annotations

from flask import Flask, current_app, g, request
from flask_wtf.csrf import generate_csrf

from referee.web.server.extensions import csrf


def init_app(app: Flask) -> None:
    """Check the token of every request that changes something and rides on a cookie."""
    csrf.init_app(app)
    app.before_request(_protect)


def token() -> str:
    """Give the token for the forms of this visitor, made once a request."""
    made: str = g.get(current_app.config["WTF_CSRF_FIELD_NAME"]) or generate_csrf()
    return made


def _protect() -> None:
    """Let pass without a token what no other site can send in a visitor's name.

    That is, at the JSON interface, a request with a bearer key (a header that a foreign page cannot set, and the
    guards then ignore the cookie) and one without our cookie. ``csrf.protect`` itself lets reading methods pass.
    """
    if request.path.startswith("/api/") and (_has_bearer() or not _has_session()):
        return
    csrf.protect()


def _has_bearer() -> bool:
    return request.authorization is not None and request.authorization.type == "bearer"


def _has_session() -> bool:
    return current_app.session_interface.get_cookie_name(current_app) in request.cookies
