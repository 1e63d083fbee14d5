"""Where a name stands in a text, and in what: code, an import, a comment, a string.

Comments and strings are told apart by the lexical rules of the language's family, without a
parser, so the class of a place is a statement about syntax and not about binding.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from tadoru.types import Import

ReferenceKind = Literal["call", "import", "name", "text"]

_DOUBLE = r'"(?:\\.|[^"\\\n])*"'
_SINGLE = r"'(?:\\.|[^'\\\n])*'"
_CHAR = r"'(?:\\.[^'\n]{0,8}|[^'\\\n])'"
_BACKTICK = r"`(?:\\.|[^`\\])*`"
_SLASHES = r"//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)"
_HASH = r"(?<![\w$&{\\])#[^\n]*"
_TRIPLE = r"\"\"\"[\s\S]*?(?:\"\"\"|\Z)|'''[\s\S]*?(?:'''|\Z)"

_FAMILIES = {
    "slashes": rf"{_SLASHES}|{_DOUBLE}|{_SINGLE}",
    "chars": rf"{_SLASHES}|{_DOUBLE}|{_CHAR}",
    "script": rf"{_SLASHES}|{_DOUBLE}|{_SINGLE}|{_BACKTICK}",
    "go": rf"{_SLASHES}|{_DOUBLE}|{_CHAR}|`[^`]*`",
    "hash": rf"{_HASH}|{_DOUBLE}|{_SINGLE}",
    "python": rf"#[^\n]*|{_TRIPLE}|{_DOUBLE}|{_SINGLE}",
    "php": rf"{_SLASHES}|#(?!\[)[^\n]*|{_DOUBLE}|{_SINGLE}",
    "dashes": rf"--[^\n]*|/\*[\s\S]*?(?:\*/|\Z)|{_DOUBLE}|{_SINGLE}",
    "markup": r"<!--[\s\S]*?(?:-->|\Z)",
}
_FAMILY_OF = {
    "python": "python", "cython": "python", "starlark": "python",
    "javascript": "script", "typescript": "script", "tsx": "script", "vue": "script",
    "svelte": "script", "astro": "script", "dart": "slashes",
    "go": "go", "rust": "chars", "java": "chars", "c": "chars", "cpp": "chars", "csharp": "chars",
    "kotlin": "chars", "swift": "slashes", "scala": "chars", "groovy": "slashes", "zig": "chars",
    "ruby": "hash", "shell": "hash", "perl": "hash", "r": "hash", "julia": "hash",
    "elixir": "hash", "yaml": "hash", "toml": "hash", "make": "hash", "php": "php",
    "sql": "dashes", "lua": "dashes", "haskell": "dashes", "html": "markup", "xml": "markup",
}  # fmt: skip
_PROSE = frozenset({"markdown", "rst", "text", "asciidoc", "org", "latex", ""})
"""Nothing in these is code."""

_IMPORT_LINE = re.compile(
    r"\s*(?:import|from|use|using|require|require_relative|include|#include|export\s.*\bfrom)\b"
    r"|.*\brequire\(|.*\bfrom\s+['\"]"
)
_DEFINING = re.compile(
    r"(?:\b(?:def|function|func|fn|class|struct|enum|trait|interface|sub|proc|macro_rules!|type|"
    r"module|defp|defmodule|object|union)\s+(?:\([^)\n]{0,80}\)\s*)?(?:[\w$.]+[.:]{1,2})?)$"
)


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One place where a name stands."""

    line: int
    kind: ReferenceKind
    text: str
    """The line, without its end."""
    defines: bool = False


@lru_cache(maxsize=32)
def _quiet(language: str) -> re.Pattern[str] | None:
    family = _FAMILY_OF.get(language)
    return re.compile(_FAMILIES[family]) if family else None


@lru_cache(maxsize=256)
def _name_pattern(name: str) -> re.Pattern[str]:
    before = r"(?<![\w$])" if re.match(r"[\w$]", name) else ""
    after = r"(?![\w$])" if re.search(r"[\w$]\Z", name) else ""
    return re.compile(before + re.escape(name) + after)


_CALL = re.compile(r"\s*(?:!|::<[^;\n(){}]{0,120}>|<[^;\n(){}=]{0,120}>)?\s*\(")


def occurrences(
    text: str,
    name: str,
    language: str,
    *,
    imports: Sequence[Import] = (),
    defined_at: frozenset[int] = frozenset(),
) -> Iterator[Occurrence]:
    """Yield the lines where a name stands, each once with its strongest kind, in order.

    `imports`: the file's import edges; `defined_at`: lines where a definition of it begins.
    """
    pattern = _name_pattern(name)
    quiet = [match.span() for match in q.finditer(text)] if (q := _quiet(language)) else []
    imported = {edge.line for edge in imports if name in edge.names}
    best: dict[int, Occurrence] = {}
    line, position, quiet_at = 1, 0, 0
    pending_import = 0
    for match in pattern.finditer(text):
        line += text.count("\n", position, match.start())
        position = match.start()
        while quiet_at < len(quiet) and quiet[quiet_at][1] <= position:
            quiet_at += 1
        silent = quiet_at < len(quiet) and quiet[quiet_at][0] <= position
        start = text.rfind("\n", 0, position) + 1
        end = text.find("\n", position)
        whole = text[start : end if end >= 0 else len(text)]
        if any(pending_import < edge_line <= line for edge_line in imported):
            pending_import = max(e for e in imported if e <= line)
            opened = True
        else:
            opened = False
        found = _classify(
            text, match, line, whole, text[start:position], silent or language in _PROSE,
            opened, line in defined_at,
        )  # fmt: skip
        known = best.get(line)
        if known is None or _STRENGTH[found.kind] < _STRENGTH[known.kind] or found.defines:
            best[line] = found
    yield from best.values()


_STRENGTH = {"call": 0, "import": 1, "name": 2, "text": 3}


def _classify(
    text: str,
    match: re.Match[str],
    line: int,
    whole: str,
    before: str,
    silent: bool,
    imported: bool,
    defined: bool,
) -> Occurrence:
    if silent:
        return Occurrence(line, "text", whole)
    if defined or _DEFINING.search(before):
        return Occurrence(line, "name", whole, defines=True)
    if imported or _IMPORT_LINE.match(whole):
        return Occurrence(line, "import", whole)
    if _CALL.match(text, match.end()):
        return Occurrence(line, "call", whole)
    return Occurrence(line, "name", whole)
