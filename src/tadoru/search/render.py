"""The text that a model reads.

A code block is fenced with more backticks than it contains, so no file can break out of its own.
What stands outside a fence (names, breadcrumbs) is on one line, and breadcrumbs are short quotes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tadoru.text.shown import quoted, shown
from tadoru.types import PackedFile, Segment

_TICKS = re.compile(r"`{3,}")


def fence(text: str, language: str = "") -> str:
    """Return a fenced block that holds the text as it is."""
    longest = max((len(run) for run in _TICKS.findall(text)), default=2)
    ticks = "`" * max(3, longest + 1)
    body = text if text.endswith("\n") or not text else text + "\n"
    return f"{ticks}{language}\n{body}{ticks}"


def place(path: str, start: int, end: int) -> str:
    """Return a path and its lines, on one line whatever the path holds."""
    return f"{shown(path)} (L{start}-{end})" if end > start else f"{shown(path)} (L{start})"


def _segment(segment: Segment, language: str) -> str:
    lines = [f"## {place(segment.path, segment.start_line, segment.end_line)}"]
    if segment.breadcrumb:
        lines.append(f"> in: {quoted(segment.breadcrumb)}")
    lines.append(fence(segment.text, language))
    if segment.cut:
        lines.append("(cut)")
    return "\n".join(lines)


NAMED = ("named",)
"""Sources of a segment that only names a place: one line of it is shown."""


def markdown(
    files: Sequence[PackedFile],
    languages: Mapping[str, str],
    notes: Sequence[str] = (),
) -> str:
    """Return packed files as markdown: path, lines, breadcrumb, code; notes come last."""
    segments = [(s, languages.get(file.path, "")) for file in files for s in file.segments]
    blocks = [_segment(s, language) for s, language in segments if s.sources != NAMED]
    named = [
        f"- {place(s.path, s.start_line, s.end_line)}: {quoted(s.text)}"
        for s, _ in segments
        if s.sources == NAMED
    ]
    if named:
        blocks.append("\n".join(["Also:", *named]))
    return "\n\n".join([*blocks, *notes])
