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
from werkzeug.exceptions import (
    HTTPException,
    InternalServerError,
    MethodNotAllowed,
    SecurityError,
    UnsupportedMediaType,
)
from werkzeug.exceptions import NotFound as NoPage

from referee.records.errors import Busy, Conflict, Gone, NotFound, Stale
from referee.rules.text.problem import Impossible, Problem
from referee.web.server.database import db
from referee.web.server.long_work import RETRY_AFTER as NEXT_TURN
from referee.web.server.long_work import Occupied
from referee.web.words import CATALOGUE, say

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

MOST_PROBLEMS = 100
"""Problems that one answer names; a request that has more of them has not come from our pages."""
RETRY_AFTER = 5
"""Seconds after which a database that was away is worth another try."""

LATER = {"Retry-After": str(NEXT_TURN)}


def init_app(app: Flask) -> None:
    """Register the error handlers."""
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(SecurityError, lambda error: answer(400, say("failure.host")))
    app.register_error_handler(CSRFError, lambda error: answer(400, kind="expired"))
    app.register_error_handler(Impossible, lambda error: answer(422, problems=error.problems))
    app.register_error_handler(NotFound, lambda error: answer(404, str(error)))
    app.register_error_handler(Conflict, lambda error: answer(409, str(error)))
    # a club that takes in a file opens in a few seconds
    app.register_error_handler(
        Busy, lambda error: answer(503, str(error), kind="importing", headers={"Retry-After": "2"})
    )
    app.register_error_handler(Occupied, lambda error: answer(503, kind=_asks_again(), headers=LATER))
    app.register_error_handler(Gone, lambda error: answer(410, str(error)))
    app.register_error_handler(Stale, lambda error: answer(412, str(error)))
    app.register_error_handler(DataError, _unstorable)
    for unreachable in (OperationalError, InterfaceError, InternalError, PoolTimeout):
        app.register_error_handler(unreachable, _unreachable)
    app.register_error_handler(DatabaseError, _damaged)
    app.before_request(_refuse)


def last_resort(app: Flask) -> WSGIApplication:
    """Wrap the app to answer what it could not, such as an error while showing an error.

    A server would write the address of such a request down, and the address may be a key. Where mistakes are to be
    seen (in tests, in debug mode) they go on.
    """
    inside: WSGIApplication = app.wsgi_app

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        try:
            return inside(environ, start_response)
        except Exception:
            seen = app.config["PROPAGATE_EXCEPTIONS"]
            if seen or (seen is None and (app.testing or app.debug)):
                raise
            app.logger.exception("could not answer a request")
            words = f"{say('failure-title.500')}. {say('failure.500')}\n".encode()
            headers = [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(words)))]
            start_response("500 INTERNAL SERVER ERROR", [*headers, ("Cache-Control", "no-store")], sys.exc_info())
            return [words]

    return answer


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
        own = say("failure.large-body", most=request.max_content_length or 0)
    if isinstance(error, MethodNotAllowed) and not own and wants_json():
        methods = sorted({*(error.valid_methods or ())} - {"HEAD", "OPTIONS"})
        own = say("failure.methods", method=request.method, methods=", ".join(methods))
    kept = {name: value for name, value in error.get_headers() if name not in ("Content-Type", "Content-Length")}
    kind = "occupied-sent" if error.code == 503 else ""  # the database is there, but others write all the time
    return answer(error.code, own or "", kind=kind, headers=kept)


def _asks_again() -> str:
    return "occupied" if request.method == "GET" and not wants_json() else "occupied-sent"


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


def _refuse() -> None:
    """Answer before anything else does: under a host that is not ours there is nothing.

    404 for addresses with a NUL or half a character, which no database takes as a key; 415 for JSON where a page
    expects a form, which Flask-WTF would fill with values of any type.
    """
    if isinstance(request.routing_exception, SecurityError):
        raise request.routing_exception
    texts = "".join(value for value in (request.view_args or {}).values() if isinstance(value, str))
    if any(letter == "\0" or "\ud800" <= letter <= "\udfff" for letter in texts):
        raise NoPage
    if request.is_json and request.routing_exception is None and not request.path.startswith("/api/"):
        raise UnsupportedMediaType(say("failure.json-to-page"))
