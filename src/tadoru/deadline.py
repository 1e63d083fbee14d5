"""When the call under way has to be over. Whoever reads through a view is stopped by it then.

A thread cannot be ended from outside; it ends itself at its next look into a store, which is never
far. Decides nothing of how long a call may take.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from tadoru.errors import TimeUp

FOREVER = float("inf")


class Deadline:
    """A moment of the monotonic clock; another thread may bring it forward."""

    __slots__ = ("_stops", "left", "until")

    def __init__(self, seconds: float = FOREVER) -> None:
        """`seconds`: from now."""
        self.until = time.monotonic() + seconds
        self.left = False
        self._stops: list[Callable[[], None]] = []

    def cancel(self) -> None:
        """Say that nobody waits for the answer any more."""
        self.left = True
        self.until = 0.0
        for stop in self._stops:
            stop()

    def on_cancel(self, stop: Callable[[], None]) -> None:
        """Let work that does not look into stores be stopped, from the thread that cancels."""
        self._stops.append(stop)
        if self.left:
            stop()

    @property
    def seconds(self) -> float:
        """What is left, in seconds; never below 0."""
        return max(0.0, self.until - time.monotonic())

    def check(self) -> None:
        """Raises: `TimeUp` once the moment has passed."""
        if time.monotonic() > self.until:
            if self.left:
                raise TimeUp("nobody waits for this answer any more")
            raise TimeUp("the call took too long", hint="narrow it: a directory, a glob, fewer")


_CURRENT: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


def current() -> Deadline | None:
    """Return the deadline of the call under way; None where there is none."""
    return _CURRENT.get()


@contextmanager
def within(deadline: Deadline) -> Iterator[Deadline]:
    """Hold what is called inside to a deadline."""
    token = _CURRENT.set(deadline)
    try:
        yield deadline
    finally:
        _CURRENT.reset(token)
