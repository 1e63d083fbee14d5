"""What is counted for Prometheus, and the line of the access log that each request leaves.

Neither holds a path, a question, a group or a name: routes are those of the table, tools those of
this package, and who asked is a keyed hash that is the same on every replica with one secret.
"""

from __future__ import annotations

import hmac
import json
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.process_collector import ProcessCollector

from tadoru.web.identity import Identity

SECONDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)
"""Bounds of the latency histograms."""
METHODS = frozenset({"GET", "HEAD", "POST", "OPTIONS", "DELETE", "PUT", "PATCH"})


class Metrics:
    """Counters of one process, in a registry of their own."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
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
        self._lookups = Counter(
            "tadoru_ranking_cache", "Looks into the cache of rankings.", ["outcome"],
            registry=self._registry,
        )  # fmt: skip

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

    def lookups(self, hits: int, misses: int) -> None:
        self._lookups.labels("hit").inc(hits)
        self._lookups.labels("miss").inc(misses)

    def text(self) -> bytes:
        return generate_latest(self._registry)


class AccessLog:
    """One JSON object a line."""

    def __init__(self, secret: bytes, write: Callable[[str], Any] | None = None) -> None:
        """`write`: takes a line; stderr when it is not given."""
        self._key = hmac.digest(secret, b"tadoru access log", sha256)
        self._write = write or sys.stderr.write

    def who(self, identity: Identity | None) -> str:
        """Return what stands for an identity: 16 hexadecimal digits; empty for nobody."""
        if identity is None:
            return ""
        whose = json.dumps([identity.issuer, identity.subject]).encode()
        return hmac.digest(self._key, whose, sha256).hex()[:16]

    def line(self, **fields: Any) -> None:
        time = datetime.now(UTC).isoformat(timespec="milliseconds")
        with suppress(OSError, ValueError):  # nobody reads stderr any more
            self._write(json.dumps({"time": time, **fields}) + "\n")
