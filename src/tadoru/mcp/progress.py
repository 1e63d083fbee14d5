"""How far a call is, told to a client that asked to know.

A tool says what it knows through `current`; where it says nothing, the seconds that passed are the
progress. Values only rise, and short calls say nothing.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import ContextVar

FIRST_SECONDS = 1.0
"""Calls that are done sooner report nothing."""
EACH_SECONDS = 0.5

Tell = Callable[[float, float | None, str], Awaitable[None]]
"""(progress, total, message) -> sent."""


class Progress:
    """What a call has done so far; written by its thread, read by the server's loop."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._began = time.monotonic()
        self._said: tuple[float, float, str] | None = None
        self._last = 0.0

    def update(self, done: int, total: int, message: str) -> None:
        """Say that so many of all pieces are done, and at which one the work is."""
        self._said = float(done), float(total), message

    def next(self) -> tuple[float, float | None, str] | None:
        """Return what to tell now; None when nothing is new."""
        said = self._said
        if said is not None:
            done, total, message = said
        else:
            done, total = round(time.monotonic() - self._began, 1), 0.0
            message = f"{self._name}: {done:.0f} s so far"
        if done <= self._last:
            return None
        self._last = done
        return done, total or None, message


_CURRENT: ContextVar[Progress] = ContextVar("progress")


def current() -> Progress:
    """Return the progress of the call under way; nobody reads it outside of one."""
    return _CURRENT.get(Progress(""))


def begin(name: str) -> Progress:
    """Make the progress of a call; threads that are started from here share it."""
    progress = Progress(name)
    _CURRENT.set(progress)
    return progress


async def tell_on(
    progress: Progress, tell: Tell, sleep: Callable[[float], Awaitable[None]]
) -> None:
    """Tell how far a call is, until cancelled."""
    await sleep(FIRST_SECONDS)
    while True:
        said = progress.next()
        if said is not None:
            with suppress(Exception):  # a client that does not listen disturbs no call
                await tell(*said)
        await sleep(EACH_SECONDS)
