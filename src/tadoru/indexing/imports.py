"""Import statements and links between documents, as they are written.

Which file each one means is decided in `targets`, when all paths are known.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tadoru.indexing import grammars

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tree_sitter import Tree

MAX_NAMES = 200
MAX_IMPORTS = 5_000
"""Of one file."""
MAX_STATEMENT = 20_000
"""Bytes that are read of one import statement."""


class RawImport(NamedTuple):
    """One edge before its target is known."""

    module: str
    offset: int
    """Byte offset of the statement in the UTF-8 text."""
    names: tuple[str, ...] = ()


def raw_imports(language: str, tree: Tree, data: bytes) -> list[RawImport]:
    """Return the imports of a parsed file in order of their place."""
    query = grammars.query(language, "imports")
    if query is None:
        return []
    from tree_sitter import QueryCursor

    read = _READERS.get(language, _quoted)
    found: list[RawImport] = []
    for _, captures in QueryCursor(query).matches(tree.root_node):
        statement = captures["import"][0]
        modules = captures.get("module")
        end = min(statement.end_byte, statement.start_byte + MAX_STATEMENT)
        text = _decode(data[statement.start_byte : end])
        module = _decode(data[modules[0].start_byte : modules[0].end_byte]) if modules else ""
        found.extend(
            RawImport(name, statement.start_byte, names)
            for name, names in read(text, module)
            if name
        )
    return sorted(dict.fromkeys(found), key=lambda each: each.offset)[:MAX_IMPORTS]


def _decode(raw: bytes) -> str:
    return raw[:MAX_STATEMENT].decode("utf-8", "replace")


_SPACE = re.compile(r"\s+")
_COMMENT = re.compile(r"#[^\n]*|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_FROM = re.compile(r"from\s+(\.*\s*[\w.]*)\s+import\s+\(?(.*?)\)?\s*\Z", re.DOTALL)
_JS_NAMES = re.compile(r"\{([^}]*)\}")


def _python(text: str, module: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    text = _SPACE.sub(" ", re.sub(r"#[^\n]*", "", text).replace("\\\n", " "))
    match = _FROM.match(text)
    if match:
        names = (part.split()[0] for part in match.group(2).split(",") if part.split())
        yield _SPACE.sub("", match.group(1)), tuple(names)[:MAX_NAMES]
    elif text.startswith("import"):
        for part in text[len("import") :].split(","):
            if part.split():
                yield part.split()[0], ()


def _quoted(text: str, module: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield module.strip().strip("\"'`"), ()


def _javascript(text: str, module: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    names: list[str] = []
    braces = _JS_NAMES.search(text) if text.startswith(("import", "export")) else None
    if braces:
        for part in _COMMENT.sub("", braces.group(1)).split(","):
            words = part.removeprefix("type ").split()
            if words:
                names.append(words[0])
    yield module.strip("\"'`"), tuple(names[:MAX_NAMES])


def _rust(text: str, module: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    if not re.match(r"(?:pub(?:\([^)]*\))?\s+)?use\b", text):
        kind = "mod" if re.search(r"\bmod\s+\w+\s*;?\s*\Z", text) else ""
        yield (f"self::{module}" if kind else module), ()
        return
    yield from _rust_tree(_SPACE.sub(" ", _COMMENT.sub("", module)))


def _rust_tree(tree: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Flatten `a::{b, c::{d, e}}` with a stack of prefixes."""
    prefixes = [""]
    token = ""
    for char in tree + ",":
        if char == "{":
            prefixes.append(prefixes[-1] + token.strip())
            token = ""
        elif char in ",}":
            path = (prefixes[-1] + token.strip()).partition(" as ")[0].strip()
            path = path.removesuffix("::self").removesuffix("::*")
            if token.strip() and path:
                yield path, ()
            token = ""
            if char == "}" and len(prefixes) > 1:
                prefixes.pop()
        else:
            token += char


def _java(text: str, module: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield _SPACE.sub("", re.sub(r"\Aimport\s+(?:static\s+)?", "", text)).rstrip(";"), ()


def _include(text: str, module: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield module.strip(), ()  # <...> and "..." are looked for in different places


def _csharp(text: str, module: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    body = re.sub(r"\A(?:global\s+)?using\s+(?:static\s+)?", "", text).rstrip("; \n")
    yield body.rpartition("=")[2].strip(), ()


def _ruby(text: str, module: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    name = module.strip("\"'")
    yield (f"./{name}" if text.startswith("require_relative") else name), ()


_PHP_USE = re.compile(r"\Ause\s+(?:function\s+|const\s+)?(.*?);?\s*\Z", re.DOTALL)
_PHP_FILE = re.compile(
    r"""(__DIR__\s*\.\s*|dirname\(__FILE__\)\s*\.\s*)?["']([^"'$]+)["']\)?\s*\Z"""
)


def _php(text: str, module: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    use = _PHP_USE.match(_SPACE.sub(" ", text))
    if use:
        body = use.group(1)
        prefix, brace, rest = body.partition("{")
        for part in (rest.rstrip("} ") if brace else body).split(","):
            name = re.split(r"\s+as\s+", part.strip(), flags=re.IGNORECASE)[0]
            if name:
                yield (prefix.strip() + name if brace else name).lstrip("\\"), ()
        return
    file = _PHP_FILE.search(text)
    if file:
        yield "./" + file.group(2).lstrip("/"), ()


_READERS: dict[str, Callable[[str, str], Iterator[tuple[str, tuple[str, ...]]]]] = {
    "python": _python, "javascript": _javascript, "typescript": _javascript, "tsx": _javascript,
    "rust": _rust, "java": _java, "c": _include, "cpp": _include, "csharp": _csharp,
    "ruby": _ruby, "php": _php,
}  # fmt: skip

_LINK = re.compile(
    rb"\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(\s*<?([^()\s<>]+(?:\([^()\s]*\)[^()\s<>]*)?)>?"
    rb"""(?:\s+["'(][^)\n]{0,300})?\)"""
)
_REFERENCE = re.compile(rb"^ {0,3}\[[^\]\n]+\]:[ \t]*<?([^\s<>]+)>?", re.MULTILINE)
_FENCES = re.compile(
    rb"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
)
_CODE = re.compile(rb"`[^`\n]+`")


def document_links(data: bytes) -> list[RawImport]:
    """Return the links of a Markdown document that can lead to a file, outside code."""
    bare = _CODE.sub(_blank, _FENCES.sub(_blank, data))
    found: dict[RawImport, None] = {}
    for pattern in (_LINK, _REFERENCE):
        for match in pattern.finditer(bare):
            link = _decode(match.group(1)).partition("#")[0].partition("?")[0]
            if link and not re.match(r"[a-zA-Z][\w+.-]*:|//", link):
                found[RawImport(link, match.start(), ())] = None
    return sorted(found, key=lambda each: each.offset)


def _blank(match: re.Match[bytes]) -> bytes:
    return re.sub(rb"[^\n]", b" ", match.group())
