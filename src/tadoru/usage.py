"""How tadoru was used: calls, latency, cache hits, tokens; for one principal below some roots.

One small file that processes share, so that `tadoru stats` tells of the server beside it. Decides
what is counted and how precisely (percentiles to within 5%); refuses to know a path, a question or
another principal's calls, to make a directory of indexes where there is none, and to wait: what
cannot be written now is written with the next call. Standard library only.
"""

from __future__ import annotations

import fcntl
import json
import math
import os
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

BASE = 1.1
"""Ratio of two bounds of the histogram: a percentile is off by half of that."""
SMALLEST_MS = 0.01
LARGEST_MS = 3_600_000.0
FLUSH_SECONDS = 10.0
"""Counts lie in memory for so long at most, while calls come."""
MAX_BYTES = 256 * 1024
PERCENTILES = (50, 95, 99)

Table = dict[str, Any]


class Usage:
    """Counters of one principal. Threads may share it; no method raises `OSError`."""

    def __init__(self, path: Path | None) -> None:
        """`path`: of the shared file; None keeps counts in this process."""
        self._path = path
        self._lock = threading.Lock()
        self._new: Table = {}
        self._flushed = time.monotonic()

    def note(self, tool: str, seconds: float, *, failed: bool = False) -> None:
        """Count one call of a tool, and how long it took."""
        ms = min(max(seconds * 1000, SMALLEST_MS), LARGEST_MS)
        bucket = str(math.floor(math.log(ms) / math.log(BASE)))
        row = {"calls": 1, "ms": ms, "buckets": {bucket: 1}}
        self._merge({"tools": {tool: {**row, "failed": 1} if failed else row}})
        if time.monotonic() - self._flushed > FLUSH_SECONDS:
            self.flush()

    def add(self, **counts: float) -> None:
        """Add to counters."""
        self._merge({"counts": counts})

    def stage(self, name: str, seconds: float) -> None:
        """Count how long one stage of a search took."""
        self._merge({"stages": {name: {"calls": 1, "ms": seconds * 1000}}})

    def ran(self, **snapshot: float) -> None:
        """Note a run of the index and what it did."""
        self._merge({"counts": {"index_runs": 1}, "last_run": {"at": time.time(), **snapshot}})

    def flush(self) -> None:
        """Add what was counted here to the shared file."""
        with self._lock:
            self._flushed = time.monotonic()
            if not self._new or self._path is None:
                return
            with suppress(OSError):
                if _written(self._path, self._new):
                    self._new = {}

    def report(self) -> Table:
        """Return everything that was counted, by whatever process."""
        table = _read(self._path) if self._path is not None else {}
        with self._lock:
            return _merged(table, self._new)

    def _merge(self, table: Table) -> None:
        with self._lock:
            self._new = _merged(self._new, table)


def private_directory(path: Path) -> None:
    """Make a directory and its missing parents for the user alone. Raises: `OSError`."""
    if not path.is_dir():
        private_directory(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)


def percentiles(row: Mapping[str, Any]) -> dict[str, float]:
    """Return `{"calls", "failed", "mean_ms", "p50_ms", "p95_ms", "p99_ms"}` of one tool."""
    buckets = sorted((int(key), int(count)) for key, count in row.get("buckets", {}).items())
    calls = sum(count for _, count in buckets)
    result: dict[str, float] = {"calls": calls, "failed": int(row.get("failed", 0))}
    if not calls:
        return result
    result["mean_ms"] = round(float(row.get("ms", 0.0)) / calls, 2)
    for percent in PERCENTILES:
        wanted = math.ceil(calls * percent / 100)
        seen = 0
        for bucket, count in buckets:
            seen += count
            if seen >= wanted:
                result[f"p{percent}_ms"] = round(BASE ** (bucket + 0.5), 2)
                break
    return result


def _merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> Table:
    """Add numbers and tables of numbers; of the last runs the later one is kept."""
    table = dict(one)
    for key, value in other.items():
        mine = table.get(key)
        if key == "last_run":
            table[key] = max(mine or value, value, key=lambda run: run.get("at", 0))
        elif isinstance(value, Mapping):
            table[key] = _merged(mine if isinstance(mine, Mapping) else {}, value)
        else:
            table[key] = (mine if isinstance(mine, int | float) else 0) + value
    return table


def _read(path: Path) -> Table:
    """Return a file of counts; empty when it is missing, broken or too large."""
    with suppress(OSError, ValueError, RecursionError):
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        table = json.loads(data) if len(data) <= MAX_BYTES else {}
        if isinstance(table, dict) and _sound(table):
            return table
    return {}


def _sound(table: Mapping[str, Any]) -> bool:
    """Tell whether a table holds finite numbers and tables of them, and nothing else."""
    return all(
        _sound(value)
        if isinstance(value, dict)
        else isinstance(value, int | float) and math.isfinite(value)
        for value in table.values()
    )


def _written(path: Path, new: Table) -> bool:
    """Merge counts into the file; False when another process holds it or there is no home."""
    if not path.parent.parent.parent.is_dir():
        return False
    private_directory(path.parent)
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    lock = os.open(path.with_suffix(".lock"), flags, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        temporary = path.with_suffix(f".{os.getpid()}")
        made = os.open(temporary, flags | os.O_TRUNC, 0o600)
        with os.fdopen(made, "w") as file:
            json.dump(_merged(_read(path), new), file)
        temporary.replace(path)
    finally:
        os.close(lock)
    return True
