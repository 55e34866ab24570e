"""Show the Play pages of the documentation, what Referee is made with, and what it stores about whom.

The templates under ``help/pages`` are written from ``docs/pages`` by ``python3 -m tools.documents``.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import metadata
from typing import Any
from urllib.parse import quote, urlencode

from flask import Blueprint, abort, current_app, render_template, request

from referee import __version__
from referee.paths import PACKAGE, commit
from referee.records import transactions
from referee.records.club import access
from referee.records.deletion import waiting
from referee.records.demo.sample import LASTS
from referee.web.page import layout
from referee.web.server import guards

blueprint = Blueprint("help", __name__)

FIRST = "index"
PAGES: Mapping[str, str] = {
    FIRST: "play/index.md",
    "first-match": "play/first-match.md",
    "correcting": "play/correcting.md",
    "more-phones": "play/more-phones.md",
    "everyone-taps": "play/everyone-taps.md",
    "television": "play/television.md",
    "many-tables": "play/many-tables.md",
    "disputes": "play/disputes.md",
    "look-up": "play/look-up.md",
    "own-rules": "play/own-rules.md",
    "offline": "play/offline.md",
    "new-phone": "play/new-phone.md",
    "sharing": "play/sharing.md",
    "deleting": "play/deleting.md",
    "statistics": "play/statistics.md",
    "evening": "host/evening.md",
}
"""The pages in the app by their names, each with where it stands in the documentation."""


@blueprint.get("/help")
def index() -> str:
    """Show what there is help on."""
    return _page(FIRST)


@blueprint.get("/help/<task>")
def page(task: str) -> str:
    """Show the help on one task; 404 for a name that no page has."""
    if task not in PAGES or task == FIRST:
        abort(404)
    return _page(task)


@blueprint.get("/about")
def about() -> str:
    """Show version, licences and what Referee has nothing to do with."""
    version = f"{__version__} ({commit()})"
    return render_template(
        "help/about.html", version=version, packages=packages(), addresses=addresses(), report=report_address({})
    )


@cache
def addresses() -> Mapping[str, str]:
    """Return where source, documentation and issues are, as the package says; empty where nothing is installed."""
    with suppress(metadata.PackageNotFoundError):
        found = metadata.metadata("referee").get_all("Project-URL") or ()
        return dict(one.split(", ", 1) for one in found)
    return {}


def report_address(said: Mapping[str, Any]) -> str:
    """Return the address of a prepared message that a ruling is wrong, with what is `said` of it and the version.

    Nothing is sent by itself. Empty where the host set no address.
    """
    to = current_app.config["REPORT_TO"]
    if not to:
        return ""
    said_in = {key: value if isinstance(value, str) else json.dumps(value, default=str) for key, value in said.items()}
    lines = {**said_in, "version": f"{__version__} ({commit()})"}
    title = " ".join(["This ruling is wrong:", *(str(said[key]) for key in ("dispute", "rulebook") if key in said)])
    body = "\n".join(f"{key}: {value}" for key, value in lines.items())
    if "://" in to:
        return f"{to}{'&' if '?' in to else '?'}{urlencode({'title': title, 'body': body})}"
    return f"mailto:{to}?{urlencode({'subject': title, 'body': body}, quote_via=quote)}"


@blueprint.get("/https")
def https() -> str:
    """Show what HTTPS brings, and where the guide says how to get it."""
    return render_template("help/https.html", secure=request.is_secure)


@blueprint.get("/privacy")
def privacy() -> str:
    """Show what is stored about whom, where and for how long, with this server's own numbers."""
    guards.holder()  # so that a phone saves the page beside those of its club
    return render_template(
        "help/privacy.html",
        restorable=waiting.RESTORABLE_FOR.days,
        answers=transactions.KEPT.days,
        invitation=int(access.INVITATION_LIFETIME.total_seconds() // 60),
        demo=int(LASTS.total_seconds() // 3600),
        cookie=current_app.permanent_session_lifetime.days,
        clubs=guards.MOST_KEYS,
        look=layout.KEPT // (24 * 3600),
    )


@cache
def packages() -> Sequence[tuple[str, Sequence[str]]]:
    """Return the packages' licences, each with the names and versions under it, the commonest licence first."""
    by_licence: dict[str, list[str]] = {}
    for package in json.loads((PACKAGE / "web" / "packages.json").read_text("utf-8")):
        by_licence.setdefault(package["licence"], []).append(f"{package['name']}\N{NO-BREAK SPACE}{package['version']}")
    return sorted(by_licence.items(), key=lambda group: -len(group[1]))


def texts() -> dict[str, str]:
    """Return every help page's text, for a phone that shows them offline."""
    return {name: render_template("help/_text.html", name=name) for name in PAGES}


def _page(name: str) -> str:
    return render_template("help/page.html", name=name)
