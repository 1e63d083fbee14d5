"""Definitions with a doc comment, found by their lines: fast, and good enough to learn from.

Python is read with its own parser. Elsewhere a block of comment lines directly above a declaration
is its doc comment, and the body goes to the line that closes it at the same indentation. What does
not look like this is passed over; measuring uses the syntax tree instead.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

MAX_LINES = 80
"""Of a body: more than what is learned from."""

_LEVEL = (
    r"(?:export |default |declare |pub(?:\([\w:\s]+\))? |public |private |protected |static "
    r"|final |abstract |async |unsafe |const |readonly |override |sealed |extern |inline "
    r"|virtual )*"
)
_TYPES = re.compile(
    rf"^\s*{_LEVEL}(?:class|interface|struct|enum|trait|impl(?:<[^>]*>)?|type|module|namespace"
    r"|union)\s+(?:[\w:<>, ]+ for )?(?P<name>\w+)"
)
_FUNCTIONS = {
    "go": re.compile(r"^func\s*(?:\(\s*\w*\s*\*?(?P<of>\w+)[^)]*\)\s*)?(?P<name>\w+)"),
    "rust": re.compile(rf"^\s*{_LEVEL}(?:fn|macro_rules!)\s+(?P<name>\w+)"),
    "ruby": re.compile(r"^\s*def\s+(?:self\.)?(?P<name>\w+[?!=]?)"),
    "php": re.compile(rf"^\s*{_LEVEL}function\s+&?(?P<name>\w+)"),
    "script": re.compile(
        rf"^\s*{_LEVEL}(?:function\*?\s+(?P<name>\w+)|(?:let |var )?(?P<var>\w+)\s*(?::[^=]+)?=\s*"
        r"(?:async\s*)?(?:function|\(|\w+\s*=>|<)|(?:get |set |\*)?(?P<method>[\w#$]+)\s*[(<])"
    ),
    "c": re.compile(rf"^\s*{_LEVEL}[\w:<>*&,\[\]\s~.@?]*?(?P<name>~?\w+)\s*\("),
}
_FAMILY = {
    "go": "go", "rust": "rust", "ruby": "ruby", "php": "php", "javascript": "script",
    "typescript": "script", "tsx": "script", "java": "c", "c": "c", "cpp": "c", "csharp": "c",
}  # fmt: skip
_NO_NAMES = frozenset({"if", "for", "while", "switch", "return", "catch", "else", "new", "sizeof"})
_ATTRIBUTE = re.compile(r"^\s*(?:#!?\[|@\w|template\s*<|\[\w)")
_LINE_COMMENT = re.compile(r"^\s*(?://[/!]?|#(?!\[|!|include|define|if|end|el))\s?(.*)")
_CLOSER = re.compile(r"[})\]]|end\b")


@dataclass(frozen=True, slots=True)
class Definition:
    """One documented definition: its doc comment as it is written, without marks."""

    name: str
    container: str
    doc: str
    body: str


def definitions(language: str, text: str) -> Iterator[Definition]:
    """Yield the documented definitions of a file."""
    if language == "python":
        yield from _python(text)
    elif language in _FAMILY:
        yield from _by_lines(text, _FAMILY[language])


def _python(text: str) -> Iterator[Definition]:
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    lines = text.splitlines()
    waiting: list[tuple[ast.AST, str]] = [(tree, "")]
    while waiting:
        node, container = waiting.pop()
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                if isinstance(child, ast.If | ast.Try):
                    waiting.append((child, container))
                continue
            if isinstance(child, ast.ClassDef):
                waiting.append((child, child.name))
            doc = ast.get_docstring(child)
            if not doc:
                continue
            literal = child.body[0]
            until = (child.end_lineno or 0) if len(child.body) > 1 else literal.lineno - 1
            kept = lines[child.lineno - 1 : literal.lineno - 1]
            kept += lines[literal.end_lineno or 0 : until]
            yield Definition(child.name, container, doc, "\n".join(kept[:MAX_LINES]))


def _by_lines(text: str, family: str) -> Iterator[Definition]:
    lines = text.splitlines()
    containers: list[tuple[int, str]] = []
    number = 0
    while number < len(lines):
        line = lines[number]
        stripped = line.lstrip()
        if not stripped:
            number += 1
            continue
        doc, after = _comment(lines, number)
        if doc is None:
            _enter(containers, line, _indent(line))
            number += 1
            continue
        while after < len(lines) and _ATTRIBUTE.match(lines[after]):
            after += 1
        if after < len(lines) and len(doc) > 10:
            found = _declared(lines[after], family)
            if found:
                indent = _indent(lines[after])
                while containers and containers[-1][0] >= indent:
                    containers.pop()
                inside = found[1] or (containers[-1][1] if containers else "")
                yield Definition(found[0], inside, doc, _body(lines, after, indent))
        number = max(after, number + 1) if after == number else after


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _enter(containers: list[tuple[int, str]], line: str, indent: int) -> None:
    match = _TYPES.match(line)
    if match:
        while containers and containers[-1][0] >= indent:
            containers.pop()
        containers.append((indent, match["name"]))


def _comment(lines: list[str], number: int) -> tuple[str | None, int]:
    """Return the text of the comment that begins here, if one does, and the line after it."""
    stripped = lines[number].lstrip()
    if stripped.startswith("/*"):
        end = number
        while end < len(lines) - 1 and "*/" not in lines[end]:
            end += 1
        parts = [
            re.sub(r"^\s*(/\*+!?|\*+/|\*)\s?|\*+/\s*$", "", each)
            for each in lines[number : end + 1]
        ]
        return "\n".join(parts).strip(), end + 1
    parts = []
    end = number
    while end < len(lines) and (match := _LINE_COMMENT.match(lines[end])):
        parts.append(match[1])
        end += 1
    return ("\n".join(parts).strip(), end) if parts else (None, number)


def _declared(line: str, family: str) -> tuple[str, str] | None:
    match = _TYPES.match(line)
    if match:
        return match["name"], ""
    match = _FUNCTIONS[family].match(line)
    if not match:
        return None
    groups = match.groupdict()
    name = next((groups[k] for k in ("name", "var", "method") if groups.get(k)), "")
    return (name, groups.get("of") or "") if name and name not in _NO_NAMES else None


def _body(lines: list[str], start: int, indent: int) -> str:
    """Return a definition up to the line that closes it."""
    kept = [lines[start]]
    if lines[start].rstrip().endswith(";"):
        return kept[0]
    for line in lines[start + 1 : start + MAX_LINES]:
        stripped = line.lstrip()
        at = len(line) - len(stripped)
        if stripped and at < indent:
            break
        kept.append(line)
        if stripped and at == indent and _CLOSER.match(stripped) and not stripped.endswith("{"):
            break
    return "\n".join(kept)
