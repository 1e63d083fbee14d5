"""Definitions of languages without a query of our own, by the shape of their syntax trees.

A named node whose type speaks of a function, class and so on, and that has a name, is taken for a
definition. Good enough for breadcrumbs and for finding a name; it knows no language's fine points.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tadoru.indexing.symbols import Definition, signature

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

MAX_VISITED = 200_000
"""Nodes visited in one file: a bound on time, 0.2 s."""
MAX_DEPTH = 24
"""Definitions lie near the root; expressions below are not worth a visit."""

_SUFFIX = r"(?:_definition|_declaration|_item|_statement|_def|_decl|_specifier)?"
_KINDS = tuple(
    (re.compile(rf"(?:{words}){_SUFFIX}\Z"), kind)
    for words, kind in (
        (r"\w*function|function_\w+|method|func_literal|subroutine|create_function", "function"),
        (r"class|object|create_table|table|message|companion_object|class_interface", "class"),
        (r"interface|protocol", "interface"),
        (r"struct|record|derived_type", "struct"),
        (r"enum", "enum"),
        (r"trait", "trait"),
        (r"module|namespace|package|library", "module"),
        (r"type|typealias|type_alias|data_type|newtype|create_type", "type"),
        (r"macro", "macro"),
        (r"service|rpc|create_view|create_procedure|create_trigger", "function"),
    )
)
_NAME_FIELDS = ("name", "declarator", "identifier")
_NAME_TYPES = re.compile(r"(?:\w*identifier|\w*name|word|variable|constant|object_reference)\Z")


def generic_definitions(tree: Tree, data: bytes) -> list[Definition]:
    """Return what looks like a definition, without doc comments."""
    found: list[Definition] = []
    kinds: dict[str, str] = {}
    pending: list[tuple[Node, int]] = [(tree.root_node, 0)]
    visited = 0
    while pending and visited < MAX_VISITED:
        node, depth = pending.pop()
        visited += 1
        type_name = node.type
        if type_name not in kinds:
            kinds[type_name] = next((k for p, k in _KINDS if p.match(type_name)), "")
        if kinds[type_name]:
            name = _name_of(node, data)
            if name:
                each = Definition(
                    name, kinds[type_name], node.start_byte, node.end_byte, node.start_byte
                )
                body = node.child_by_field_name("body")
                each.body = body.start_byte if body is not None else 0
                each.signature = signature(data, each)
                found.append(each)
        if depth < MAX_DEPTH:
            pending.extend((child, depth + 1) for child in node.named_children)
    return found


def _name_of(node: Node, data: bytes) -> str:
    for field in _NAME_FIELDS:
        child = node.child_by_field_name(field)
        if child is not None:
            return _short(data[child.start_byte : child.end_byte])
    for child in node.named_children[:6]:
        if _NAME_TYPES.match(child.type):
            return _short(data[child.start_byte : child.end_byte])
    return ""


def _short(raw: bytes) -> str:
    text = raw.decode("utf-8", "replace").strip().strip("\"'`")
    return "" if len(text) > 100 or "\n" in text else text
