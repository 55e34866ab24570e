"""Answer monitors: ``/healthz`` (the process lives), ``/readyz`` (it can do its work), ``/metrics`` if the host wishes.

``/metrics`` is in Prometheus' text format, https://prometheus.io/docs/instrumenting/exposition_formats/. Each process
counts for itself, from its start; where PROMETHEUS_MULTIPROC_DIR names a folder, prometheus_client counts in files
there, and whichever process of a server is asked adds up those of all.
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path

from flask import Blueprint, Flask, Response, g, request
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, CollectorRegistry, Counter, disable_created_metrics
from prometheus_client.exposition import generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError

from referee import __version__
from referee.paths import commit, own_command
from referee.records.cache import caches
from referee.web.server import guards
from referee.web.server.errors import RETRY_AFTER
from referee.web.words import say

ALIVE = "/healthz"
blueprint = Blueprint("health", __name__)


@blueprint.get(ALIVE)
def healthz() -> Response:
    """Return version and commit that are running; asks no database, since a restart would not mend that."""
    return _plain(f"alive, Referee {__version__}, commit {commit()}\n")


@blueprint.get("/readyz")
def readyz() -> Response:
    """Return 200 if the database answers and has tables; 503 if it is away or empty.

    Their version was compared at the start. It is not again, so that servers of the version before go on answering
    while the tables are brought up to the next.
    """
    try:
        revision = guards.records().scalar(text("SELECT version_num FROM alembic_version"))
    except ProgrammingError:  # PostgreSQL's word for a table that is not there
        revision = None
    if revision is None:
        response = _plain(say("database.empty", command=own_command()) + "\n", 503)
        response.headers["Retry-After"] = str(RETRY_AFTER)
        return response
    return _plain("ready\n")


def _plain(words: str, status: int = 200) -> Response:
    response = Response(words, status, mimetype="text/plain")
    response.cache_control.no_store = True
    return response


COUNT = "referee.count"
"""Key of ``app.extensions`` under which the function stands that counts a request, if the host wishes."""


def init_app(app: Flask) -> None:
    """Count requests and serve ``GET /metrics``, if the host wants it."""
    if not app.config["METRICS"]:
        return
    disable_created_metrics()  # type: ignore[no-untyped-call]  # a second line a counter: when it was made
    registry, labels = CollectorRegistry(), ("method", "route", "status")
    requests = Counter("referee_requests", "Requests that were answered.", labels, registry=registry)
    took = Counter("referee_request_seconds", "Seconds of work on them.", labels, registry=registry)
    if folder := os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    else:
        registry.register(Caches())

    def count(method: str, route: str, status: int, seconds: float) -> None:
        requests.labels(method, route, status).inc()
        took.labels(method, route, status).inc(seconds)

    app.extensions[COUNT] = count

    @app.after_request
    def count_answer(response: Response) -> Response:
        # the route, never the address: some addresses are keys. One label stands for whatever has no route, and only
        # methods that a route knows are told apart, so that strangers cannot make counters without end.
        route = request.url_rule
        method, path = (request.method, route.rule) if route else ("any", "none")
        count(method, path, response.status_code, time.perf_counter() - g.began if "began" in g else 0.0)
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
        for what in ("entries", "bytes"):
            total = sum(getattr(cache, what) for cache in used)
            yield GaugeMetricFamily(f"referee_caches_{what}", f"The {what} of all caches of this process.", total)
        for what, help, values in (
            ("entries", "Entries in a cache of this process.", [cache.entries for cache in used]),
            ("bytes", "Bytes that those entries take, with their keys.", [cache.bytes for cache in used]),
            ("max_bytes", "Bytes that the cache may take.", [cache.most for cache in used]),
        ):
            gauge = GaugeMetricFamily(f"referee_cache_{what}", help, labels=["cache"])
            for cache, value in zip(used, values, strict=True):
                gauge.add_metric([cache.name], value)
            yield gauge
