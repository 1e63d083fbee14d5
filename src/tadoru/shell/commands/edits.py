"""The shortest edit between two sequences of lines, placed where GNU diff places it.

Myers, "An O(ND) difference algorithm and its variations" (Algorithmica 1, 1986), greedy and
forward; then each run of changes slides as GNU's `shift_boundaries` slides it. Beyond `MAX_EDITS`
differences the middle is taken as changed as a whole: still a right edit, no longer the shortest.
"""

from __future__ import annotations

from collections.abc import Sequence

MAX_EDITS = 1_000
"""Differences up to which the shortest edit is looked for; time and memory grow by its square."""


def edits(
    old: Sequence[bytes], new: Sequence[bytes], *, horizon: int = 0
) -> tuple[list[bool], list[bool]]:
    """Return which lines of `old` are deleted, and which of `new` are inserted.

    `horizon`: how many lines of the common beginning and end a change may slide into; GNU takes
    the lines of context.
    """
    start, end = 0, 0
    shortest = min(len(old), len(new))
    while start < shortest and old[start] == new[start]:
        start += 1
    while end < shortest - start and old[-1 - end] == new[-1 - end]:
        end += 1
    gone, come = [False] * len(old), [False] * len(new)
    deleted, inserted = _shortest(old[start : len(old) - end], new[start : len(new) - end])
    for position in deleted:
        gone[start + position] = True
    for position in inserted:
        come[start + position] = True
    first, last = max(0, start - horizon), max(0, end - horizon)
    left, right = slice(first, len(old) - last), slice(first, len(new) - last)
    part_gone, part_come = gone[left], come[right]
    _slide(old[left], part_gone, part_come)
    _slide(new[right], part_come, part_gone)
    gone[left], come[right] = part_gone, part_come
    return gone, come


def _shortest(old: Sequence[bytes], new: Sequence[bytes]) -> tuple[list[int], list[int]]:
    """Return the positions of a shortest edit."""
    everything = list(range(len(old))), list(range(len(new)))
    if not old or not new:
        return everything
    reach = {1: 0}
    trace: list[dict[int, int]] = []
    for count in range(min(len(old) + len(new), MAX_EDITS) + 1):
        trace.append(dict(reach))
        for diagonal in range(-count, count + 1, 2):
            down = diagonal == -count or (
                diagonal != count and reach.get(diagonal - 1, -1) < reach.get(diagonal + 1, -1)
            )
            x = reach[diagonal + 1] if down else reach[diagonal - 1] + 1
            y = x - diagonal
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
            reach[diagonal] = x
            if x >= len(old) and y >= len(new):
                return _back(trace, x, y)
    return everything


def _back(trace: list[dict[int, int]], x: int, y: int) -> tuple[list[int], list[int]]:
    deleted: list[int] = []
    inserted: list[int] = []
    for count in range(len(trace) - 1, 0, -1):
        reach, diagonal = trace[count], x - y
        down = diagonal == -count or (
            diagonal != count and reach.get(diagonal - 1, -1) < reach.get(diagonal + 1, -1)
        )
        before = diagonal + 1 if down else diagonal - 1
        x = reach[before]
        y = x - before
        if down:
            inserted.append(y)
        else:
            deleted.append(x)
    return deleted, inserted


def _slide(lines: Sequence[bytes], changed: list[bool], other: list[bool]) -> None:
    """Move each run of changes as far down as it goes, unless it meets one of the other side."""
    i = j = 0
    end = len(lines)
    while True:
        while i < end and not changed[i]:
            while j < len(other) and other[j]:
                j += 1
            i += 1
            j += 1
        if i == end:
            return
        start = i
        while i < end and changed[i]:
            i += 1
        while j < len(other) and other[j]:
            j += 1
        i, j = _settle(lines, changed, other, start, i, j)


def _settle(
    lines: Sequence[bytes], changed: list[bool], other: list[bool], start: int, i: int, j: int
) -> tuple[int, int]:
    """Slide one run, lines `start` to `i`; `j` is where it stands on the other side."""
    while True:
        length = i - start
        while start and lines[start - 1] == lines[i - 1]:
            start, i = start - 1, i - 1
            changed[start], changed[i] = True, False
            while start and changed[start - 1]:
                start -= 1
            j -= 1
            while j > 0 and j < len(other) and other[j - 1] and not other[j]:
                break
            while j >= 0 and j < len(other) and other[j]:
                j -= 1
        meets = i if j > 0 and j - 1 < len(other) and other[j - 1] else len(lines)
        while i < len(lines) and lines[start] == lines[i]:
            changed[start], changed[i] = False, True
            start, i = start + 1, i + 1
            while i < len(lines) and changed[i]:
                i += 1
            j += 1
            while j < len(other) and other[j]:
                meets = i
                j += 1
        if length == i - start:
            break
    while meets < i:
        start, i = start - 1, i - 1
        changed[start], changed[i] = True, False
        j -= 1
        while j > 0 and j < len(other) and other[j]:
            j -= 1
    return i, j
