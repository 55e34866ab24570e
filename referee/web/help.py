"""Show the Play pages of the documentation in the app, a page a task; a phone has their texts offline too.

The templates under ``help/pages`` are written from ``docs/pages`` by ``python3 -m tests.documents``.
"""

from __future__ import annotations

from collections.abc import Mapping

from flask import Blueprint, abort, render_template

blueprint = Blueprint("help", __name__, url_prefix="/help")

FIRST = "index"
PAGES: Mapping[str, str] = {
    FIRST: "play/index.md",
    "first-match": "play/first-match.md",
    "correcting": "play/correcting.md",
    "more-phones": "play/more-phones.md",
    "everyone-taps": "play/everyone-taps.md",
    "television": "play/television.md",
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


@blueprint.get("")
def index() -> str:
    """Show what there is help on."""
    return _page(FIRST)


@blueprint.get("/<task>")
def page(task: str) -> str:
    """Show the help on one task; 404 for a name that no page has."""
    if task not in PAGES or task == FIRST:
        abort(404)
    return _page(task)


def _page(name: str) -> str:
    return render_template("help/page.html", name=name)


def texts() -> dict[str, str]:
    """Write every page's text, for a phone that shows them offline."""
    return {name: render_template("help/_text.html", name=name) for name in PAGES}
