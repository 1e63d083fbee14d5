"""A bound for work that cannot be stopped: name servers, handshakes, a disk that is away.

The caller gives up at the deadline; the thread goes on to its own end and its result is dropped.
How many may hang like this at once is bounded too.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from tadoru.stores.objects.answer import StoreAway
from tadoru.stores.objects.pointer import Location

Value = TypeVar("Value")

AT_ONCE = 64
"""Fetches under way in this process, those that hang among them."""
_places = threading.BoundedSemaphore(AT_ONCE)


def within(seconds: float, work: Callable[[], Value], place: Location) -> Value:
    """Return what `work` returns, or raise what it raises. Raises: `StoreAway` when it takes
    longer than `seconds`, or none of the places for such work becomes free in that time."""
    if not _places.acquire(timeout=seconds):
        raise StoreAway(place, "too many reads are waiting")
    result: Future[Value] = Future()

    def run() -> None:
        try:
            result.set_result(work())
        except BaseException as error:
            result.set_exception(error)
        finally:
            _places.release()

    try:
        threading.Thread(target=run, name="tadoru-object", daemon=True).start()
    except RuntimeError:  # no more threads
        _places.release()
        raise StoreAway(place, "there are too many threads") from None
    try:
        return result.result(timeout=seconds)
    except TimeoutError:
        if result.done():  # the work itself said so
            raise
        raise StoreAway(place, f"{seconds:g} s are over") from None
