"""A quick look into files that are not indexed yet, so that a first question is not blind.

Reads as many as the deadline allows and cuts out the windows of lines that speak of most of the
question. What it brings is ranked with everything else and says `scan` as its source.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tadoru.search.facts import guessed_role, term_set
from tadoru.search.found import Pool
from tadoru.search.lens import Lens
from tadoru.text.decode import Offsets, decode
from tadoru.types import TEXTLESS, Chunk, Kind, Role, Span
from tadoru.views import Admit, View

DEADLINE_SECONDS = 0.35
"""Processor time for reading and matching, checked after each file."""
PATIENCE = 4
"""By the clock it may take this many times as long, where others use the machine."""
WINDOW_LINES = 30
WINDOWS_PER_FILE = 2
MAX_BYTES = 1_000_000
"""Longer files are left to the index."""
MAX_FOUND = 60
MIN_COVERAGE = 0.25
MAX_ORDERED = 20_000
"""More files are read in the order given: ordering them would take the time for reading."""


@dataclass(frozen=True, slots=True)
class Scanned:
    """What the look covered."""

    read: int
    waiting: int
    """Files that were not reached before the deadline."""


def scan(
    pool: Pool,
    view: View,
    lens: Lens,
    admit: Admit | None,
    unindexed: Callable[[], Iterable[str]] | None = None,
    *,
    deadline: float = DEADLINE_SECONDS,
    clock: Callable[[], float] = time.thread_time,
) -> Scanned:
    """Add windows of files without index to the pool; return how many files were read.

    `unindexed`: their paths; without it, those that the tree marks.
    """
    end, latest = clock() + deadline, time.monotonic() + deadline * PATIENCE
    paths = _admitted(view, lens, admit, _unindexed(view) if unindexed is None else unindexed())
    read = added = 0
    for path, data in view.read_many(paths):
        read += 1
        if len(data) <= MAX_BYTES and added < MAX_FOUND:
            added += _look(pool, lens, path, data)
        if clock() > end or time.monotonic() > latest:
            break
    return Scanned(read, max(0, len(paths) - read))


def _unindexed(view: View) -> Iterable[str]:
    skipped = TEXTLESS | {Role.GENERATED, Role.VENDORED}
    for entry in view.tree.entries():
        if not entry.indexed and entry.kind is Kind.FILE and entry.role not in skipped:
            yield entry.path


def _admitted(view: View, lens: Lens, admit: Admit | None, paths: Iterable[str]) -> list[str]:
    admitted: list[str] = []
    for path in paths:
        entry = view.entry(path)
        if entry is None or entry.kind is not Kind.FILE or entry.size > MAX_BYTES:
            continue
        if admit is None or admit(entry):
            admitted.append(path)
    if len(admitted) > MAX_ORDERED:
        return admitted
    return sorted(admitted, key=lambda path: _promise(lens, path))


def _promise(lens: Lens, path: str) -> tuple[bool, float, str]:
    """Order what is read first: source files, and of these the ones whose path speaks of it."""
    return guessed_role(path) is not Role.SOURCE, -lens.coverage(term_set(path)), path


def _look(pool: Pool, lens: Lens, path: str, data: bytes) -> int:
    decoded = decode(data)
    if decoded is None or not decoded.text:
        return 0
    text = decoded.text
    if lens.evidence(text).body < MIN_COVERAGE:
        return 0
    lines = text.split("\n")
    windows: list[tuple[float, int]] = []
    for start in range(0, len(lines), WINDOW_LINES):
        window = "\n".join(lines[start : start + WINDOW_LINES])
        coverage = lens.evidence(window).body
        if coverage >= MIN_COVERAGE:
            windows.append((coverage, start))
    windows.sort(key=lambda pair: (-pair[0], pair[1]))
    offsets = Offsets(text, decoded.encoding, decoded.mark)
    for rank, (coverage, start) in enumerate(windows[:WINDOWS_PER_FILE]):
        end = min(start + WINDOW_LINES, len(lines))
        chunk = Chunk(path, -1 - start, _span(offsets, start + 1, end))
        found = pool.add("scan", chunk, coverage, rank)
        found.text = "\n".join(lines[start:end])
    return min(len(windows), WINDOWS_PER_FILE)


def _span(offsets: Offsets, first: int, last: int) -> Span:
    start, end = offsets.line_start(first), offsets.line_start(last + 1)
    return Span(first, last, start, end, offsets.byte_of(start), offsets.byte_of(end))
