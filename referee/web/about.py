"""Say which Referee this is, and under which licences it and what it is made with are given."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from flask import Blueprint, current_app, render_template

from referee import __version__
from referee.paths import PACKAGE
from referee.records import access, idempotency
from referee.records.deletion import waiting
from referee.records.demo.club import LASTS
from referee.web import layout
from referee.web.server import guards

blueprint = Blueprint("about", __name__)

PACKAGES = PACKAGE / "web" / "packages.json"


@lru_cache(maxsize=1)
def packages() -> list[dict[str, Any]]:
    """List the Python packages a server installs: each licence with the names and versions under it."""
    found: dict[str, list[str]] = {}
    for package in json.loads(PACKAGES.read_text("utf-8")):
        found.setdefault(package["licence"], []).append(f"{package['name']}\N{NO-BREAK SPACE}{package['version']}")
    by_number = sorted(found.items(), key=lambda group: -len(group[1]))
    return [{"licence": licence, "names": names} for licence, names in by_number]


@blueprint.get("/about")
def index() -> str:
    """Show version, licences and what Referee has nothing to do with."""
    return render_template("about.html", version=__version__, packages=packages())


@blueprint.get("/privacy")
def privacy() -> str:
    """Say what is stored about whom, where and for how long, with the numbers that hold here."""
    guards.holder()  # so that a phone may keep the page, as it keeps its club's
    return render_template(
        "privacy.html",
        restorable=waiting.RESTORABLE_FOR.days,
        answers=idempotency.KEPT.days,
        invitation=int(access.INVITATION_LIFETIME.total_seconds() // 60),
        demo=int(LASTS.total_seconds() // 3600),
        cookie=current_app.permanent_session_lifetime.days,
        clubs=guards.MOST_KEYS,
        look=layout.KEPT // (24 * 3600),
    )
