"""Breaker: whether a server is worth asking, so that a dead or slow one costs next to nothing.

A server that failed once, or was slow several times in a row, is not asked again by anybody until a
probe of our own, in a thread of its own, has had an answer. Callers never wait for a probe but for
the very first, and for that no longer than for one answer.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

SLOW_SECONDS = 0.1
"""An answer that takes longer is slower than reading the source (a page over HTTP: 5 to 25 ms)."""
SLOW_IN_A_ROW = 3
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
"""Seconds until the next probe, doubled each time that it fails."""


class Breaker:
    """The state of one server. Threads share it."""

    def __init__(
        self,
        probe: Callable[[], None],
        *,
        patience: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`probe` asks the server something and raises when it has no answer; `patience`: seconds
        that the very first caller waits for it."""
        self._probe = probe
        self._patience = patience
        self._clock = clock
        self._lock = threading.Lock()
        self._answered = threading.Event()
        self._up = False
        self._probing = False
        self._slow = 0
        self._pause = FIRST_PAUSE
        self._next = float("-inf")
        self.reason = ""
        """Why the server is not asked; empty while it is."""

    def allows(self) -> bool:
        """Tell whether to ask now."""
        if self._up:
            return True
        with self._lock:
            due = not self._up and not self._probing and self._clock() >= self._next
            if due:
                self._probing = True
        if due:
            threading.Thread(target=self._try, name="tadoru-probe", daemon=True).start()
        if not self._answered.is_set():
            self._answered.wait(self._patience)
            self._answered.set()
        return self._up

    def _try(self) -> None:
        reason = ""
        try:
            self._probe()  # makes a connection, which may take its time
            began = self._clock()
            self._probe()
            if self._clock() - began > SLOW_SECONDS:
                reason = "slow"
        except Exception as error:
            reason = type(error).__name__
        with self._lock:
            self._probing = False
            self._up = not reason
            self._slow = 0
            self.reason = reason
            if reason:
                self._pause = min(LONGEST_PAUSE, self._pause * 2)
                self._next = self._clock() + self._pause
            else:
                self._pause = FIRST_PAUSE
        self._answered.set()

    def failed(self, error: Exception) -> None:
        """Note that there was no answer: nobody asks until a probe had one."""
        self._down(type(error).__name__)

    def took(self, seconds: float) -> None:
        """Note an answer and how long it took."""
        if seconds <= SLOW_SECONDS:
            self._slow = 0
            return
        self._slow += 1
        if self._slow >= SLOW_IN_A_ROW:
            self._down("slow")

    def _down(self, reason: str) -> None:
        with self._lock:
            self._up = False
            self.reason = reason
            self._next = max(self._next, self._clock() + self._pause)
