"""A file: its lines, what it defines, and the files around it that import it or that it imports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tadoru.types import Import, Symbol
from tadoru.web.panels.base import Panel, Parameter, in_tree, plain

if TYPE_CHECKING:
    from tadoru.workspace import Workspace

LINES = 1_000
"""Lines of one answer; the next begins where it ended."""
CHARACTERS = 400_000
"""Of one answer, about; at least one line is told."""
LINE_CHARACTERS = 2_000
"""Of one line: minified text has lines of a megabyte."""
USES = 60
EDGES = 200
"""Edges to other files named in one direction."""
MOST_LINES = 100_000_000


def _ask(workspace: Workspace, given: Mapping[str, str]) -> dict[str, Any]:
    start = int(given["start"] or 1)
    look = workspace.look(in_tree(given["path"]), start=start, end=start + LINES - 1)
    entry, text = look.entry, look.text
    answer: dict[str, Any] = {
        "path": entry.path,
        "language": entry.language,
        "role": entry.role.value,
        "bytes": entry.size,
        "modified": entry.mtime_ns // 1_000_000_000,
        "indexed": entry.indexed,
        "tokens": look.tokens,
        "symbols": [_symbol(symbol) for symbol in look.symbols],
        "symbols_total": look.symbols_total,
        "imports": [_edge(edge) for edge in look.imports[:EDGES]],
        "imports_total": len(look.imports),
        "importers": [_edge(edge) for edge in look.importers[:EDGES]],
        "importers_total": len(look.importers),
        "index": plain(look.index),
    }
    if text is not None:
        lines, cut = _window(text.text)
        answer["lines"] = lines
        answer["start"] = text.start_line
        answer["total_lines"] = text.total_lines
        answer["cut_lines"] = [text.start_line + at for at in cut]
    if given["symbol"].strip():
        uses = workspace.references(given["symbol"], top=USES)
        answer["uses"] = {"symbol": uses.symbol, "total": uses.total, "of": plain(uses.references)}
    return answer


def _window(text: str) -> tuple[list[str], list[int]]:
    """Return the lines that fit, each bounded, and which of them (from 0) are cut."""
    whole = text.removesuffix("\n").split("\n") if text else []
    lines: list[str] = []
    left = CHARACTERS
    for line in whole:
        left -= min(len(line), LINE_CHARACTERS)
        if left < 0 and lines:
            break
        lines.append(line[:LINE_CHARACTERS])
    cut = [at for at in range(len(lines)) if len(whole[at]) > LINE_CHARACTERS]
    return lines, cut


def _symbol(symbol: Symbol) -> dict[str, Any]:
    return {
        "name": symbol.name,
        "kind": symbol.kind,
        "container": symbol.container,
        "line": symbol.span.start_line,
        "end": symbol.span.end_line,
    }


def _edge(edge: Import) -> dict[str, Any]:
    return plain(edge)  # type: ignore[no-any-return]


FILE = Panel(
    "file",
    "A file with its symbols, and what it imports and is imported by.",
    (
        Parameter("path", "a file of the tree", required=True),
        Parameter("start", "the first line shown", least=1, most=MOST_LINES),
        Parameter("symbol", "a name whose uses are listed"),
    ),
    _ask,
)
