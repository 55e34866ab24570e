"""Count requests for a monitor: ``GET /metrics`` in Prometheus' text format, where the setting ``METRICS`` is on.

Format: https://prometheus.io/docs/instrumenting/exposition_formats/. Each process counts for itself, from its start.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from flask import Flask, Response, g, request
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, CollectorRegistry, Counter, disable_created_metrics
from prometheus_client.exposition import generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from referee.records.cache import caches

LABELS = ("method", "route", "status")


def init_app(app: Flask) -> None:
    """Count, and answer ``GET /metrics``, if the host wishes so."""
    if not app.config["METRICS"]:
        return
    disable_created_metrics()  # type: ignore[no-untyped-call]  # a second line a counter, of when it was made
    registry = CollectorRegistry()
    registry.register(Caches())
    requests = Counter("referee_requests", "Requests that this process answered.", LABELS, registry=registry)
    seconds = Counter("referee_request_seconds", "Seconds that this process worked on them.", LABELS, registry=registry)

    @app.after_request
    def count(response: Response) -> Response:
        # the route, never the address: some addresses are keys. One label stands for whatever has no route, and only
        # methods that a route knows are told apart, so that strangers cannot make counters without end.
        route = request.url_rule
        labels = (request.method, route.rule, response.status_code) if route else ("any", "none", response.status_code)
        requests.labels(*labels).inc()
        seconds.labels(*labels).inc(time.perf_counter() - g.began if "began" in g else 0.0)
        return response

    @app.get("/metrics")
    def metrics() -> Response:
        response = Response(generate_latest(registry), content_type=CONTENT_TYPE_PLAIN_0_0_4)
        response.cache_control.no_store = True
        return response


class Caches(Collector):
    """How full each cache of this process is, and all of them together."""

    def collect(self) -> Iterator[Metric]:
        """Read the caches when a monitor asks."""
        used = [*caches()]
        for what, total in (("entries", sum(one.entries for one in used)), ("bytes", sum(one.bytes for one in used))):
            yield GaugeMetricFamily(f"referee_caches_{what}", f"The {what} of all caches of this process.", total)
        for what, help, values in (
            ("entries", "Entries in a cache of this process.", [one.entries for one in used]),
            ("bytes", "Bytes that those entries take, with their keys.", [one.bytes for one in used]),
            ("max_bytes", "Bytes that the cache may take.", [one.most for one in used]),
        ):
            gauge = GaugeMetricFamily(f"referee_cache_{what}", help, labels=["cache"])
            for one, value in zip(used, values, strict=True):
                gauge.add_metric([one.name], value)
            yield gauge
