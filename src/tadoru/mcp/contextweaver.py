"""The tools of ContextWeaver, for those who switch: its names, its parameters, its answers.

`repo_path` is optional here: without it the whole tree that is served is meant, and with it a
directory of that tree. Whatever lies outside the served roots is refused. Numbers beyond the
original's bounds are moved to the nearer one.
Source of names, defaults and bounds: ContextWeaver 1.5.4 (README, `src/mcp/server.ts`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from tadoru.errors import BadInput, OutsideRoots
from tadoru.mcp import contextweaver_forms as forms
from tadoru.mcp.answers import clipped, stated
from tadoru.mcp.statistics import statistics_text
from tadoru.text.languages import language_of
from tadoru.types import Symbol

if TYPE_CHECKING:
    from tadoru.workspace import Workspace

Tool = TypeVar("Tool", bound=Callable[..., Any])

FILES, REFERENCES, DEFINITIONS, SYMBOLS = 200, 50, 3, 100
"""Defaults of `max_results`."""
MOST_FILES, MOST_REFERENCES, MOST_DEFINITIONS, MOST_SYMBOLS = 1_000, 200, 20, 500
CHARACTERS = (20_000, 80_000)
"""Bounds of `max_total_chars`."""
MOST_PACKED_FILES, MOST_SEGMENTS = 50, 5
DEFINITION_CHARACTERS = 12_000
ALL_CHARACTERS = 48_000
"""Of one definition, and of all in one answer."""


def _named(name: str) -> Callable[[Tool], Tool]:
    """Give a tool a name that is no identifier."""

    def give(function: Tool) -> Tool:
        function.tool_name = name  # type: ignore[attr-defined]
        return function

    return give


class ContextWeaverTools:
    """The six tools over a workspace that is opened by the first call."""

    def __init__(self, workspace: Callable[[], Workspace]) -> None:
        self._workspace = workspace

    def all(self) -> tuple[Callable[..., str | Sequence[str]], ...]:
        """Return the tools in the order in which a client lists them."""
        return (
            self.codebase_retrieval,
            self.list_files,
            self.find_references,
            self.get_symbol_definition,
            self.list_symbols,
            self.stats,
        )

    @_named("codebase-retrieval")
    def codebase_retrieval(
        self,
        information_request: str,
        repo_path: str = "",
        technical_terms: Sequence[str] = (),
        mode: Literal["quick", "balanced", "deep"] = "balanced",
        include_globs: Sequence[str] = (),
        exclude_globs: Sequence[str] = (),
        language: Sequence[str] = (),
        max_total_chars: int = 0,
        max_files: int = 0,
        max_segments_per_file: int = 0,
        return_debug: bool = False,
        low_confidence_behavior: Literal[
            "return_top1", "return_empty", "return_with_warning"
        ] = "return_top1",
        output_format: Literal["markdown", "json", "both"] = "markdown",
    ) -> str | Sequence[str]:
        """Semantic and exact code search; the first tool for understanding code.
        `information_request`: what the code does. `technical_terms`: exact class, function or
        constant names. `repo_path`: directory of the repository. Finds places; does not review,
        edit or run anything. At most `max_total_chars` (20000 to 80000, 48000 by default).
        """
        workspace = self._workspace()
        answer = workspace.search(
            information_request,
            terms=technical_terms,
            mode=mode,
            top=0,
            include=include_globs,
            exclude=exclude_globs,
            languages=language,
            under=_place(workspace, repo_path),
            max_files=min(max_files, MOST_PACKED_FILES) or None,
            max_segments_per_file=min(max_segments_per_file, MOST_SEGMENTS) or None,
            max_total_chars=_bounded(max_total_chars, *CHARACTERS) if max_total_chars else None,
            low_confidence=low_confidence_behavior,
            debug=return_debug,
        )
        languages = _languages(file.path for file in answer.files)
        texts = {
            "markdown": lambda: stated(forms.retrieval_markdown(answer, languages), answer.index),
            "json": lambda: json.dumps(forms.retrieval_json(answer), ensure_ascii=False),
        }
        wanted = ("markdown", "json") if output_format == "both" else (output_format,)
        return [texts[name]() for name in wanted]

    @_named("list-files")
    def list_files(
        self, repo_path: str = "", glob: str = "", language: str = "", max_results: int = FILES
    ) -> str:
        """List indexed files with language and size. `glob`: path pattern such as src/**/*.ts.
        At most 1000 `max_results`; the total is always told.
        """
        workspace = self._workspace()
        found = workspace.list_files(
            glob=glob,
            language=language,
            under=_place(workspace, repo_path),
            limit=_bounded(max_results, 1, MOST_FILES),
        )
        return stated(forms.files_markdown(found), found.index)

    @_named("find-references")
    def find_references(
        self,
        symbol: str,
        repo_path: str = "",
        exclude_definition: bool = False,
        max_results: int = REFERENCES,
    ) -> str:
        """Find the uses of an exact symbol name: calls and imports first, then other mentions. By
        syntax and text, not a compiler's. At most 200 `max_results`.
        """
        workspace = self._workspace()
        place = _place(workspace, repo_path)
        found = workspace.references(
            symbol,
            exclude_definition=exclude_definition,
            top=_bounded(max_results, 1, MOST_REFERENCES),
            under=place,
        )
        return stated(forms.references_markdown(found), found.index)

    @_named("get-symbol-definition")
    def get_symbol_definition(
        self,
        symbol: str,
        repo_path: str = "",
        hint_path: str = "",
        max_results: int = DEFINITIONS,
    ) -> str:
        """Show where an exact symbol name is defined, with the code. `hint_path`: prefer
        definitions near it. At most 20 `max_results`.
        """
        workspace = self._workspace()
        place = _place(workspace, repo_path)
        found = workspace.definition(
            symbol,
            hint_path=_joined(place, hint_path) if hint_path else "",
            top=_bounded(max_results, 1, MOST_DEFINITIONS),
            under=place,
        )
        share = ALL_CHARACTERS // max(1, len(found.symbols))
        most = min(DEFINITION_CHARACTERS, share)
        shown = [(symbol, _code(workspace, symbol, most)) for symbol in found.symbols]
        languages = _languages(symbol.path for symbol in found.symbols)
        return stated(forms.definitions_markdown(symbol, shown, languages), found.index)

    @_named("list-symbols")
    def list_symbols(
        self,
        repo_path: str = "",
        path_filter: str = "",
        kind_filter: str = "",
        language: str = "",
        source: str = "",
        max_results: int = SYMBOLS,
    ) -> str:
        """List definitions. `path_filter`: a file, a directory or a glob. `kind_filter`: kinds
        with commas, such as class,function. `source`: only tree-sitter is known. At most 500
        `max_results`.
        """
        workspace = self._workspace()
        limit = _bounded(max_results, 1, MOST_SYMBOLS)
        kinds = [kind.strip() for kind in kind_filter.split(",") if kind.strip()]
        place = _place(workspace, repo_path)
        if source and source != "tree-sitter":
            return stated(forms.symbols_markdown([], 0), workspace.status())
        wild = any(sign in path_filter for sign in "*?[{")
        if not wild and not language:
            path = _joined(place, path_filter)
            found = workspace.symbols(path=path, kinds=kinds, limit=limit)
            return stated(forms.symbols_markdown(found.symbols, found.total), found.index)
        under = place if wild else _joined(place, path_filter)
        glob = _joined(place, path_filter) if wild else ""
        files = workspace.list_files(glob=glob, language=language, under=under, limit=10_000)
        symbols: list[Symbol] = []
        total = 0
        for row in files.files:
            page = workspace.symbols(path=row.path, kinds=kinds, limit=max(0, limit - len(symbols)))
            symbols += page.symbols
            total += page.total
        return stated(forms.symbols_markdown(symbols, total), files.index)

    @_named("stats")
    def stats(self, repo_path: str = "") -> str:
        """Statistics: indexing, search (latency by tool, cache, tokens saved), health."""
        workspace = self._workspace()
        _place(workspace, repo_path)
        return statistics_text(workspace.stats())


def _bounded(value: int, low: int, high: int) -> int:
    return min(max(value, low), high)


def _place(workspace: Workspace, repo_path: str) -> str:
    """Return the directory of the tree that a path of this machine means; for somebody elsewhere,
    who knows nothing of this machine, one that a path of the tree means.

    `""`: all of it. Raises: `OutsideRoots` for what no served root holds, `PathNotFound` for what
    is not there.
    """
    if not repo_path or repo_path == ".":
        return ""
    if "\0" in repo_path:
        raise BadInput("repo_path holds a NUL byte", hint="leave it out")
    if not workspace.local:
        clean = os.path.normpath(repo_path.lstrip("/") or ".")
        if clean.partition("/")[0] == "..":
            raise OutsideRoots(f"{repo_path}: outside all roots", hint="paths start at the tree")
        return "" if clean == "." else clean
    written = os.path.normpath(Path(repo_path).expanduser())
    # links inside a root are the tree's matter, so what is written counts first
    for path in (written, os.path.realpath(written)):
        for place, root in workspace.roots.items():
            if path == root or path.startswith(root.rstrip("/") + "/"):
                return f"{place}/{path[len(root) :]}".replace("//", "/").strip("/")
    served = ", ".join(workspace.roots.values())
    raise OutsideRoots(f"{repo_path}: outside all roots", hint=f"served: {served}")


def _joined(place: str, path: str) -> str:
    return f"{place}/{path.strip('/')}".strip("/") if path else place


def _code(workspace: Workspace, symbol: Symbol, most: int) -> str:
    first, last = symbol.span.start_line, symbol.span.end_line
    kept, missing = clipped(workspace.read(symbol.path, start=first, end=last).text, most)
    return f"{kept.rstrip()}\n... {missing}" if missing else kept


def _languages(paths: Iterable[str]) -> dict[str, str]:
    """Return the language of files, by path."""
    return {path: language_of(path) for path in paths}
