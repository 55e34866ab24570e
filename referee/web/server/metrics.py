"""Count requests for a monitor: ``GET /metrics`` in Prometheus' text format, where the setting ``METRICS`` is on.

Format: https://prometheus.io/docs/instrumenting/exposition_formats/. Each process counts for itself, from its start.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator

from flask import Flask, Response, g, request

from referee.records.cache import caches

Label = tuple[str, str, int]
"""Method, route and status."""
COUNTERS = "referee.counters"
"""Where an app keeps its `Counters`, if the host wishes any."""


class Counters:
    """How many requests a process has answered, and how long that took, by method, route and status."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: Counter[Label] = Counter()
        self._seconds: dict[Label, float] = {}

    def count(self, label: Label, seconds: float) -> None:
        """Count one request that took so many seconds."""
        with self._lock:
            self._requests[label] += 1
            self._seconds[label] = self._seconds.get(label, 0.0) + seconds

    def text(self) -> str:
        """Write all counters down in the text format, and how full the caches are."""
        with self._lock:
            requests, seconds = sorted(self._requests.items()), sorted(self._seconds.items())
        return "\n".join(
            (
                "# HELP referee_requests_total Requests that this process answered.",
                "# TYPE referee_requests_total counter",
                *(f"referee_requests_total{_labels(label)} {count}" for label, count in requests),
                "# HELP referee_request_seconds_total Seconds that this process worked on them.",
                "# TYPE referee_request_seconds_total counter",
                *(f"referee_request_seconds_total{_labels(label)} {spent:.6f}" for label, spent in seconds),
                *_cache_lines(),
                "",
            )
        )


def _cache_lines() -> Iterator[str]:
    """Tell how full each cache is, and all of them together."""
    used = [*caches()]
    for what, total in (("entries", sum(one.entries for one in used)), ("bytes", sum(one.bytes for one in used))):
        yield f"# HELP referee_caches_{what} The {what} of all caches of this process."
        yield f"# TYPE referee_caches_{what} gauge"
        yield f"referee_caches_{what} {total}"
    for what, help, values in (
        ("entries", "Entries in a cache of this process.", [one.entries for one in used]),
        ("bytes", "Bytes that those entries take, with their keys.", [one.bytes for one in used]),
        ("max_bytes", "Bytes that the cache may take.", [one.most for one in used]),
    ):
        yield f"# HELP referee_cache_{what} {help}"
        yield f"# TYPE referee_cache_{what} gauge"
        for one, value in zip(used, values, strict=True):
            yield f'referee_cache_{what}{{cache="{one.name}"}} {value}'


def _labels(label: Label) -> str:
    method, route, status = label
    return f'{{method="{method}",route="{route}",status="{status}"}}'


def init_app(app: Flask) -> None:
    """Count, and answer ``GET /metrics``, if the host wishes so."""
    if not app.config["METRICS"]:
        return
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
        response = Response(counters.text(), content_type="text/plain; version=0.0.4; charset=utf-8")
        response.cache_control.no_store = True
        return response
