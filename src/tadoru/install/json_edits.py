"""Small edits of JSON text that keep everything else: comments, order, indentation, line ends.

An edit is a splice of the text, and what an insertion wrote a removal takes out again to the byte.
Every edit is read again and must mean what it should. Refuses what is not clear: broken text, a key
on the edited way that occurs twice, a value of another kind.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from tadoru.errors import BadInput
from tadoru.install.files import line_end
from tadoru.install.json_tree import Node, Pointer, Slot, find, loads, parse, skip

_LINE_IS_OVER = re.compile(r"[ \t]*(?:\r?\n|//|/\*|[}\]])")
_INDENT = re.compile(r"[\[{][ \t]*\r?\n([ \t]+)\S")


def put(text: str, pointer: Pointer, value: Any) -> str:
    """Return the text with a value at a pointer, whose parent exists; replaces what is there."""
    root = parse(text)
    if root is None:
        return _with_root(text, {pointer[0]: value} if pointer else value)
    existing = find(root, pointer)
    if existing is not None and existing.value == value:
        return text
    if existing is not None:
        new = _dumped(text, value, _line_indent(text, existing.start))
        edited = _splice(text, existing.start, existing.end, new)
    else:
        parent = _container_at(root, pointer[:-1], dict)
        edited = _append(text, parent, value, key=str(pointer[-1]))
    return _verified(
        edited, _changed(root.value, pointer[:-1], lambda d: {**d, pointer[-1]: value})
    )


def append(text: str, pointer: Pointer, value: Any) -> str:
    """Return the text with an item added to the array at a pointer."""
    root = parse(text)
    edited = _append(text, _container_at(root, pointer, list), value)
    return _verified(edited, _changed(loads(text), pointer, lambda items: [*items, value]))


def remove(text: str, pointer: Pointer, *, item: int | None = None, inner: str = "") -> str:
    """Return the text without a member, or without one item of the array at the pointer.

    `inner`: what lies between the brackets of a container that is empty then.
    """
    root = parse(text)
    parent = find(root, pointer if item is not None else pointer[:-1])
    if root is None or parent is None:
        return text
    if item is None:
        slot = parent.member(str(pointer[-1]))
        if slot is None:
            return text
        wanted = _changed(root.value, pointer[:-1], lambda table: _without(table, pointer[-1]))
    else:
        slot = parent.slots[item]
        wanted = _changed(root.value, pointer, lambda items: items[:item] + items[item + 1 :])
    return _verified(_taken_out(text, parent, slot, inner), wanted)


def _taken_out(text: str, parent: Node, slot: Slot, inner: str) -> str:
    start, end = _before_space(text, slot.start), skip(text, slot.end)
    number = parent.slots.index(slot)
    if text[end : end + 1] == ",":
        end += 1
        if "\n" in text[start : slot.start] and not _LINE_IS_OVER.match(text, end):
            start, end = slot.start, _after_space(text, end)
    else:
        end = slot.end
    rest = text[parent.start + 1 : start] + text[end : parent.end - 1]
    if not rest.strip():
        return _splice(text, parent.start + 1, parent.end - 1, inner)
    edited = _splice(text, start, end, "")
    if number == len(parent.slots) - 1 and number and not _ends_in_comma(text, parent):
        comma = skip(text, parent.slots[number - 1].end)
        edited = _splice(edited, comma, comma + 1, "")
    return edited


def _container_at(root: Node | None, pointer: Pointer, kind: type) -> Node:
    node = find(root, pointer)
    if node is None or not (node.is_object if kind is dict else node.is_list):
        name = f'"{pointer[-1]}"' if pointer else "the document"
        what = "object" if kind is dict else "list"
        raise BadInput(f"{name} is no {what}", hint="correct it and run this again")
    return node


def _changed(value: Any, pointer: Pointer, change: Callable[[Any], Any]) -> Any:
    if not pointer:
        return change(value)
    key, rest = pointer[0], pointer[1:]
    if isinstance(key, int):
        return [_changed(v, rest, change) if n == key else v for n, v in enumerate(value)]
    return {**value, key: _changed(value[key], rest, change)}


def _without(table: dict[str, Any], key: str | int) -> dict[str, Any]:
    return {name: value for name, value in table.items() if name != key}


def _verified(text: str, wanted: Any) -> str:
    """Return an edited text that means what it should. Raises: `BadInput` if it does not."""
    if loads(text) != wanted:
        raise BadInput("this text cannot be edited safely", hint="edit it by hand")
    return text


def inside(text: str, node: Node) -> str:
    """Return what lies between the brackets of a container."""
    return text[node.start + 1 : node.end - 1]


def _append(text: str, parent: Node, value: Any, *, key: str | None = None) -> str:
    """Add a slot at the end of a container, in the manner of those that are there."""
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    comma = _ends_in_comma(text, parent)
    place = _before_space(text, parent.end - 1)
    if _in_one_line(text, parent):
        gap = " " if parent.slots else ""
        new = f"{gap}{name}{json.dumps(value, ensure_ascii=False)}"
        tail = ""
    else:
        own = _slot_indent(text, parent)
        new = f"{line_end(text)}{own}{name}{_dumped(text, value, own)}"
        closed = parent.slots or "\n" in text[place : parent.end - 1]
        tail = "" if closed else line_end(text) + _line_indent(text, parent.start)
    new += ("," if comma else "") + tail
    text = _splice(text, place, place, new)
    if parent.slots and not comma:
        text = _splice(text, parent.slots[-1].end, parent.slots[-1].end, ",")
    return text


def _in_one_line(text: str, parent: Node) -> bool:
    """Tell whether a container is written in one line, or a whole document that is not empty."""
    if parent.slots:
        return "\n" not in inside(text, parent)
    return "\n" not in text.strip() and bool(text[: parent.start].strip())


def _ends_in_comma(text: str, parent: Node) -> bool:
    """Tell whether a container has a comma after its last slot."""
    if not parent.slots:
        return False
    comma = skip(text, parent.slots[-1].end)
    return text[comma] == ","


def _slot_indent(text: str, parent: Node) -> str:
    """Return the indentation of a container's slots; of its first one if that has a line."""
    if parent.slots:
        first = parent.slots[0].start
        lead = text[text.rfind("\n", 0, first) + 1 : first]
        if not lead.strip():
            return lead
    return _line_indent(text, parent.start) + unit(text)


def _with_root(text: str, value: Any) -> str:
    """Return a text without a value (empty, or comments alone) with one."""
    gap = line_end(text) if text and not text.endswith("\n") else ""
    return text + gap + _dumped(text, value, "") + line_end(text)


def without_root(text: str) -> str:
    """Take out the root that `put` has added to a text without a value."""
    root = parse(text)
    if root is None:
        return text
    end = (
        root.end + len(line_end(text)) if text[root.end :].startswith(("\n", "\r\n")) else root.end
    )
    return text[: root.start] + text[end:]


def _dumped(text: str, value: Any, indent: str) -> str:
    return _pretty(value, unit(text)).replace("\n", line_end(text) + indent)


def _pretty(value: Any, step: str, indent: str = "\n") -> str:
    """Return a value as indented JSON; a list of plain values stays in one line."""
    deep = isinstance(value, dict) or any(isinstance(item, (dict, list)) for item in _items(value))
    if not value or not deep:
        return json.dumps(value, ensure_ascii=False)
    inner = indent + step
    if isinstance(value, dict):
        rows = [f"{json.dumps(k, ensure_ascii=False)}: {_pretty(v, step, inner)}"
                for k, v in value.items()]  # fmt: skip
        return f"{{{inner}{f',{inner}'.join(rows)}{indent}}}"
    rows = [_pretty(item, step, inner) for item in value]
    return f"[{inner}{f',{inner}'.join(rows)}{indent}]"


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def unit(text: str) -> str:
    """Return what one level of the text is indented by."""
    match = _INDENT.search(text)
    return match[1] if match else "  "


def _line_indent(text: str, position: int) -> str:
    start = text.rfind("\n", 0, position) + 1
    line = text[start:position]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _before_space(text: str, position: int) -> int:
    """Return where the space before a position begins."""
    while position and text[position - 1] in " \t\r\n":
        position -= 1
    return position


def _after_space(text: str, position: int) -> int:
    while text[position : position + 1] in (" ", "\t"):
        position += 1
    return position


def _splice(text: str, start: int, end: int, new: str) -> str:
    return text[:start] + new + text[end:]
