"""JSON with comments and trailing commas as a tree of spans, for edits that keep the rest.

Strict in everything else: what an agent could not read is named with line and column.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from tadoru.errors import BadInput

MAX_DEPTH = 200
"""Levels of nesting; configuration has a handful."""
_TRIVIA = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"-?\d[\d.eE+-]*|true|false|null")

Pointer = tuple[str | int, ...]
"""Keys, and positions in lists, from the root down to a value."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One member or item of a container: where its text lies, and its value."""

    start: int
    key: str
    node: Node

    @property
    def end(self) -> int:
        return self.node.end


@dataclass(slots=True)
class Node:
    """A value and the span of its text."""

    start: int
    end: int = 0
    value: Any = None
    slots: list[Slot] = field(default_factory=list)
    trailing_comma: bool = False

    def member(self, key: str) -> Slot | None:
        """Return the member with a key. Raises: `BadInput` when there are several."""
        found = [slot for slot in self.slots if slot.key == key]
        if len(found) > 1:
            raise BadInput(f'"{key}" occurs twice', hint="keep one of them")
        return found[0] if found else None


def parse(text: str) -> Node | None:
    """Return the tree of a text; None when it holds nothing but space and comments.

    Raises: `BadInput` with line and column of what cannot be understood.
    """
    start = skip(text, 0)
    if start == len(text):
        return None
    node = _value(text, start, 0)
    rest = skip(text, node.end)
    if rest != len(text):
        raise _broken(text, rest, "something after the end")
    return node


def loads(text: str) -> Any:
    """Return the value of a text (an empty object for an empty text); of twin keys the last."""
    root = parse(text)
    return {} if root is None else root.value


def skip(text: str, position: int) -> int:
    match = _TRIVIA.match(text, position)
    return match.end() if match else position


def _broken(text: str, position: int, what: str) -> BadInput:
    line = text.count("\n", 0, position) + 1
    column = position - (text.rfind("\n", 0, position) + 1) + 1
    return BadInput(f"line {line}, column {column}: {what}", hint="correct it and run this again")


def _value(text: str, start: int, depth: int) -> Node:
    if depth > MAX_DEPTH:
        raise _broken(text, start, f"nested more than {MAX_DEPTH} levels deep")
    letter = text[start : start + 1]
    if letter in ("{", "["):
        return _container(text, start, depth)
    match = _STRING.match(text, start) if letter == '"' else _SCALAR.match(text, start)
    if match is None:
        raise _broken(text, start, f"unexpected {letter!r}" if letter else "unexpected end")
    try:
        return Node(start, match.end(), json.loads(match[0]))
    except ValueError:
        raise _broken(text, start, f"{match[0][:20]!r} is no value") from None


def _container(text: str, start: int, depth: int) -> Node:
    """Parse an object or an array; both are slots between brackets with commas."""
    is_object = text[start] == "{"
    close = "}" if is_object else "]"
    node = Node(start, value={} if is_object else [])
    position = skip(text, start + 1)
    while text[position : position + 1] != close:
        if node.slots and not node.trailing_comma:
            raise _broken(text, position, f"expected a comma or {close!r}")
        key, value_start = _key(text, position) if is_object else ("", position)
        child = _value(text, value_start, depth + 1)
        node.slots.append(Slot(position, key, child))
        if is_object:
            node.value[key] = child.value
        else:
            node.value.append(child.value)
        position = skip(text, child.end)
        node.trailing_comma = text[position : position + 1] == ","
        if node.trailing_comma:
            position = skip(text, position + 1)
    node.end = position + 1
    return node


def _key(text: str, start: int) -> tuple[str, int]:
    match = _STRING.match(text, start)
    if match is None:
        raise _broken(text, start, "expected a key in double quotes")
    colon = skip(text, match.end())
    if text[colon : colon + 1] != ":":
        raise _broken(text, colon, "expected a colon")
    try:
        return json.loads(match[0]), skip(text, colon + 1)
    except ValueError:
        raise _broken(text, start, "this key cannot be read") from None


def find(root: Node | None, pointer: Pointer) -> Node | None:
    """Return the value at a pointer; None when there is none.

    Raises: `BadInput` when something on the way is no object, or a key occurs twice.
    """
    node = root
    for key in pointer:
        if node is None:
            return None
        if isinstance(key, int):
            node = node.slots[key].node
            continue
        if not isinstance(node.value, dict):
            what = f'what should hold "{key}" is no object'
            raise BadInput(what, hint="correct it and run this again")
        slot = node.member(key)
        node = slot.node if slot else None
    return node
