"""The text that a model reads, and the answer forms of ContextWeaver for those who switch.

A code block is fenced with more backticks than it contains, so no file can break out of its own.
What stands outside a fence (names, breadcrumbs) is on one line, and breadcrumbs are short quotes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tadoru.text.shown import quoted, shown
from tadoru.types import FileList, PackedFile, ReferenceList, SearchAnswer, Segment, Symbol

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


def _segment(segment: Segment, language: str, *, sources: bool = False) -> str:
    lines = [f"## {place(segment.path, segment.start_line, segment.end_line)}"]
    if segment.breadcrumb:
        lines.append(f"> in: {quoted(segment.breadcrumb)}")
    if sources:
        lines.append(f"> sources: {', '.join(segment.sources)} | score: {segment.score:.3f}")
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


def contextweaver_markdown(answer: SearchAnswer, languages: Mapping[str, str]) -> str:
    """Return an answer as ContextWeaver's `codebase-retrieval` prints it."""
    total = sum(len(file.segments) for file in answer.files)
    blocks = len(answer.hits)
    head = [
        f"Found {blocks} relevant code blocks | Files: {len(answer.files)} | "
        f"Total segments: {total}"
    ]
    head.extend(f"Warning: {warning}" for warning in answer.warnings)
    files = [
        "\n\n".join(
            _segment(segment, languages.get(file.path, ""), sources=True)
            for segment in file.segments
        )
        for file in answer.files
    ]
    return "\n\n".join(["\n".join(head), "\n\n---\n\n".join(files)]).rstrip() + "\n"


def contextweaver_json(answer: SearchAnswer) -> dict[str, Any]:
    """Return an answer in the fields of ContextWeaver's JSON form."""
    seeds = {(hit.path, hit.start_line) for hit in answer.hits}
    total = sum(len(file.segments) for file in answer.files)
    summary: dict[str, Any] = {
        "seedCount": len(answer.hits),
        "expandedCount": max(0, total - len(answer.hits)),
        "fileCount": len(answer.files),
        "totalSegments": total,
    }
    if answer.warnings:
        summary["warnings"] = list(answer.warnings)
    result: dict[str, Any] = {
        "query": answer.question,
        "summary": summary,
        "files": [
            {"path": file.path, "segments": [_json_segment(s, seeds) for s in file.segments]}
            for file in answer.files
        ],
    }
    if answer.debug:
        result["debug"] = dict(answer.debug)
    return result


def _json_segment(segment: Segment, seeds: set[tuple[str, int]]) -> dict[str, Any]:
    inside = range(segment.start_line, segment.end_line + 1)
    return {
        "path": segment.path,
        "startLine": segment.start_line,
        "endLine": segment.end_line,
        "score": round(segment.score, 6),
        "breadcrumb": segment.breadcrumb,
        "sources": list(segment.sources),
        "isSeed": any(path == segment.path and line in inside for path, line in seeds),
        "text": segment.text,
    }


def definitions_markdown(
    name: str, found: Sequence[tuple[Symbol, str]], languages: Mapping[str, str]
) -> str:
    """Return definitions with their code; `found`: (symbol, text of its span)."""
    if not found:
        return f"No symbol definitions found for {quoted(name)}."
    blocks = [f"Found {len(found)} symbol definitions for {quoted(name)}"]
    for symbol, text in found:
        where = place(symbol.path, symbol.span.start_line, symbol.span.end_line)
        inside = f" | in: {quoted(symbol.container)}" if symbol.container else ""
        code = fence(text, languages.get(symbol.path, ""))
        blocks.append(f"## {where}\n> kind: {symbol.kind} | source: tree-sitter{inside}\n{code}")
    return "\n\n".join(blocks)


def references_markdown(found: ReferenceList) -> str:
    """Return references, one a line, with how sure each is."""
    if not found.references:
        return f"No references to {quoted(found.symbol)} found."
    lines = [f"Found {found.total} references for {quoted(found.symbol)}"]
    for reference in found.references:
        crumb = quoted(reference.breadcrumb) if reference.breadcrumb else "-"
        lines.append(
            f"- {shown(reference.path)}:{reference.line} | {reference.kind} | {crumb} | "
            f"{quoted(reference.text)}"
        )
    if found.total > len(found.references):
        lines.append(f"({found.total - len(found.references)} more)")
    return "\n".join(lines)


def files_markdown(found: FileList) -> str:
    """Return a page of files, one a line, with the true total."""
    if not found.total:
        return "No files matched the requested filters."
    lines = [f"Found {found.total} files"]
    for row in found.files:
        size = f"{row.size}B" if row.size < 1024 else f"{row.size / 1024:.1f}KB"
        lines.append(f"- {shown(row.path)} ({row.language or 'unknown'}, {size})")
    after = found.offset + len(found.files)
    if after < found.total:
        lines.append(f"({found.total - after} more from offset {after})")
    return "\n".join(lines)
