"""Serve the app in a process that kills itself, when told to, at the round that comes next.

``python -m tests.faults.mortal --port 8000``; the file ``moment`` in the instance folder says when to die. It works
in a layer around the app: what the app wrote by then is committed, and of its answer not a byte has been sent.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import waitress

from referee import create_app

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

BEFORE = "before it wrote"
AFTER = "after it wrote, before it answered"
FILE = "moment"


def mortal(inner: WSGIApplication, moment: Path) -> WSGIApplication:
    """Wrap an app so that it dies at the moment that the file names; without the file it lives."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        is_round = environ["REQUEST_METHOD"] == "POST" and environ["PATH_INFO"].endswith("/rounds/new")
        if not is_round or not moment.exists():
            return inner(environ, start_response)
        when = moment.read_text()
        moment.unlink()
        if when == AFTER:
            b"".join(inner(environ, start_response))
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("nobody survives that")

    return answer


def main() -> None:
    """Serve until killed."""
    app = create_app()
    waitress.serve(mortal(app.wsgi_app, Path(app.config["INSTANCE"]) / FILE), host="127.0.0.1", port=int(sys.argv[-1]))


if __name__ == "__main__":
    main()
