"""Chunks and symbols of files as values, the least recently used forgotten.

A search asks for the same files again and again, and unpacking all symbols of one takes about a
millisecond. Kept under id and random revision of the file, so nothing here ever grows old.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

KEPT = 40_000
"""Values kept of each kind, per store: about 40 MB."""

Value = TypeVar("Value")


class Unpacked(Generic[Value]):
    """Lists of values by (file id, revision), bounded by the number of values."""

    def __init__(self, limit: int = KEPT) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._files: OrderedDict[tuple[int, int], Sequence[Value]] = OrderedDict()
        self._total = 0

    def of(self, key: tuple[int, int], load: Callable[[], Sequence[Value]]) -> Sequence[Value]:
        """Return what is kept under `key`, else what `load` returns. Nobody changes it."""
        with self._lock:
            found = self._files.get(key)
            if found is not None:
                self._files.move_to_end(key)
                return found
        loaded = load()
        with self._lock:
            if key not in self._files and len(loaded) <= self._limit // 4:
                self._files[key] = loaded
                self._total += len(loaded) + 1
                while self._total > self._limit:
                    self._total -= len(self._files.popitem(last=False)[1]) + 1
        return loaded
