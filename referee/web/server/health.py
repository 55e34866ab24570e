"""Tell monitors how the app is: ``/healthz`` (the process lives), ``/readyz`` (it can do its work)."""

from __future__ import annotations

from flask import Blueprint, Response
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError

from referee import __version__
from referee.paths import own_command
from referee.web.server import guards
from referee.web.server.errors import RETRY_AFTER
from referee.web.words import say

blueprint = Blueprint("health", __name__)


@blueprint.get("/healthz")
def healthz() -> Response:
    """Name the release that answers; the database is not asked, since a restart would not mend it."""
    return _plain(f"alive, Referee {__version__}\n")


@blueprint.get("/readyz")
def readyz() -> Response:
    """Answer that the database is reached and has tables; 503 when it is away or empty.

    Their version was compared at the start. It is not again, so that servers of the version before go on answering
    while the tables are brought up to the next.
    """
    try:
        found = guards.records().scalar(text("SELECT version_num FROM alembic_version"))
    except ProgrammingError:  # PostgreSQL's word for a table that is not there
        found = None
    if found is None:
        response = _plain(say("database.empty", command=own_command()) + "\n", 503)
        response.headers["Retry-After"] = str(RETRY_AFTER)
        return response
    return _plain("ready\n")


def _plain(words: str, status: int = 200) -> Response:
    response = Response(words, status, mimetype="text/plain")
    response.cache_control.no_store = True
    return response
