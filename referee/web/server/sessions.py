"""Keep what a browser holds, its keys above all, in a signed cookie that outlives the browser.

The cookie is written only when something in it changes. Written with every answer, as Flask would, an answer that was
slow (a poll of the live board) would bring back the cookie of before and undo a key just accepted. For the same reason
only a page that is opened gives it a new date, never what a script or the service worker fetches beside it.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime

from flask import Flask, Request, Response, request, session
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface, SessionMixin
from itsdangerous import BadSignature, URLSafeTimedSerializer

WEEK = 7 * 24 * 3600


class Sessions(SecureCookieSessionInterface):
    """Mark cookies Secure exactly when the request is: a home network has no HTTPS."""

    def __init__(self) -> None:
        self._serializer: tuple[object, URLSafeTimedSerializer | None] = (None, None)

    def get_signing_serializer(self, app: Flask) -> URLSafeTimedSerializer | None:
        """Make the signer of cookies once, and again when the secret changes; Flask would at every request."""
        secrets = (app.secret_key, app.config["SECRET_KEY_FALLBACKS"])
        if self._serializer[0] != secrets:
            self._serializer = (secrets, super().get_signing_serializer(app))
        return self._serializer[1]

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        """Read the cookie as Flask does, but by this request alone: some are answered before Flask begins."""
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
        """Name the cookie of this request."""
        return _name(app, request)

    def get_cookie_secure(self, app: Flask) -> bool:
        """Tell whether this request came over HTTPS."""
        return request.is_secure

    def get_expiration_time(self, app: Flask, session: SessionMixin) -> datetime:
        """Keep the cookie as long as browsers do: a key that ends with the browser would lose a club its years."""
        return datetime.now(UTC) + app.permanent_session_lifetime

    def should_set_cookie(self, app: Flask, session: SessionMixin) -> bool:
        """Write the cookie when something in it changed."""
        return session.modified

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        """Note the week in which the cookie is written, so that the request after the first need not write it again."""
        if session and session.modified:
            session["week"] = _week()
        super().save_session(app, session, response)


def _name(app: Flask, request: Request) -> str:
    """Name the cookie so that over HTTPS no neighbouring host can set it (RFC 6265bis, 4.1.3.2)."""
    name: str = app.config["SESSION_COOKIE_NAME"]
    return f"__Host-{name}" if request.is_secure else name


def init_app(app: Flask) -> None:
    """Keep sessions so, and give those in use a new date once a week."""
    app.session_interface = Sessions()
    app.before_request(_refresh)


def _refresh() -> None:
    # Browsers name the mode to secure sites only; elsewhere there is no service worker either.
    opened = request.headers.get("Sec-Fetch-Mode", "navigate") == "navigate"
    if request.endpoint == "static" or not opened or not request.cookies:
        return
    if session and session.get("week") != _week():
        session["week"] = _week()


def _week() -> int:
    return int(time.time() // WEEK)
