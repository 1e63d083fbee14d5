"""Answers in the words of ContextWeaver, for those who switch: markdown, and its JSON.

Decides forms alone. Code stands in fences that it cannot close; names and quoted lines stand on one
line. Beyond the original, every answer says how far the index is.
Source of the forms: ContextWeaver 1.5.4 (`src/mcp/tools`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tadoru.mcp.answers import fenced
from tadoru.text.shown import quoted, shown
from tadoru.types import FileList, PackedFile, ReferenceList, SearchAnswer, Segment, Symbol

NAMED = ("named",)
"""Sources of a segment that only names a place; the original has none of these."""


def retrieval_markdown(answer: SearchAnswer, languages: Mapping[str, str]) -> str:
    """Return an answer as `codebase-retrieval` prints it."""
    files = _shown_files(answer)
    seeds = _seeds(answer)
    total = sum(len(segments) for _, segments in files)
    head = [
        f"Found {len(answer.hits)} relevant code blocks | Files: {len(files)} | "
        f"Total segments: {total}",
        "",
        *(f"Warning: {shown(warning)}" for warning in answer.warnings),
    ]
    blocks = (
        "\n\n".join(_segment(segment, seeds, languages.get(file.path, "")) for segment in segments)
        for file, segments in files
    )
    return "\n".join([*head, "\n\n---\n\n".join(blocks)]).rstrip()


def _segment(segment: Segment, seeds: set[tuple[str, int]], language: str) -> str:
    where = f"{shown(segment.path)} (L{segment.start_line}-{segment.end_line})"
    seed = " | seed" if _is_seed(segment, seeds) else ""
    sources = ", ".join(segment.sources)
    lines = [f"## {where}"]
    if segment.breadcrumb:
        lines.append(f"> {quoted(segment.breadcrumb)}")
    lines.append(f"> sources: {sources} | score: {segment.score:.3f}{seed}")
    lines.append(fenced(segment.text, language))
    return "\n".join(lines)


def retrieval_json(answer: SearchAnswer) -> dict[str, Any]:
    """Return an answer in the fields of the JSON form."""
    files = _shown_files(answer)
    seeds = _seeds(answer)
    total = sum(len(segments) for _, segments in files)
    summary: dict[str, Any] = {
        "seedCount": len(answer.hits),
        "expandedCount": max(0, total - len(answer.hits)),
        "fileCount": len(files),
        "totalSegments": total,
    }
    if answer.warnings:
        summary["warnings"] = list(answer.warnings)
    result: dict[str, Any] = {
        "query": answer.question,
        "summary": summary,
        "files": [
            {"path": file.path, "segments": [_json_segment(s, seeds) for s in segments]}
            for file, segments in files
        ],
        "index": str(answer.index),
    }
    if answer.debug:
        from tadoru.search.debug import without_stages

        result["debug"] = without_stages(answer.debug)
    return result


def _json_segment(segment: Segment, seeds: set[tuple[str, int]]) -> dict[str, Any]:
    return {
        "path": segment.path,
        "startLine": segment.start_line,
        "endLine": segment.end_line,
        "score": round(segment.score, 6),
        "breadcrumb": segment.breadcrumb,
        "sources": list(segment.sources),
        "isSeed": _is_seed(segment, seeds),
        "text": segment.text,
    }


def _shown_files(answer: SearchAnswer) -> list[tuple[PackedFile, list[Segment]]]:
    pairs = ((f, [s for s in f.segments if s.sources != NAMED]) for f in answer.files)
    return [(file, segments) for file, segments in pairs if segments]


def _seeds(answer: SearchAnswer) -> set[tuple[str, int]]:
    return {(hit.path, line) for hit in answer.hits for line in (hit.start_line, hit.end_line)}


def _is_seed(segment: Segment, seeds: set[tuple[str, int]]) -> bool:
    inside = range(segment.start_line, segment.end_line + 1)
    return any(path == segment.path and line in inside for path, line in seeds)


def definitions_markdown(
    name: str, found: Sequence[tuple[Symbol, str]], languages: Mapping[str, str]
) -> str:
    """Return definitions with their code; `found`: (symbol, text of its span)."""
    if not found:
        return "No likely symbol definitions found."
    blocks = [f"Found {len(found)} symbol definitions for {quoted(name)}"]
    for symbol, text in found:
        where = f"{shown(symbol.path)} (L{symbol.span.start_line}-{symbol.span.end_line})"
        code = fenced(text, languages.get(symbol.path, ""))
        blocks.append(f"## {where}\n> kind: {symbol.kind} | source: tree-sitter\n{code}")
    return "\n\n".join(blocks)


def references_markdown(found: ReferenceList) -> str:
    """Return uses, one a line: place, breadcrumb, text."""
    if not found.references:
        return "No exact text references found."
    lines = [f"Found {found.total} text references for {quoted(found.symbol)}"]
    for reference in found.references:
        crumb = quoted(reference.breadcrumb) if reference.breadcrumb else "-"
        place = f"{shown(reference.path)}:{reference.line}"
        lines.append(f"- {place} | {crumb} | {quoted(reference.text)}")
    return _with_rest(lines, found.total - len(found.references))


def files_markdown(found: FileList) -> str:
    """Return files, one a line, with the true total."""
    if not found.total:
        return "No files matched the requested filters."
    lines = [f"Found {found.total} files"]
    lines += [
        f"- {shown(row.path)} ({row.language or 'unknown'}, {_size(row.size)})"
        for row in found.files
    ]
    return _with_rest(lines, found.total - len(found.files))


def symbols_markdown(symbols: Iterable[Symbol], total: int) -> str:
    """Return definitions, one a line."""
    lines = [f"Found {total} symbols"]
    for symbol in symbols:
        full = f"{symbol.container}.{symbol.name}" if symbol.container else symbol.name
        place = f"{shown(symbol.path)}:L{symbol.span.start_line}-{symbol.span.end_line}"
        lines.append(f"- {place} | {symbol.kind} | {quoted(full)}")
    if len(lines) == 1:
        return "No symbols matched the requested filters."
    return _with_rest(lines, total - len(lines) + 1)


def _with_rest(lines: list[str], left: int) -> str:
    return "\n".join([*lines, f"({left} more; raise max_results)"] if left > 0 else lines)


def _size(count: int) -> str:
    return f"{count}B" if count < 1024 else f"{count / 1024:.1f}KB"
