"""Keep what a browser holds, its keys above all, in a signed cookie, and ask for a CSRF token where it rides along.

The cookie is written only when something in it changes. Written with every answer, as Flask would, an answer that was
slow (a poll of the live board) would bring back the cookie of before and undo a key just accepted. For the same reason
only a page that is opened gives it a new date, never what a script or the service worker fetches beside it.
"""

import time
from datetime import UTC, datetime

from flask import Flask, Request, Response, current_app, g, request, session
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface, SessionMixin
from flask_wtf import CSRFProtect
from flask_wtf.csrf import generate_csrf
from itsdangerous import BadSignature, URLSafeTimedSerializer

WEEK = 7 * 24 * 3600
csrf = CSRFProtect()


class Sessions(SecureCookieSessionInterface):
    """Session cookies that are Secure exactly when the request is, since a home network has no HTTPS."""

    def __init__(self) -> None:
        self._serializer: tuple[object, URLSafeTimedSerializer | None] = (None, None)

    def get_signing_serializer(self, app: Flask) -> URLSafeTimedSerializer | None:
        """Return the signer of cookies, cached until the secret changes; Flask builds one at every request."""
        secrets = (app.secret_key, app.config["SECRET_KEY_FALLBACKS"])
        if self._serializer[0] != secrets:
            self._serializer = (secrets, super().get_signing_serializer(app))
        return self._serializer[1]

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        """Read the cookie as Flask does, but from the request alone, since some are answered before Flask begins."""
        signer = self.get_signing_serializer(app)
        if signer is None:
            return None
        value = request.cookies.get(_name(app, request))
        max_age = int(app.permanent_session_lifetime.total_seconds())
        try:
            return self.session_class(signer.loads(value, max_age=max_age) if value else None)
        except BadSignature:
            return self.session_class()

    def get_cookie_name(self, app: Flask) -> str:
        """Return the name of this request's cookie."""
        return _name(app, request)

    def get_cookie_secure(self, app: Flask) -> bool:
        """Return whether this request came over HTTPS."""
        return request.is_secure

    def get_expiration_time(self, app: Flask, session: SessionMixin) -> datetime:
        """Return the latest date browsers allow: a key that ended with the browser session would lose the club."""
        return datetime.now(UTC) + app.permanent_session_lifetime

    def should_set_cookie(self, app: Flask, session: SessionMixin) -> bool:
        """Return whether something in the session changed."""
        return session.modified

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        """Save the session with the current week, by which `_refresh` knows when to renew the cookie."""
        if session and session.modified:
            session["week"] = _week()
        super().save_session(app, session, response)


def _name(app: Flask, request: Request) -> str:
    """Return a name that, over HTTPS, no neighboring host can set a cookie by (RFC 6265bis, 4.1.3.2)."""
    name: str = app.config["SESSION_COOKIE_NAME"]
    return f"__Host-{name}" if request.is_secure else name


def init_app(app: Flask) -> None:
    """Set up sessions and CSRF tokens."""
    app.session_interface = Sessions()
    csrf.init_app(app)
    app.before_request(_refresh)
    app.before_request(_protect)


def token() -> str:
    """Return the CSRF token for the forms of this visitor, made once a request."""
    made: str = g.get(current_app.config["WTF_CSRF_FIELD_NAME"]) or generate_csrf()
    return made


def _refresh() -> None:
    """Send the cookie again once a week, so that it doesn't end while it is in use."""
    # Browsers name the mode to secure sites only; elsewhere there is no service worker either.
    opened = request.headers.get("Sec-Fetch-Mode", "navigate") == "navigate"
    if request.endpoint == "static" or not opened or not request.cookies:
        return
    if session and session.get("week") != _week():
        session["week"] = _week()


def _week() -> int:
    return int(time.time() // WEEK)


def _protect() -> None:
    """Raise CSRFError for a request that changes something, has a cookie and no token.

    At the JSON interface a request passes with a bearer key (a header that a foreign page cannot set; the guards then
    ignore the cookie) or without our cookie. ``csrf.protect`` itself lets reading methods pass.
    """
    if request.path.startswith("/api/"):
        bearer = request.authorization is not None and request.authorization.type == "bearer"
        if bearer or _name(current_app, request) not in request.cookies:
            return
    csrf.protect()
