"""Where a file may be cut into chunks, and where it is.

`Cut` is a place where a chunk may begin, with its depth in the structure; `choose` walks over them
once and picks places so that chunks reach the target size, begin at shallow places and at lines,
and big definitions stand alone. Knows sizes and depths only, no language.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from tadoru.text.positions import Positions

TARGET = 900
"""Size that a chunk is filled up to, in non-whitespace bytes (about 220 tokens of code)."""
LIMIT = 1_500
"""Size that no chunk exceeds where there is any place to cut."""
WHOLE = 1_200
"""A node of this size is not opened: a little over the target is better than cut in two."""
LONGEST = 6_000
"""Bytes that no chunk exceeds, blanks and all."""
SMALL = 80
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
    ends = [*cuts, Cut(len(positions.data), 0)]
    before = [positions.weight_before(cut.offset) for cut in ends]
    starts = [0]
    start_weight = 0
    best = -1
    at = 0
    while True:
        cut = ends[at]
        last = at == len(cuts)
        size = before[at] - start_weight
        full = size > TARGET and best >= 0
        if full and (ends[best].depth < MIDLINE or size > LIMIT or last):
            best = at if cut.hard and size <= LIMIT else best
        elif last:
            return _bounded(_without_crumbs(starts, positions), positions)
        elif cut.offset <= starts[-1]:
            at += 1
            continue
        elif cut.hard and size >= SMALL:
            best = at
        else:
            if best < 0 or _better(cut, size, ends[best], before[best] - start_weight):
                best = at
            at += 1
            continue
        starts.append(ends[best].offset)
        start_weight = before[best]
        at, best = best + 1, -1


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


def _bounded(starts: list[int], positions: Positions) -> list[int]:
    """Cut what is too heavy though its structure offers no place: at lines, or inside them."""
    result: list[int] = []
    end = len(positions.data)
    for start, stop in pairwise([*starts, end]):
        result.append(start)
        if stop - start <= LIMIT or (
            stop - start <= LONGEST and positions.weight(start, stop) <= LIMIT
        ):
            continue
        for offset in _forced(positions, start, stop):
            heavy = positions.weight(result[-1], offset) >= TARGET // 2
            if heavy or offset - result[-1] >= LONGEST // 2:
                result.append(offset)
    return result


def _forced(positions: Positions, start: int, end: int) -> Iterator[int]:
    """Yield line starts between two offsets, and places inside lines that are long themselves."""
    at = start
    while at < end:
        line = positions.line_of(at)
        stop = positions.line_starts[line] if line < len(positions.line_starts) else end
        stop = min(stop, end)
        while stop - at > TARGET:
            at = positions.whole(at + TARGET // 2)
            yield at
        at = stop
        if at < end:
            yield at


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
