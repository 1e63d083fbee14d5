"""RE2, called without the wrapper that imitates `re`: half of the time of a short search.

`google-re2` ships this class in its compiled module; the wrapper around it makes two objects and
asks for the number of groups at every match, which matters when a word stands in every line.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Span = tuple[int, int]

MEMORY_BYTES = 32 << 20
"""What one expression may use; with less, large classes are matched slowly."""


class Engine:
    """One compiled expression."""

    __slots__ = ("_anchor", "_match")

    def __init__(self, compiled: Any) -> None:
        self._match = compiled.Match
        self._anchor = type(compiled).Anchor.UNANCHORED

    def search(self, data: bytes, at: int = 0) -> Span | None:
        """Return the first match at or after `at`, what lies before it in sight."""
        span: Span = self._match(self._anchor, data, at, len(data))[0]
        return span if span[0] >= 0 else None

    def spans(self, data: bytes) -> Iterator[Span]:
        """Yield matches from left to right, without the empty ones."""
        at, size = 0, len(data)
        while at <= size:
            start, end = self._match(self._anchor, data, at, size)[0]
            if start < 0:
                return
            if end > start:
                yield start, end
            at = end if end > at else at + 1

    def lines(self, data: bytes) -> Iterator[Span]:
        """Yield the lines in which it matches, without their newlines."""
        match, anchor, find, rfind = self._match, self._anchor, data.find, data.rfind
        at, size = 0, len(data)
        while at < size:
            start, end = match(anchor, data, at, size)[0]
            if start < 0 or (start == size and data[-1] == 10):
                return
            end = find(b"\n", end)
            if end < 0:
                end = size
            yield rfind(b"\n", at, start) + 1 or at, end
            at = end + 1


def compiled(expression: str, *, longest: bool, newlines: bool = False) -> Engine | None:
    """Compile for RE2; None when it refuses (an expression that is too large).

    `newlines`: matches may hold some.
    """
    import re2

    options = re2.Options()
    options.log_errors = False
    options.never_nl = not newlines
    options.never_capture = True
    options.longest_match = longest
    options.max_mem = MEMORY_BYTES
    pattern = re2._re2.RE2(expression.encode(), options)
    return Engine(pattern) if pattern.ok() else None
