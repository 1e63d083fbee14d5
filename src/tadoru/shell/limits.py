"""The time limit of one command line, as our own commands see it.

bashkit bounds what it interprets by itself; this bounds the Python side, which bashkit cannot
interrupt. It decides nothing about output or memory.
"""

from __future__ import annotations

import time

from tadoru.errors import LimitExceeded


class Deadline:
    """A moment after which `check` raises. Cheap enough to ask once per file or per 1,000 lines."""

    __slots__ = ("_at", "_why", "seconds")

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._at = time.monotonic() + seconds
        self._why = f"time limit of {seconds:g} s exceeded"

    def end(self, why: str) -> None:
        """Let the time be over now, for another reason."""
        self._at, self._why = 0.0, why

    def left(self) -> float:
        """Return the seconds that remain, never below zero."""
        return max(0.0, self._at - time.monotonic())

    @property
    def passed(self) -> bool:
        return time.monotonic() >= self._at

    def check(self) -> None:
        """Raise LimitExceeded once the time is over."""
        if time.monotonic() >= self._at:
            raise LimitExceeded(
                self._why,
                hint="narrow the paths or the pattern, or stop early with head",
            )
