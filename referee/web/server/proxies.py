"""Believe the proxies in front as far as the setting ``PROXIES`` says, under every server alike."""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from typing import TYPE_CHECKING

from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

SCHEMES = ("http", "https")


class Proxies:
    """Stand around the app and take address, scheme and host of the visitor from the last ``PROXIES`` proxies.

    ``X-Forwarded-Prefix`` is believed of nobody: addresses are written into files that anybody may cache.
    """

    def __init__(self, app: Flask) -> None:
        self._inside: WSGIApplication = app.wsgi_app
        count = app.config["PROXIES"]
        self._entry: WSGIApplication = self._enter
        if count:
            self._entry = ProxyFix(self._enter, x_for=count, x_proto=count, x_host=count)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        _undo_what_gunicorn_believes(environ)
        return self._entry(environ, start_response)

    def _enter(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ["wsgi.url_scheme"] not in SCHEMES:  # links would begin with whatever stands there
            environ["wsgi.url_scheme"] = SCHEMES[0]
        return self._inside(environ, start_response)


def _undo_what_gunicorn_believes(environ: WSGIEnvironment) -> None:
    """Take back what gunicorn takes from the headers of anybody on this machine, a proxy's visitors among them."""
    connection = environ.get("gunicorn.socket")
    if connection is not None:
        environ["wsgi.url_scheme"] = SCHEMES[isinstance(connection, ssl.SSLSocket)]
    prefix = environ.get("SCRIPT_NAME", "")
    if prefix and environ.get("HTTP_SCRIPT_NAME") == prefix:
        environ["SCRIPT_NAME"], environ["PATH_INFO"] = "", prefix + environ["PATH_INFO"]
