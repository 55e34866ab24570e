"""Answer a live board that nothing changed before Flask begins: nine of ten requests of an evening are this one.

A board asks every other second. What it is told most of the time, 304, needs no session, no form and no page, so it is
told here for a quarter of what it costs inside. Whatever is not plainly that (a change, a revoked or made-up link,
an error of the database) goes on to Flask, which answers it from the start: nothing is decided here that is not
decided there, and nothing is remembered from one request to the next.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from flask import Flask
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.sansio.utils import host_is_trusted

from referee.records.links import Watched, Watcher
from referee.web import logs, metrics
from referee.web.extensions import db

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

RULE = "/live/<board_token>/now"
BEFORE, _, AFTER = RULE.partition("<board_token>")
STATUS = 304
PRIVATE = {
    # the address is the key: it is kept from other sites and search engines
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex",
    "Cache-Control": "private, no-cache",
}
"""Headers of every answer about a board."""


def init_app(app: Flask) -> None:
    """Stand in front of the app; whatever learns from a proxy which host was asked has to stand in front of this."""
    app.wsgi_app = _Polls(app)  # type: ignore[method-assign]


def state_of(watched: Watched) -> str:
    """Write what a board shows as an ETag."""
    return f"{watched.match_id}-{watched.revision}"


class _Polls:
    def __init__(self, app: Flask) -> None:
        self._app = app
        self._inside: WSGIApplication = app.wsgi_app
        self._watch: Watcher | None = None
        self._failures: tuple[type[Exception], ...] = ()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        began = time.perf_counter()
        seen, path = environ.get("HTTP_IF_NONE_MATCH"), environ.get("PATH_INFO", "")
        if not seen or not path.startswith(BEFORE) or not path.endswith(AFTER) or environ["REQUEST_METHOD"] != "GET":
            return self._inside(environ, start_response)
        state = self._state(environ, path[len(BEFORE) : -len(AFTER)])
        if state is None or seen.removeprefix("W/") != f'"{state}"':
            return self._inside(environ, start_response)
        id = logs.id_of_request(environ.get("HTTP_X_REQUEST_ID", ""))
        start_response("304 NOT MODIFIED", [("ETag", f'"{state}"'), *PRIVATE.items(), (logs.HEADER, id)])
        self._note(id, time.perf_counter() - began)
        return ()

    def _state(self, environ: WSGIEnvironment, token: str) -> str | None:
        trusted = self._app.config["TRUSTED_HOSTS"]
        if trusted and not host_is_trusted(environ.get("HTTP_HOST", ""), trusted):
            return None
        if self._watch is None:
            with self._app.app_context():
                engine = db.engine
            self._failures = (SQLAlchemyError, engine.dialect.loaded_dbapi.Error)
            self._watch = Watcher(engine)
        try:
            watched = self._watch(token)
        except self._failures:
            return None
        return None if watched is None else state_of(watched)

    def _note(self, id: str, seconds: float) -> None:
        """Count and log as Flask's hooks do."""
        if counters := self._app.extensions.get(metrics.COUNTERS):
            counters.count(("GET", RULE, STATUS), seconds)
        if self._app.config["JSON_LOGS"]:
            said = {"method": "GET", "route": RULE, "status": STATUS, "milliseconds": round(1000 * seconds, 1)}
            self._app.logger.info("request", extra={"said": said | {"request_id": id}})
