"""Keep pauses short: what one request costs, those beside it wait for."""

from __future__ import annotations

import gc
import sys
from itertools import count

from flask import Flask, Response

TURN = 0.0005
"""Seconds after which a thread that computes lets another go on (Python's own are ten times as many): one that asks
the database waits for its turn after each answer, so that a short request beside a long one takes dozens of turns."""
WARM = 200
"""Requests after which nearly all is loaded that ever is; what the start loads is left out from the start."""


def init_app(app: Flask) -> None:
    """Let threads take short turns, and the collector of garbage look through what is new, not through the app.

    A full collection looks at every object there is while nobody else goes on: 75 ms and more, nearly all of them for
    modules, models and templates that stay as long as the process does.
    """
    sys.setswitchinterval(TURN)
    answered = count(1)

    def settle(response: Response) -> Response:
        if next(answered) == WARM:
            gc.freeze()
        return response

    app.after_request(settle)
