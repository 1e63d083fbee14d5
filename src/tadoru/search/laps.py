"""How long each stage of a search took, for whoever wants to know: recall, rank, rerank, ..."""

from __future__ import annotations

import time
from collections.abc import Callable

Tell = Callable[[str, float], None]
"""(stage, seconds)."""


class Laps:
    """A stopwatch. `done` names what ended just now."""

    def __init__(self, tell: Tell | None) -> None:
        self._tell = tell
        self._since = time.perf_counter()

    def done(self, stage: str) -> None:
        """Tell the time since the stage before."""
        now = time.perf_counter()
        if self._tell is not None:
            self._tell(stage, now - self._since)
        self._since = now
