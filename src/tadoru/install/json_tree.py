"""JSON with comments and trailing commas as spans of its text, for edits that keep the rest.

Strict in everything else: what an agent could not read is named with line and column. Only what is
asked for is taken apart, for `~/.claude.json` may have many megabytes.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, NoReturn

from tadoru.errors import BadInput

_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_COMMENT = re.compile(rf"{_STRING.pattern}|//[^\n]*|/\*.*?\*/", re.DOTALL)
_COMMA = re.compile(rf"{_STRING.pattern}|,(?=[ \t\r\n]*[\]}}])", re.DOTALL)
_BRACKET = re.compile(rf"{_STRING.pattern}|[\[\]{{}}]", re.DOTALL)
_SCALAR = re.compile(r"[^ \t\r\n,\]}]+")
_TRIVIA = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)

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

    text: str
    """The document with blanks for comments and trailing commas: every position is the same."""
    start: int
    end: int
    _slots: list[Slot] | None = field(default=None, repr=False)

    @property
    def value(self) -> Any:
        return json.loads(self.text[self.start : self.end])

    @property
    def is_object(self) -> bool:
        return self.text[self.start] == "{"

    @property
    def is_list(self) -> bool:
        return self.text[self.start] == "["

    @property
    def slots(self) -> list[Slot]:
        """Members or items, in their order; none of a plain value."""
        if self._slots is None:
            self._slots = list(self._taken_apart()) if self.is_object or self.is_list else []
        return self._slots

    def _taken_apart(self) -> list[Slot]:
        slots: list[Slot] = []
        position = skip(self.text, self.start + 1)
        while position < self.end - 1:
            start, key = position, ""
            if self.is_object:
                match = _STRING.match(self.text, start)
                assert match is not None, "the text is valid"
                key = json.loads(match[0])
                position = skip(self.text, skip(self.text, match.end()) + 1)  # the colon
            node = Node(self.text, position, _end(self.text, position))
            slots.append(Slot(start, key, node))
            position = skip(self.text, node.end)
            if self.text[position] == ",":
                position = skip(self.text, position + 1)
        return slots

    def member(self, key: str) -> Slot | None:
        """Return the member with a key. Raises: `BadInput` when there are several."""
        found = [slot for slot in self.slots if slot.key == key]
        if len(found) > 1:
            raise BadInput(f'"{key}" occurs twice', hint="keep one of them")
        return found[0] if found else None


def _end(text: str, start: int) -> int:
    """Return where a value of a valid text ends."""
    if text[start] == '"' or text[start] not in "{[":
        match = (_STRING if text[start] == '"' else _SCALAR).match(text, start)
        assert match is not None, "the text is valid"
        return match.end()
    depth = 0
    for match in _BRACKET.finditer(text, start):
        if match[0] in "{[":
            depth += 1
        elif match[0] in "}]":
            depth -= 1
            if depth == 0:
                return match.end()
    raise AssertionError("the text is valid")


def parse(text: str) -> Node | None:
    """Return the root of a text; None when it holds nothing but space and comments.

    Raises: `BadInput` with line and column of what cannot be understood.
    """
    plain = _plain(text)
    if not plain.strip(" \t\r\n"):
        return None
    _checked(plain)
    start = skip(plain, 0)
    return Node(plain, start, _end(plain, start))


def loads(text: str) -> Any:
    """Return the value of a text (an empty object for an empty text); of twin keys the last."""
    plain = _plain(text)
    return _checked(plain) if plain.strip(" \t\r\n") else {}


def _plain(text: str) -> str:
    """Return the text with blanks for comments, then for commas before a closing bracket."""
    try:
        json.loads(text)  # most have neither, and megabytes are read in no time
        return text
    except (ValueError, RecursionError):
        pass
    return _COMMA.sub(_blank_after_value, _COMMENT.sub(_blank, text))


def _blank(match: re.Match[str]) -> str:
    found = match[0]
    if found[0] == '"':
        return found
    return " " * len(found) if "\n" not in found else re.sub(r"[^\r\n]", " ", found)


def _blank_after_value(match: re.Match[str]) -> str:
    """Leave a comma without anything before it, as in `{,}`, to be complained about."""
    before = match.start() - 1
    while before >= 0 and match.string[before] in " \t\r\n":
        before -= 1
    return match[0] if before < 0 or match.string[before] in "{[," else _blank(match)


def _checked(plain: str) -> Any:
    try:
        return json.loads(plain, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        what = error.msg[:1].lower() + error.msg[1:]
        raise BadInput(f"{place}: {what}", hint="correct it and run this again") from None
    except RecursionError:
        raise BadInput("nested too deep", hint="correct it and run this again") from None


def _no_constant(name: str) -> NoReturn:
    raise BadInput(f"{name} is no value of JSON", hint="correct it and run this again")


def skip(text: str, position: int) -> int:
    """Return the position after space and comments."""
    match = _TRIVIA.match(text, position)
    return match.end() if match else position


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
        if not node.is_object:
            what = f'what should hold "{key}" is no object'
            raise BadInput(what, hint="correct it and run this again")
        slot = node.member(key)
        node = slot.node if slot else None
    return node
