"""The page that leads a phone from plain HTTP to HTTPS: what it brings, and how a phone comes to trust it."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from flask import Blueprint, Flask, abort, current_app, render_template, request, url_for
from werkzeug.wrappers import Response

from referee.paths import own_command
from referee.records import access
from referee.records.models import KeyRole
from referee.web.club.invitations import path_of
from referee.web.server import guards
from referee.web.server.extensions import db
from referee.web.words import say

blueprint = Blueprint("home_https", __name__)

EXTENSION = "referee.https"


@dataclass(frozen=True)
class ServedByHTTPS:
    """How this server is reached by HTTPS: its port, and the authority that phones have to trust."""

    port: int
    authority: str
    certificate: bytes
    """in DER"""


def serve_by_https(app: Flask, served: ServedByHTTPS | None) -> None:
    """Let the page offer what the app is served by; None when it no longer is."""
    app.extensions[EXTENSION] = served


def _served() -> ServedByHTTPS | None:
    served: ServedByHTTPS | None = current_app.extensions.get(EXTENSION)
    return served


@blueprint.get("/https")
def show() -> str:
    """Show what HTTPS brings, and how this phone gets it."""
    return _page()


@blueprint.get("/https/join/<token>")
def join(token: str) -> str:
    """Show the same to whom an invitation led here: it is accepted by HTTPS, where the phone will stay."""
    return _page(token)


@blueprint.post("/https/join")
def bring_over() -> str:
    """Invite this phone, which keeps score by plain HTTP, to the same club by HTTPS; 401, 403."""
    club, key = guards.get_club(write=True), guards.get_key(write=True)
    token = access.invite(guards.records(), club, KeyRole.SCOREKEEPER, key)
    db.session.commit()
    return _page(token)


@blueprint.get("/https/referee-at-home.crt")
def certificate() -> Response:
    """Give the authority's certificate, in the form that phones install; 404 where this server has none."""
    served = _served()
    if served is None:
        abort(404, say("encryption.none"))
    headers = {"Content-Disposition": 'attachment; filename="referee-at-home.crt"'}
    return Response(served.certificate, content_type="application/x-x509-ca-cert", headers=headers)


def _page(token: str = "") -> str:
    served = _served()
    invited = path_of(token) if token else ""
    return render_template(
        "sharing/https.html",
        served=served,
        secure=request.is_secure,
        device_is=_device(),
        start=f"{own_command()} serve",
        over_https=f"{_secure_host(served)}{invited or url_for('score.index')}" if served else "",
        over_http=invited,
        may_bring_over=not token and not request.is_secure and _keeps_score(),
    )


def _secure_host(served: ServedByHTTPS) -> str:
    host = urlsplit(request.host_url).hostname or ""
    return f"https://{f'[{host}]' if ':' in host else host}:{served.port}"


def _device() -> str:
    """Tell which steps this browser needs, by what it says of itself; the page shows the others on demand."""
    agent = request.user_agent.string
    if any(name in agent for name in ("iPhone", "iPad")):
        return "iphone"
    return "android" if "Android" in agent else "computer"


def _keeps_score() -> bool:
    holder = guards.holder()
    return holder is not None and holder[0].role == KeyRole.SCOREKEEPER
