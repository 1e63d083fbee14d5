"""Where a file may be cut into chunks, and where it is.

`Cut` is a place where a chunk may begin, with its depth in the structure; `choose` walks over them
once and picks places so that chunks reach the target size, begin at shallow places and at lines,
and big definitions stand alone. Knows sizes and depths only, no language.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tadoru.text.positions import Positions

TARGET = 900
"""Size that a chunk is filled up to, in non-whitespace bytes (about 220 tokens of code)."""
LIMIT = 1_500
"""Size that no chunk exceeds where there is any place to cut."""
WHOLE = 1_200
"""A node of this size is not opened: a little over the target is better than cut in two."""
SMALL = 120
"""A smaller piece is joined with what follows."""
BIG = 300
"""A definition of this size gets a chunk of its own."""
MIDLINE = 1_000
"""Added to the depth of a place within a line: taken only where no line begins."""


class Cut(NamedTuple):
    """A place where a chunk may begin."""

    offset: int
    """In bytes of the UTF-8 text."""
    depth: int
    """Smaller is better."""
    hard: bool = False
    """True where a big definition begins or has just ended."""


def choose(cuts: Sequence[Cut], positions: Positions) -> list[int]:
    """Return the offsets where chunks begin, from 0. `cuts`: sorted, offsets distinct."""
    end = len(positions.data)
    weight = positions.weight
    starts = [0]
    best: Cut | None = None
    best_at = at = 0
    while True:
        cut = cuts[at] if at < len(cuts) else Cut(end, 0)
        size = weight(starts[-1], cut.offset)
        if cut.offset <= starts[-1] and at < len(cuts):
            at += 1
        elif size > TARGET and best is not None and (best.depth < MIDLINE or size > LIMIT):
            if cut.hard and size <= LIMIT:
                best, best_at = cut, at
            starts.append(best.offset)
            at, best = best_at + 1, None
        elif at >= len(cuts):
            return _without_crumbs(starts, positions)
        elif cut.hard and size >= SMALL:
            starts.append(cut.offset)
            at, best = at + 1, None
        else:
            if best is None or _better(cut, size, best, weight(starts[-1], best.offset)):
                best, best_at = cut, at
            at += 1


def _better(cut: Cut, size: int, best: Cut, best_size: int) -> bool:
    """Tell whether to begin the next chunk at `cut` instead of at `best`, which lies before it."""
    if size > TARGET:  # only a place within a line was found so far
        return cut.depth < MIDLINE and size <= LIMIT
    if best_size < TARGET // 2:
        return cut.depth < MIDLINE or best.depth >= MIDLINE
    return cut.depth <= best.depth


def _without_crumbs(starts: list[int], positions: Positions) -> list[int]:
    """Join a last piece that is too small to stand alone with the one before it."""
    end = len(positions.data)
    if len(starts) > 1 and positions.weight(starts[-1], end) < SMALL:
        whole = positions.weight(starts[-2], end)
        if whole <= LIMIT:
            starts.pop()
    return starts


def line_cuts(positions: Positions, start: int, end: int, depth: int = 0) -> list[Cut]:
    """Return a cut at each line between two offsets; long lines get cuts inside.

    A line after a blank one is a better place, and so is one that is indented less.
    """
    cuts: list[Cut] = []
    data = positions.data
    first = positions.line_of(start)
    last = positions.line_of(max(start, end - 1))
    blank_before = False
    for line in range(first, last + 1):
        at = positions.line_starts[line - 1]
        stop = positions.line_starts[line] if line < len(positions.line_starts) else len(data)
        text = data[at : min(stop, at + 64)]
        bare = text.lstrip(b" \t")
        indent = min(len(text) - len(bare), 40)
        blank = not bare.strip()
        if at >= start and not blank:
            cuts.append(Cut(at, depth + 2 * indent + (0 if blank_before else 1)))
        if stop - at > TARGET:
            cuts.extend(_inside_line(positions, max(at, start), min(stop, end), depth))
        blank_before = blank
    return cuts


def _inside_line(positions: Positions, start: int, end: int, depth: int) -> list[Cut]:
    """Return cuts every half target within a long line, before a word where there is one."""
    cuts: list[Cut] = []
    data = positions.data
    at = start + TARGET // 2
    while at < end:
        space = data.rfind(b" ", at - 80, at)
        offset = positions.whole(space + 1 if space > 0 else at)
        cuts.append(Cut(offset, depth + MIDLINE))
        at = max(at, offset) + TARGET // 2
    return cuts
