"""SingleFlight: what many threads ask for at the same moment is fetched once.

Remembers nothing after the fetch: keeping is the cache's. An error reaches everybody who waited
for that very fetch; whoever comes later tries again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

Value = TypeVar("Value")


class SingleFlight(Generic[Value]):
    """Fetches under way, by key."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._flights: dict[str, Future[Value]] = {}

    def do(self, key: str, fetch: Callable[[], Value]) -> Value:
        """Return what `fetch` returns: of this call, or of the one under way for the same key."""
        with self._lock:
            flight = self._flights.get(key)
            mine = flight is None
            if flight is None:
                flight = self._flights[key] = Future()
        if not mine:
            return flight.result()
        try:
            value = fetch()
        except BaseException as error:
            self._landed(key)
            flight.set_exception(error)
            raise
        self._landed(key)
        flight.set_result(value)
        return value

    def _landed(self, key: str) -> None:
        with self._lock:
            del self._flights[key]
