"""Finished rankings, least recently used first out.

Keyed by the question, the filters, the configuration, the models, and `View.key`, which holds
store, generation and access set: a change of any of them is another key, so nothing stale and
nothing of another principal can come out. What a failed model left out is never kept.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class QueryCache(Generic[Value]):
    """A bounded map for many threads. `entries`: 0 keeps nothing."""

    def __init__(self, entries: int = 50) -> None:
        self._entries = entries
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, Value] = OrderedDict()
        self.hits = 0
        self.misses = 0

    def get(self, key: Hashable) -> Value | None:
        with self._lock:
            value = self._kept.get(key)
            if value is None:
                self.misses += 1
                return None
            self._kept.move_to_end(key)
            self.hits += 1
            return value

    def put(self, key: Hashable, value: Value) -> None:
        with self._lock:
            self._kept[key] = value
            self._kept.move_to_end(key)
            while len(self._kept) > self._entries:
                self._kept.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()

    def __len__(self) -> int:
        return len(self._kept)


class CountingCache(QueryCache[Value]):
    """The same entries, for one call, which counts what it found: several askers share them."""

    def __init__(self, entries: QueryCache[Value]) -> None:
        self._all = entries
        self.hits = 0
        self.misses = 0

    def get(self, key: Hashable) -> Value | None:
        value = self._all.get(key)
        self.hits += value is not None
        self.misses += value is None
        return value

    def put(self, key: Hashable, value: Value) -> None:
        self._all.put(key, value)

    def clear(self) -> None:
        self._all.clear()

    def __len__(self) -> int:
        return len(self._all)
