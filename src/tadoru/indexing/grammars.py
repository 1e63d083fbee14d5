"""Parsers, one per language and process, loaded when first needed.

The core languages have their own wheels; the long tail comes from `semble-grammars`, which unpacks
each grammar once into a cache directory and needs no network. A grammar that cannot be loaded is
no error: its files are cut into lines, and the report says so.
"""

from __future__ import annotations

import re
import time
from functools import cache
from importlib import import_module, resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language, Parser, Query, Range, Tree

PARSE_SECONDS = 5.0
"""Time for one file; a typical 2 MiB file takes 0.3 s."""
UNTIMED_BYTES = 256 * 1024
"""Smaller files are parsed without a clock: at worst some 0.1 s, while the binding's timed form
costs 1.5x and keeps a copy of the text for ever (tree-sitter 0.26.1)."""

_WHEELS = {
    "python": ("tree_sitter_python", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "java": ("tree_sitter_java", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "csharp": ("tree_sitter_c_sharp", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "php": ("tree_sitter_php", "language_php"),
}
_LONG_TAIL = {
    "kotlin": "kotlin", "swift": "swift", "scala": "scala", "lua": "lua", "r": "r",
    "dart": "dart", "elixir": "elixir", "erlang": "erlang", "haskell": "haskell",
    "ocaml": "ocaml", "clojure": "clojure", "julia": "julia", "perl": "perl", "objc": "objc",
    "zig": "zig", "fortran": "fortran", "groovy": "groovy", "shell": "bash",
    "powershell": "powershell", "sql": "sql", "graphql": "graphql", "proto": "proto",
    "css": "css", "scss": "scss", "terraform": "hcl", "nix": "nix", "cmake": "cmake",
    "starlark": "starlark", "vim": "vim",
}  # fmt: skip

failures: dict[str, str] = {}
"""Language -> why its grammar could not be loaded in this process."""


@cache
def language(name: str) -> Language | None:
    """Return the grammar of a language of `text.languages`; None when there is none."""
    from tree_sitter import Language

    try:
        if name in _WHEELS:
            module, function = _WHEELS[name]
            return Language(getattr(import_module(module), function)())
        if name in _LONG_TAIL:
            import semble_grammars

            found: Language = semble_grammars.get_language(_LONG_TAIL[name])
            return found
    except Exception as error:  # a broken wheel or an unwritable cache costs precision only
        failures[name] = f"{type(error).__name__}: {error}"
    return None


_INHERITS = "; inherits: "
"""How a query's first line names the language whose query it adds to."""
_LONE_CR = re.compile(rb"\r(?!\n)")


@cache
def _parser(name: str) -> Parser | None:
    from tree_sitter import Parser

    grammar = language(name)
    return Parser(grammar) if grammar is not None else None


@cache
def query(name: str, kind: str) -> Query | None:
    """Return our own query `queries/<name>/<kind>.scm`; None when there is none."""
    from tree_sitter import Query

    grammar = language(name)
    text = _query_text(name, kind)
    return Query(grammar, text) if grammar is not None and text else None


def _query_text(name: str, kind: str) -> str:
    """Return a query behind those that its first line says it inherits; empty without one."""
    file = resources.files("tadoru.indexing") / "queries" / name / f"{kind}.scm"
    if not file.is_file():
        return ""
    text = file.read_text("utf-8")
    first = text.partition("\n")[0]
    if not first.startswith(_INHERITS):
        return text
    return _query_text(first.removeprefix(_INHERITS).strip(), kind) + text


def parse(
    name: str,
    data: bytes,
    *,
    ranges: tuple[tuple[int, int], ...] = (),
    seconds: float = PARSE_SECONDS,
) -> Tree | None:
    """Parse UTF-8 bytes; None without a grammar or when the time is over.

    `ranges`: byte ranges to parse, as if the rest were not there; empty for everything.
    """
    parser = _parser(name)
    if parser is None:
        return None
    parser.reset()
    if b"\r" in data:
        data = _LONE_CR.sub(b"\n", data)  # no grammar takes a bare one for the end of a line
    parser.included_ranges = [_range(data, *pair) for pair in ranges]
    if len(data) <= UNTIMED_BYTES:
        return parser.parse(data)
    end = time.monotonic() + seconds
    try:
        return parser.parse(
            lambda offset, _point: data[offset : offset + 65_536],
            progress_callback=lambda _offset, _error: time.monotonic() > end,
        )
    except ValueError:  # stopped by the clock
        return None
    finally:
        parser.reset()


def _range(data: bytes, start: int, end: int) -> Range:
    from tree_sitter import Point, Range

    def point(offset: int) -> Point:
        line_start = data.rfind(b"\n", 0, offset) + 1
        return Point(data.count(b"\n", 0, offset), offset - line_start)

    return Range(point(start), point(end), start, end)
