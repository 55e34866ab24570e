"""Serve the app with mistakes in it, made when a request asks for one: ``X-Mistake: view``, ``page`` or ``stream``.

``python -m tests.faults.clumsy serve --port 8000``, or ``gunicorn "tests.faults.clumsy:clumsy_app()"``.
"""

from collections.abc import Iterator
from typing import Any

import flask
from flask import Flask, Response, request

import referee
from referee.web.commands import main as cli
from referee.web.commands import terminal
from referee.web.server import errors

HEADER = "X-Mistake"


def clumsy_app(config: Any = None) -> Flask:
    """Make the app, with a view, an error page and a stream that fail and say all they know of the request."""
    app = referee.create_app(config)
    render = flask.render_template

    def fail_to_render(*args: Any, **options: Any) -> str:
        if request.headers.get(HEADER) == "page":
            raise RuntimeError(_all_that_is_known())
        return render(*args, **options)

    setattr(errors, "render_template", fail_to_render)  # noqa: B010 - it is none of its exports

    @app.before_request
    def fail() -> Response | None:
        mistake = request.headers.get(HEADER)
        if mistake in ("view", "page"):
            raise RuntimeError(_all_that_is_known())
        if mistake == "stream":
            return Response(_half_a_stream(_all_that_is_known()))
        return None

    return app


def _all_that_is_known() -> str:
    return f"{request.url} {request.headers} {request.get_data()!r} {request.environ}"


def _half_a_stream(known: str) -> Iterator[str]:
    yield "half"
    raise RuntimeError(known)


if __name__ == "__main__":
    setattr(terminal, "create_app", clumsy_app)  # noqa: B010 - likewise
    cli.main()
