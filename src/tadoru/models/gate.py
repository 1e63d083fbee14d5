"""How many requests may be under way at once: fewer when a provider complains, slowly more again.

Source of the numbers: ContextWeaver's embedding client (one after a refusal, one more for three
answers).
"""

from __future__ import annotations

import threading
from types import TracebackType

ANSWERS_FOR_ONE_MORE = 3
MOST = 10


class Gate:
    """A context manager that lets `limit` threads in, at most `most`."""

    def __init__(self, most: int = MOST) -> None:
        self.most = max(1, most)
        self.limit = self.most
        self._inside = 0
        self._answers = 0
        self._condition = threading.Condition()

    def __enter__(self) -> None:
        with self._condition:
            self._condition.wait_for(lambda: self._inside < self.limit)
            self._inside += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._condition:
            self._inside -= 1
            self._condition.notify()

    def answered(self) -> None:
        """Note an answer: after some of them one more may go at once."""
        with self._condition:
            self._answers += 1
            if self._answers >= ANSWERS_FOR_ONE_MORE and self.limit < self.most:
                self._answers = 0
                self.limit += 1
                self._condition.notify()

    def refused(self) -> None:
        """Note that the provider had too much: from now on one at a time."""
        with self._condition:
            self._answers = 0
            self.limit = 1
