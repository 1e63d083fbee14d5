"""What is counted for Prometheus: no path, no question, no group and no name is a label.

Routes are those of the table, tools and outcomes those of this package, so the number of series is
bounded whatever is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.metrics_core import CounterMetricFamily, Metric
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

SECONDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)
"""Bounds of the latency histograms."""


class _Rankings(Collector):
    """Reads the cache of rankings when somebody asks."""

    def __init__(self, lookups: Callable[[], tuple[int, int]]) -> None:
        self._lookups = lookups

    def collect(self) -> Iterable[Metric]:
        told = CounterMetricFamily(
            "tadoru_ranking_cache", "Looks into the cache of rankings.", labels=["outcome"]
        )
        for outcome, count in zip(("hit", "miss"), self._lookups(), strict=True):
            told.add_metric([outcome], count)
        yield told


class Metrics:
    """Counters of one process, in a registry of their own."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self, lookups: Callable[[], tuple[int, int]]) -> None:
        """`lookups`: tells how often a finished ranking was found, and was not."""
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._requests = Counter(
            "tadoru_http_requests", "Requests by route and status.", ["route", "status"],
            registry=self._registry,
        )  # fmt: skip
        self._seconds = Histogram(
            "tadoru_http_request_seconds", "From the first byte to the last, by route.", ["route"],
            buckets=SECONDS, registry=self._registry,
        )  # fmt: skip
        self._sent = Counter("tadoru_http_sent_bytes", "Bytes of answers.", registry=self._registry)
        self._calls = Counter(
            "tadoru_calls", "Calls of tools, by outcome.", ["tool", "outcome"],
            registry=self._registry,
        )  # fmt: skip
        self._call_seconds = Histogram(
            "tadoru_call_seconds", "What a tool took, without the network.", ["tool"],
            buckets=SECONDS, registry=self._registry,
        )  # fmt: skip
        self._refused = Counter(
            "tadoru_refused", "Requests refused before any work, by reason.", ["reason"],
            registry=self._registry,
        )  # fmt: skip
        self.under_way = Gauge(
            "tadoru_requests_under_way", "Requests that are served now.", registry=self._registry
        )
        self._registry.register(_Rankings(lookups))

    def request(self, route: str, status: int, seconds: float, sent: int) -> None:
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)
        self._sent.inc(sent)

    def call(self, tool: str, seconds: float, code: str) -> None:
        """Count one call of a tool; `code`: of its error, empty when it has none."""
        self._calls.labels(tool, code or "ok").inc()
        self._call_seconds.labels(tool).observe(seconds)

    def refused(self, reason: str) -> None:
        self._refused.labels(reason).inc()

    def text(self) -> bytes:
        return generate_latest(self._registry)
