"""What one call of resolve did, in numbers: counts, confidence, milliseconds by stage.

Holds no path and no content, so that its records may be kept anywhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from tadoru.types import Resolution, RetryResult


class Measure:
    """The stages of one call. Each `stage` ends the one that was under way."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        """`clock`: seconds, rising."""
        self._clock = clock
        self._begun = self._last = clock()
        self._milliseconds: dict[str, float] = {}
        self.candidates = 0
        """Paths that were weighed."""
        self.confidence: float | None = None
        """Probability of the best candidate; None where nothing was weighed."""

    def stage(self, name: str) -> None:
        """Count the time since the last stage for the one named."""
        now = self._clock()
        spent = (now - self._last) * 1000
        self._milliseconds[name] = self._milliseconds.get(name, 0.0) + spent
        self._last = now

    def note(self, **found: Any) -> None:
        """Hear what a stage found; only a `Trace` keeps it."""

    def record(self, event: str, answer: Resolution | None, **more: Any) -> dict[str, Any]:
        """Return the record of this call as a JSON object.

        `event`: name of the call; `answer`: None when the call was refused before it looked.
        """
        found: dict[str, Any] = {}
        if answer is not None:
            found["answer"] = answer.status
            if answer.error_kind:
                found["error_kind"] = answer.error_kind
            found["shown"] = len(answer.candidates)
            found["index"] = answer.index.status.value
        if self.confidence is not None:
            found["confidence"] = round(self.confidence, 4)
        return {
            "event": event,
            **found,
            "candidates": self.candidates,
            **more,
            "ms": self.milliseconds(),
        }

    def milliseconds(self) -> dict[str, float]:
        """Return the time of each stage, and of all."""
        stages = {name: round(spent, 3) for name, spent in self._milliseconds.items()}
        return {**stages, "total": round((self._last - self._begun) * 1000, 3)}


def of_retry(measure: Measure, op: str, result: RetryResult) -> dict[str, Any]:
    """Return the record of a retry."""
    return measure.record(
        "retry", result.resolution, op=op, outcome=result.status, tried=len(result.tried)
    )
