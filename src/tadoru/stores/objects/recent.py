"""What a reader remembers for a while: ETags no pointer told, who reads on, who is away.

Bounded, shared by threads, and of no meaning but speed and agreement between two reads.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

KEPT = 4_096
SLOW_SECONDS = 1.0
"""A store that takes longer than this to fail is not asked again for a while: each of a thousand
files behind it would cost its reader as much."""
AWAY_SECONDS = 5.0
BELIEVED_SECONDS = 60.0
"""How long an ETag that a store gave, and no pointer, is taken for that of the object."""


class Etags:
    """ETags by URL, believed for a minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._seen: OrderedDict[str, tuple[str, float]] = OrderedDict()

    def get(self, url: str) -> str:
        with self._lock:
            etag, until = self._seen.get(url, ("", 0.0))
            return etag if self._clock() < until else ""

    def put(self, url: str, etag: str) -> None:
        with self._lock:
            self._seen[url] = (etag, self._clock() + BELIEVED_SECONDS)
            self._seen.move_to_end(url)
            while len(self._seen) > KEPT:
                self._seen.popitem(last=False)

    def forget(self, url: str) -> None:
        with self._lock:
            self._seen.pop(url, None)


class Strides:
    """How far ahead to fetch: twice as far each time that a read goes on where the last ended."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._readers: OrderedDict[str, tuple[int, int]] = OrderedDict()

    def next(self, key: str, wanted: range) -> int:
        """Return how many blocks from the first wanted one on are worth fetching."""
        with self._lock:
            expected, stride = self._readers.pop(key, (-1, 0))
            going_on = wanted.start == expected and wanted.start > 0
            stride = min(self._most, stride * 2) if going_on else len(wanted)
            self._readers[key] = (wanted.stop, stride)
            while len(self._readers) > KEPT:
                self._readers.popitem(last=False)
            return stride


class Absences:
    """Stores that were long in failing, by scheme and host, and until when nobody asks them."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._until: OrderedDict[str, float] = OrderedDict()

    def now(self) -> float:
        return self._clock()

    def has(self, store: str) -> bool:
        with self._lock:
            return self._clock() < self._until.get(store, 0.0)

    def failed(self, store: str, began: float) -> None:
        """Note that a question that was asked at `began` had no answer."""
        now = self._clock()
        if now - began < SLOW_SECONDS:
            return
        with self._lock:
            self._until[store] = now + AWAY_SECONDS
            while len(self._until) > KEPT:
                self._until.popitem(last=False)
