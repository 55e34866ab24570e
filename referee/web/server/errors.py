"""Answer what went wrong, as a page or as ``application/problem+json`` (RFC 9457), from one place.

A view raises; nobody else words an error. What a person or program can send is never answered with a 500.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from flask import Flask, Response, current_app, jsonify, render_template, request
from flask_wtf.csrf import CSRFError
from sqlalchemy.exc import DatabaseError, DataError, DBAPIError, InterfaceError, InternalError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from werkzeug.exceptions import HTTPException, InternalServerError, SecurityError, UnsupportedMediaType
from werkzeug.exceptions import NotFound as NoPage

from referee.records.errors import Busy, Conflict, Gone, NotFound, Stale
from referee.rules.text.problem import Impossible, Problem
from referee.web.server.database import db
from referee.web.server.long_work import RETRY_AFTER as NEXT_TURN
from referee.web.server.long_work import Occupied
from referee.web.server.sizes import too_large
from referee.web.words import CATALOGUE, say

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

MOST_PROBLEMS = 100
"""Problems that one answer names; a request that has more of them has not come from our pages."""
RETRY_AFTER = 5
"""Seconds after which a database that was away is worth another try."""

SOON = {"Retry-After": "2"}
"""A club that takes in a file opens in a few seconds."""
LATER = {"Retry-After": str(NEXT_TURN)}


def init_app(app: Flask) -> None:
    """Register the error handlers."""
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(SecurityError, lambda error: answer(400, say("failure.host")))
    app.register_error_handler(CSRFError, lambda error: answer(400, kind="expired"))
    app.register_error_handler(Impossible, lambda error: answer(422, problems=error.problems))
    app.register_error_handler(NotFound, lambda error: answer(404, str(error)))
    app.register_error_handler(Conflict, lambda error: answer(409, str(error)))
    app.register_error_handler(Busy, lambda error: answer(503, str(error), kind="importing", headers=SOON))
    app.register_error_handler(Occupied, _occupied)
    app.register_error_handler(Gone, lambda error: answer(410, str(error)))
    app.register_error_handler(Stale, lambda error: answer(412, str(error)))
    app.register_error_handler(DataError, _unstorable)
    for unreachable in (OperationalError, InterfaceError, InternalError, PoolTimeout):
        app.register_error_handler(unreachable, _unreachable)
    app.register_error_handler(DatabaseError, _damaged)
    app.before_request(_refuse_foreign_host)
    app.before_request(_refuse_unreadable_address)
    app.before_request(_refuse_json_at_a_page)


class LastResort:
    """WSGI middleware: answers what the app could not, such as an error while showing an error.

    A server would write the address of such a request down, and the address may be a key. Where mistakes are to be
    seen (in tests, in debug mode) they go on.
    """

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._inside: WSGIApplication = app.wsgi_app

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        try:
            return self._inside(environ, start_response)
        except Exception:
            seen = self._app.config["PROPAGATE_EXCEPTIONS"]
            if seen or (seen is None and (self._app.testing or self._app.debug)):
                raise
            self._app.logger.exception("could not answer a request")
            words = f"{say('failure-title.500')}. {say('failure.500')}\n".encode()
            headers = [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(words)))]
            start_response("500 INTERNAL SERVER ERROR", [*headers, ("Cache-Control", "no-store")], sys.exc_info())
            return [words]


def answer(
    status: int,
    detail: str = "",
    *,
    kind: str = "",
    problems: Iterable[Problem] = (),
    headers: Mapping[str, str] | None = None,
    **more: Any,
) -> Response:
    """Return an error as JSON or as a page, as the client wants; `kind` picks its sentences, else the status does.

    Programs get ``{"type", "title", "status", "detail", "errors": [{"field", "message"}]}`` and ``more`` beside them;
    people get a page.
    """
    known = CATALOGUE.sentences
    title = known.get(f"failure-title.{kind or status}", HTTPStatus(status).phrase)
    detail = detail or known.get(f"failure.{kind or status}", "")
    listed = _shown(problems)
    if wants_json():
        errors = [{"field": problem.field, "message": problem.message} for problem in listed]
        document = {"type": "about:blank", "title": title, "status": status, "detail": detail, "errors": errors}
        response = jsonify(document | more)
        response.mimetype = "application/problem+json"
    elif isinstance(request.routing_exception, SecurityError):  # a page has addresses, and there are none here
        response = Response(detail + "\n", mimetype="text/plain")
    else:
        # a page that was only looked at asks again by itself; what was sent may not be sent twice unasked
        again = (headers or {}).get("Retry-After") if status == 503 and request.method == "GET" else None
        file = "public/shut.html" if request.blueprint == "public" else "error.html"  # which stores a session
        page = render_template(file, status=status, title=title, detail=detail, problems=listed, again=again)
        response = Response(page, mimetype="text/html")
    response.status_code = status
    response.headers.update(headers or {})
    response.cache_control.no_store = True
    return response


def _shown(problems: Iterable[Problem]) -> list[Problem]:
    """Return every problem once, up to a readable number, and how many more there are."""
    distinct = sorted(set(problems), key=attrgetter("field", "message"))
    more = len(distinct) - MOST_PROBLEMS
    return distinct if more <= 0 else [*distinct[:MOST_PROBLEMS], Problem("body", say("failure.more-problems", n=more))]


def wants_json() -> bool:
    """Return whether to answer in JSON: always at the interface, elsewhere if the client prefers it to HTML."""
    if request.path.startswith("/api/"):
        return True
    kinds = request.accept_mimetypes
    best = kinds.best_match(["text/html", "application/json", "application/problem+json"], default="text/html")
    return best != "text/html" and kinds[best] > kinds["text/html"]


def _http(error: HTTPException) -> Response | HTTPException:
    if error.code is None or error.code < 400:  # a redirect that was raised
        return error
    if isinstance(error, InternalServerError):
        return answer(500)
    own = error.description if error.description != type(error).description else ""
    if error.code == 413 and not own:
        own = too_large(request.max_content_length or 0)
    kept = {name: value for name, value in error.get_headers() if name not in ("Content-Type", "Content-Length")}
    kind = "occupied-sent" if error.code == 503 else ""  # the database is there, but others write all the time
    return answer(error.code, own or "", kind=kind, headers=kept)


def _occupied(_error: Occupied) -> Response:
    asks_again = request.method == "GET" and not wants_json()
    return answer(503, kind="occupied" if asks_again else "occupied-sent", headers=LATER)


def _unstorable(error: DBAPIError) -> Response:
    current_app.logger.info("refused by the database: %s", error.orig)
    return answer(400, say("failure.unstorable"))


def _unreachable(error: Exception) -> Response:
    current_app.logger.error("database unreachable: %s", getattr(error, "orig", error))
    db.session().invalidate()  # what was wrong with this connection must not meet the next request
    return answer(503, headers={"Retry-After": str(RETRY_AFTER)})


def _damaged(error: DatabaseError) -> Response:
    """Treat a file that is no database any more as one that cannot be reached; let our own mistakes be mistakes."""
    if type(error) is not DatabaseError:
        raise error
    return _unreachable(error)


def _refuse_foreign_host() -> None:
    """Answer before anything else does: under a host that is not ours there is nothing."""
    if isinstance(request.routing_exception, SecurityError):
        raise request.routing_exception


def _refuse_unreadable_address() -> None:
    """Answer 404 to addresses with a NUL or half a character, which no database takes as a key."""
    if any(isinstance(value, str) and not is_storable(value) for value in (request.view_args or {}).values()):
        raise NoPage


def _refuse_json_at_a_page() -> None:
    """Refuse JSON where a page expects a form: Flask-WTF would fill it with values of any type."""
    if request.is_json and request.routing_exception is None and not request.path.startswith("/api/"):
        raise UnsupportedMediaType(say("failure.json-to-page"))


def is_storable(text: str) -> bool:
    """Return whether a text can be stored in every database: no NUL, no lone surrogate."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)
