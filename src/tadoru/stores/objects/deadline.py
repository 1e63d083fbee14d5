"""A bound for work that cannot be stopped: name servers, handshakes, a disk that is away.

The caller gives up at the deadline; the thread goes on to its own end and its result is dropped.
How many may hang like this at once is bounded too.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from tadoru.errors import Unavailable

Value = TypeVar("Value")

AT_ONCE = 64
"""Fetches under way in this process, those that hang among them."""
_places = threading.BoundedSemaphore(AT_ONCE)


def within(seconds: float, work: Callable[[], Value], what: str) -> Value:
    """Return what `work` returns, or raise what it raises. Raises: `Unavailable` when it takes
    longer than `seconds`, or none of the places for such work becomes free in that time."""
    if not _places.acquire(timeout=seconds):
        raise Unavailable(f"{what}: too many reads are waiting", hint="try again later")
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
        raise Unavailable(f"{what}: too many threads", hint="try again later") from None
    try:
        return result.result(timeout=seconds)
    except TimeoutError:
        if result.done():  # the work itself said so
            raise
        raise Unavailable(
            f"{what}: the object store did not answer within {seconds:g} s", hint="try again later"
        ) from None
