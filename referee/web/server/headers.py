"""Set the headers that keep a page to itself, and believe those of proxies as far as ``PROXIES`` says."""

from __future__ import annotations

import hashlib
import re
import ssl
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from flask import Flask, Response, make_response, request
from werkzeug.middleware.proxy_fix import ProxyFix

from referee import __version__
from referee.rules.text.words import language

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

POLICY = {
    "default-src": "'self'",
    "object-src": "'none'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",  # every browser that runs our modules knows it, so X-Frame-Options is not sent too
}

HEADERS = {
    "Content-Security-Policy": "; ".join(f"{name} {sources}" for name, sources in POLICY.items()),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",  # Flask-WTF compares the referrer over HTTPS, so it cannot be none
    "X-Content-Type-Options": "nosniff",
}
"""Set on every answer but a 304, and on all but a style, script or font in full."""
BESIDE_A_PAGE = {"X-Content-Type-Options": HEADERS["X-Content-Type-Options"]}
"""What says something of a file that only a page can use: the rest weighs 2 kB on the first visit."""
FILES = ("text/css", "text/javascript", "font/")
PLAIN = HEADERS | {"Cache-Control": "private, no-cache"}  # people's names; and the back button
SECURE = PLAIN | {"Strict-Transport-Security": "max-age=31536000"}

CACHED = (("Cache-Control", PLAIN["Cache-Control"]),)
"""What a 304 says besides; it stands for an answer that had the rest."""

SCHEMES = ("http", "https")

PUBLIC = re.compile(r"/(?:$|rules(?!/own|/shared/)|disputes|static/)")
"""What search engines may list; everything else belongs to a club, or has a key in its address."""


def unless_cached(etag: str, draw: Callable[[], Response | str]) -> Response:
    """Return 304 to a client that has this state of something, else what `draw` returns."""
    response = Response(status=304) if request.if_none_match.contains_weak(etag) else make_response(draw())
    response.set_etag(etag)
    return response


def etag_of(*state: object) -> str:
    """Return an ETag for what depends on this state, the program and the language spoken."""
    return hashlib.sha256(repr((__version__, language().code, *state)).encode()).hexdigest()[:32]


def init_app(app: Flask) -> None:
    """Add the headers to every response."""
    app.wsgi_app = _with_headers(app.wsgi_app)  # type: ignore[assignment]


def _with_headers(wsgi_app: WSGIApplication) -> WSGIApplication:
    """Add the headers around the app: there they are a plain list, which costs a tenth of what it costs inside."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        def start(status: str, headers: list[tuple[str, str]], *exception: Any) -> Callable[[bytes], object]:
            if status.startswith("304"):  # whoever kept the answer kept its headers, but for those that may change
                headers += [header for header in CACHED if header[0] not in {name.title() for name, _ in headers}]
                return start_response(status, headers, *exception)
            own = {name.title(): value for name, value in headers}
            # looked up only now: a proxy's word on the scheme is taken further inside
            ours = SECURE if environ["wsgi.url_scheme"] == "https" else PLAIN
            if environ["PATH_INFO"].startswith("/static/") and own.get("Content-Type", "").startswith(FILES):
                ours = BESIDE_A_PAGE
            headers += [header for header in ours.items() if header[0] not in own]
            if "X-Robots-Tag" not in own and not PUBLIC.match(environ["PATH_INFO"]):
                headers.append(("X-Robots-Tag", "noindex"))
            return start_response(status, headers, *exception)

        return wsgi_app(environ, start)

    return answer


def behind_proxies(app: Flask) -> WSGIApplication:
    """Wrap the app to take the visitor's address, scheme and host from the last ``PROXIES`` proxies.

    ``X-Forwarded-Prefix`` is believed of nobody: addresses are written into files that anyone may cache. Nor is what
    gunicorn reads from the headers of anyone on this machine, a proxy's visitors among them.
    """
    inside, count = app.wsgi_app, app.config["PROXIES"]

    def with_known_scheme(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ["wsgi.url_scheme"] not in SCHEMES:  # links would begin with whatever stands there
            environ["wsgi.url_scheme"] = SCHEMES[0]
        return inside(environ, start_response)

    fixed = ProxyFix(with_known_scheme, x_for=count, x_proto=count, x_host=count) if count else with_known_scheme

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        connection = environ.get("gunicorn.socket")
        if connection is not None:
            environ["wsgi.url_scheme"] = SCHEMES[isinstance(connection, ssl.SSLSocket)]
        prefix = environ.get("SCRIPT_NAME", "")
        if prefix and environ.get("HTTP_SCRIPT_NAME") == prefix:
            environ["SCRIPT_NAME"], environ["PATH_INFO"] = "", prefix + environ["PATH_INFO"]
        return fixed(environ, start_response)

    return answer
