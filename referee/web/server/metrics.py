"""Count requests for a monitor: ``GET /metrics`` in Prometheus' text format, where the setting ``METRICS`` is on.

Format: https://prometheus.io/docs/instrumenting/exposition_formats/. Each process counts for itself, from its start.
"""

from __future__ import annotations

import time

from flask import Flask, Response, g, request

COUNTERS = "referee.counters"
"""Where an app keeps its ``Counters``, if the host wishes any."""


def init_app(app: Flask) -> None:
    """Count, and answer ``GET /metrics``, if the host wishes so."""
    if not app.config["METRICS"]:
        return
    from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4

    from referee.web.server.counters import Counters

    counters = app.extensions[COUNTERS] = Counters()

    @app.after_request
    def count(response: Response) -> Response:
        # the route, never the address: some addresses are keys. One label stands for whatever has no route, and only
        # methods that a route knows are told apart, so that strangers cannot make counters without end.
        route = request.url_rule
        label = (request.method, route.rule, response.status_code) if route else ("any", "none", response.status_code)
        counters.count(label, time.perf_counter() - g.began if "began" in g else 0.0)
        return response

    @app.get("/metrics")
    def metrics() -> Response:
        response = Response(counters.text(), content_type=CONTENT_TYPE_PLAIN_0_0_4)
        response.cache_control.no_store = True
        return response
