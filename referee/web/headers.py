"""Set the headers that keep a page to itself."""

from __future__ import annotations

from flask import Flask, Response, request

POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
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
    "Permissions-Policy": "screen-wake-lock=(self), web-share=(self), camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",  # Flask-WTF compares the referrer over HTTPS, so it cannot be none
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def init_app(app: Flask) -> None:
    """Add the headers to every response; strict transport security only where HTTPS is in use."""

    @app.after_request
    def add_headers(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if request.is_secure:
            response.headers.setdefault("Strict-Transport-Security", "max-age=31536000")
        if request.endpoint != "static":
            response.headers.setdefault("Cache-Control", "private, no-cache")  # people's names; and the back button
        return response
