"""Definitions of a file: name, kind, container, signature, doc comment, place.

For the core languages from our own queries (`queries/<language>/tags.scm`), for other grammars by
the shape of their nodes. Works on byte offsets in UTF-8 and on flat lists: no recursion over the
depth of a tree, and no walk from a node to its parent, which costs a search from the root.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tadoru.indexing import grammars
from tadoru.indexing.docs import comment_doc, first_sentences, unquote

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

MAX_SIGNATURE = 240
"""Characters."""
MAX_NAME = 200
MAX_INDENT = 1_000
"""Blanks before the first word of a line."""
MAX_CONTAINERS = 16
"""Nobody reads a deeper name; a file of nested braces must not cost the square of its depth."""
_CONTAINERS = frozenset({"class", "interface", "struct", "trait", "enum", "scope"})
_VAGUE = frozenset({"variable", "type"})
"""Kinds that give way when another pattern knows the same definition better."""
_SPACE = re.compile(r"\s+")


@dataclass(slots=True)
class Definition:
    """One definition, in byte offsets of the UTF-8 text."""

    name: str
    kind: str
    """As in `types.Symbol`, or `scope` for what only holds definitions (an `impl` block)."""
    start: int
    end: int
    lead: int
    """Where the doc comment, attributes and decorators before it begin."""
    signature: str = ""
    doc: str = ""
    container: tuple[str, ...] = ()
    explicit: tuple[str, ...] = ()
    """Containers that the definition names itself: the receiver in Go, `A::` in C++."""
    body: int = 0
    """Where the body begins; 0 when there is none."""


@dataclass(slots=True)
class _Found:
    """What one run of a query collected."""

    definitions: dict[tuple[int, int, str], Definition] = field(default_factory=dict)
    comments: list[tuple[int, int]] = field(default_factory=list)
    attributes: list[tuple[int, int]] = field(default_factory=list)
    wrappers: dict[int, int] = field(default_factory=dict)
    """End -> start of the outermost wrapper that ends there."""
    docs: list[tuple[int, int]] = field(default_factory=list)


def definitions(language: str, tree: Tree, data: bytes) -> list[Definition]:
    """Return the definitions of a parsed file in order of their place."""
    query = grammars.query(language, "tags")
    if query is None:
        from tadoru.indexing.generic import generic_definitions

        return nest(generic_definitions(tree, data))
    from tree_sitter import QueryCursor

    found = _Found()
    for _, captures in QueryCursor(query).matches(tree.root_node):
        _take(found, captures, data)
    return nest(_finish(found, data, language))


def _take(found: _Found, captures: dict[str, list[Node]], data: bytes) -> None:
    """Sort one match into the lists that it belongs to."""
    for label, nodes in captures.items():
        if label.startswith("definition.") or label == "scope":
            _define(found, label.rpartition(".")[2], nodes[0], captures, data)
            return
    for label, nodes in captures.items():
        span = (nodes[0].start_byte, nodes[0].end_byte)
        if label == "comment":
            found.comments.append(span)
        elif label == "attribute":
            found.attributes.append(span)
        elif label == "doc":
            found.docs.append(span)
        elif label == "wrapper":
            found.wrappers[span[1]] = min(span[0], found.wrappers.get(span[1], span[0]))


def _define(
    found: _Found, kind: str, node: Node, captures: dict[str, list[Node]], data: bytes
) -> None:
    start, end = node.start_byte, node.end_byte
    bodies = captures.get("body")
    body = bodies[0].start_byte if bodies else 0
    holders = tuple(_text(data, n) for n in captures.get("container", ()))
    for named in captures.get("name", ()):
        name = _text(data, named).lstrip(":").strip("\"'")
        key = (start, end, name)
        if not name or len(name) > MAX_NAME:
            continue
        before = found.definitions.get(key)
        if before is not None and (kind in _VAGUE or before.kind not in _VAGUE):
            continue
        explicit = holders
        if "::" in name:
            *outer, name = (part.strip() for part in name.split("::"))
            explicit = tuple(outer)
        found.definitions[key] = Definition(
            name=name, kind=kind, start=start, end=end, lead=start, explicit=explicit, body=body
        )


def _text(data: bytes, node: Node) -> str:
    return _SPACE.sub(" ", data[node.start_byte : node.end_byte].decode("utf-8", "replace"))


def _finish(found: _Found, data: bytes, language: str) -> list[Definition]:
    """Give definitions their lead, signature and doc."""
    result = sorted(found.definitions.values(), key=lambda d: (d.start, -d.end))
    comments = sorted(found.comments)
    ends = {end: start for start, end in [*comments, *found.attributes]}
    docs = sorted(found.docs)
    for each in result:
        each.signature = signature(data, each)
        wrapper = min(
            found.wrappers.get(each.end, each.start), found.wrappers.get(each.end + 1, each.start)
        )
        each.lead = _lead(data, min(each.start, wrapper), ends)
        if docs:
            each.doc = _docstring(docs, each, data)
        if not each.doc and each.lead < each.start:
            each.doc = _comment_before(data, each, comments)
    return result


def signature(data: bytes, each: Definition) -> str:
    """Return the text from the definition's start to its body, or its first line, on one line."""
    if each.body > each.start:
        stop = each.body
    else:
        line_end = data.find(b"\n", each.start, min(each.end, each.start + 4 * MAX_SIGNATURE))
        stop = line_end if line_end > 0 else each.end
    stop = min(stop, each.start + 4 * MAX_SIGNATURE)
    text = _SPACE.sub(" ", data[each.start : stop].decode("utf-8", "replace")).strip()
    text = text.rstrip("{:;= ").removesuffix("=>").rstrip()
    return text if len(text) <= MAX_SIGNATURE else text[: MAX_SIGNATURE - 1] + "…"


def _lead(data: bytes, start: int, ends: dict[int, int]) -> int:
    """Return where the comments and attributes right before `start` begin.

    A blank line ends the run, and so does a comment that stands behind code on its line.
    """
    while True:
        at = start
        lines = 0
        while at > 0 and data[at - 1] in b" \t\r\n":
            at -= 1
            lines += data[at] == 0x0A
        before = ends.get(at)
        if before is None and at < len(data) and data[at : at + 1] == b"\n":
            before = ends.get(at + 1)  # some grammars let a line comment own its line end
            lines -= before is not None
        if before is None or before >= start or lines > 1:
            return start
        near = max(0, before - MAX_INDENT)
        line_start = data.rfind(b"\n", near, before) + 1
        if (near and not line_start) or data[line_start:before].strip():
            return start
        start = before


def _docstring(docs: list[tuple[int, int]], each: Definition, data: bytes) -> str:
    """Return the docstring that opens the body."""
    place = bisect_left(docs, (each.body or each.start, 0))
    if each.body and place < len(docs) and docs[place][0] - each.body <= 1:
        start, end = docs[place]
        return first_sentences(unquote(data[start:end].decode("utf-8", "replace")))
    return ""


def _comment_before(data: bytes, each: Definition, comments: list[tuple[int, int]]) -> str:
    """Return the first sentences of the comments between lead and start."""
    parts: list[str] = []
    for at in range(bisect_left(comments, (each.lead, 0)), len(comments)):
        start, end = comments[at]
        if start >= each.start:
            break
        parts.append(data[start:end].decode("utf-8", "replace"))
    return first_sentences(comment_doc("\n".join(parts)))


def nest(found: list[Definition]) -> list[Definition]:
    """Find each definition's containers; functions inside a class become methods."""
    found.sort(key=lambda d: (d.start, -d.end))
    open_ones: list[Definition] = []
    for each in found:
        while open_ones and open_ones[-1].end <= each.start:
            open_ones.pop()
        inner = next(
            (d for d in reversed(open_ones) if d.end >= each.end and d.start < each.start), None
        )
        outer = (*inner.container, inner.name) if inner else ()
        each.container = (*outer, *each.explicit)[:MAX_CONTAINERS]
        in_type = bool(inner and inner.kind in _CONTAINERS) or bool(each.explicit)
        if each.kind == "function" and in_type:
            each.kind = "method"
        elif each.kind == "variable" and each.name.isupper():
            each.kind = "constant"
        if each.kind not in ("variable", "constant", "property"):
            open_ones.append(each)
    return found
