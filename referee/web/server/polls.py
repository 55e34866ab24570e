"""Answer polls of unchanged boards and sheets in front of Flask: 97% of an evening's requests are these.

A board and an open sheet ask every other second. The usual answer, 304, needs no form, no page and no session but the
key in it, so it is sent from here at a fraction of what it costs inside. Whatever is not plainly that (a
change, a revoked or made-up key, an error of the database) goes on to Flask, which answers it from the start: nothing
is decided here that is not decided there, and nothing is remembered from one request to the next.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from flask import Flask, Request, Response
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.sansio.utils import host_is_trusted

from referee.records.match.watching import Watched, Watcher
from referee.rules.text.words import language, speak
from referee.web.server import logs, monitoring
from referee.web.server.database import db
from referee.web.server.guards import SESSION_KEYS

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

BOARD = "/live/<board_token>/now"
SHEET = "/matches/<match_id>/now"
BEFORE_TOKEN, _, AFTER = BOARD.partition("<board_token>")
BEFORE_MATCH, _, _ = SHEET.partition("<match_id>")
STATUS = 304
PRIVATE = {
    # the address is the key: it is kept from other sites and search engines
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex",
    "Cache-Control": "private, no-cache",
}
"""Headers of every answer about a board."""


def private(response: Response) -> Response:
    """Return an answer about a board with these headers."""
    response.headers.update(PRIVATE)
    return response


def init_app(app: Flask) -> None:
    """Wrap the app; the middleware for proxies must be wrapped around this one."""
    app.wsgi_app = _Polls(app)  # type: ignore[method-assign]


def state_of(match_id: str | None, state: int | None) -> str:
    """Return the ETag of what a board or sheet shows, in the language spoken."""
    return f"{match_id}-{state}-{language().code}"


def _etag(watched: Watched) -> str:
    return f'"{state_of(watched.match_id, watched.state)}"'


class _Polls:
    """WSGI middleware: answers 304 to polls of an unchanged board or sheet; all else goes on to the app."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._inside: WSGIApplication = app.wsgi_app
        self._watcher: Watcher | None = None
        self._failures: tuple[type[Exception], ...] = (SQLAlchemyError,)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        began = time.perf_counter()
        seen, path = environ.get("HTTP_IF_NONE_MATCH"), environ.get("PATH_INFO", "")
        if not seen or environ.get("QUERY_STRING") or not path.endswith(AFTER) or environ["REQUEST_METHOD"] != "GET":
            return self._inside(environ, start_response)
        rule, before = (BOARD, BEFORE_TOKEN) if path.startswith(BEFORE_TOKEN) else (SHEET, BEFORE_MATCH)
        trusted = self._app.config["TRUSTED_HOSTS"]
        if not path.startswith(before) or (trusted and not host_is_trusted(environ.get("HTTP_HOST", ""), trusted)):
            return self._inside(environ, start_response)
        watched = self._look(environ, rule, path[len(before) : -len(AFTER)])
        if watched is not None and rule is BOARD:
            speak(watched.language)
        if watched is None or watched.import_id is not None or seen.removeprefix("W/") != _etag(watched):
            return self._inside(environ, start_response)
        id = logs.id_of_request(environ.get("HTTP_X_REQUEST_ID", ""))
        own = PRIVATE if rule is BOARD else {"Vary": "Cookie"}
        start_response("304 NOT MODIFIED", [("ETag", _etag(watched)), (logs.HEADER, id), *own.items()])
        self._note(rule, id, time.perf_counter() - began)
        return ()

    def _look(self, environ: WSGIEnvironment, rule: str, id: str) -> Watched | None:
        token: str | None = id
        if rule is SHEET:
            if "HTTP_AUTHORIZATION" in environ:  # it goes before the cookie
                return None
            session = self._app.session_interface.open_session(self._app, Request(environ))
            token = next(iter(session.get(SESSION_KEYS, ())), None) if session else None
        if token is None:
            return None
        if self._watcher is None:
            with self._app.app_context():
                engine = db.engine
            # the watcher speaks to the driver, whose errors SQLAlchemy does not wrap
            self._failures = (SQLAlchemyError, engine.dialect.loaded_dbapi.Error)
            self._watcher = Watcher(engine)
        try:
            return self._watcher.board(token) if rule is BOARD else self._watcher.sheet(token, id)
        except self._failures:  # the app meets the same trouble, and says what it is
            return None

    def _note(self, rule: str, id: str, seconds: float) -> None:
        """Count and log as Flask's hooks do."""
        if count := self._app.extensions.get(monitoring.COUNT):
            count("GET", rule, STATUS, seconds)
        if self._app.config["JSON_LOGS"]:
            fields = {"method": "GET", "route": rule, "status": STATUS, "milliseconds": round(1000 * seconds, 1)}
            self._app.logger.info("request", extra={"said": fields | {"request_id": id}})
