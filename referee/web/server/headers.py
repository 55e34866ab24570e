"""Set the headers that keep a page to itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from flask import Flask

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "font-src": "'self'",
    "connect-src": "'self'",
    "manifest-src": "'self'",
    "worker-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}

HEADERS = {
    "Content-Security-Policy": "; ".join(f"{name} {sources}" for name, sources in POLICY.items()),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "screen-wake-lock=(self), camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",  # Flask-WTF compares the referrer over HTTPS, so it cannot be none
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Set on every answer but a 304."""
PLAIN = HEADERS | {"Cache-Control": "private, no-cache"}  # people's names; and the back button
SECURE = PLAIN | {"Strict-Transport-Security": "max-age=31536000"}

CACHED = (("Cache-Control", PLAIN["Cache-Control"]),)
"""What a 304 says besides; it stands for an answer that had the rest."""

PUBLIC = re.compile(r"/(?:$|rules(?!/own|/shared/)|disputes|static/)")
"""What search engines may list; everything else belongs to a club, or has a key in its address."""


def init_app(app: Flask) -> None:
    """Add the headers to every response; strict transport security only where HTTPS alone is in use."""
    app.wsgi_app = _WithHeaders(app.wsgi_app)  # type: ignore[method-assign]


class _WithHeaders:
    """Add the headers around the app: there they are a plain list, which costs a tenth of what it costs inside."""

    def __init__(self, wsgi_app: WSGIApplication) -> None:
        self._wsgi_app = wsgi_app

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        def start(status: str, headers: list[tuple[str, str]], *exception: Any) -> Callable[[bytes], object]:
            if status.startswith("304"):  # whoever kept the answer kept its headers, but for those that may change
                headers += [header for header in CACHED if header[0] not in {name.title() for name, _ in headers}]
                return start_response(status, headers, *exception)
            own = {name.title() for name, _ in headers}
            # looked up only now: a proxy's word on the scheme is taken further inside
            ours = SECURE if environ["wsgi.url_scheme"] == "https" else PLAIN
            headers += [header for header in ours.items() if header[0] not in own]
            if "X-Robots-Tag" not in own and not PUBLIC.match(environ["PATH_INFO"]):
                headers.append(("X-Robots-Tag", "noindex"))
            return start_response(status, headers, *exception)

        return self._wsgi_app(environ, start)
