"""How many requests a process has answered, in Prometheus' text format."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, disable_created_metrics
from prometheus_client.exposition import generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from referee.records.cache import caches

Label = tuple[str, str, int]
"""Method, route and status."""
LABELS = ("method", "route", "status")

# Otherwise each counter has a second line that says when it was made.
disable_created_metrics()  # type: ignore[no-untyped-call]


class Counters:
    """How many requests a process has answered, and how long that took, by method, route and status."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "referee_requests", "Requests that this process answered.", LABELS, registry=self._registry
        )
        self._seconds = Counter(
            "referee_request_seconds", "Seconds that this process worked on them.", LABELS, registry=self._registry
        )
        self._registry.register(Caches())

    def count(self, label: Label, seconds: float) -> None:
        """Count one request that took so many seconds."""
        self._requests.labels(*label).inc()
        self._seconds.labels(*label).inc(seconds)

    def text(self) -> bytes:
        """Write all counters down in the text format, and how full the caches are."""
        return generate_latest(self._registry)


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
