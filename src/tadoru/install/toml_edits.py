"""Small edits of TOML text that keep everything else: comments, order, line ends.

Knows statements (headers and pairs) with their spans; what a value means is left to `tomllib`,
which reads every text before and after an edit. Refuses an edit that would say anything else than
what was asked for, as within an inline table.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tadoru.errors import BadInput
from tadoru.install.files import line_end

Path = tuple[str, ...]
_KEY = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
_DOTTED = rf"[ \t]*({_KEY}(?:[ \t]*\.[ \t]*{_KEY})*)[ \t]*"
_HEADER = re.compile(rf"[ \t]*(\[\[?){_DOTTED}\]\]?")
_PAIR = re.compile(rf"{_DOTTED}=[ \t]*")
_PIECE = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\''
    r"|#[^\n]*|[\[{]|[\]}]|\r?\n|[^\"'#\[\]{}\r\n]+|\r",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A header or a pair: its whole path, its lines, and for a pair the span of its value."""

    path: Path
    start: int
    end: int
    header: bool
    value_start: int = 0
    value_end: int = 0


def loads(text: str) -> dict[str, Any]:
    """Return the value of a text. Raises: `BadInput` with the place of what is broken."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        hint = "correct it and run this again"
        raise BadInput(str(error) or "nested too deep", hint=hint) from None


def statements(text: str) -> Iterator[Statement]:
    """Yield headers and pairs in their order; the text is valid."""
    table: Path = ()
    position = 0
    while position < len(text):
        header = _HEADER.match(text, position)
        pair = None if header else _PAIR.match(text, position)
        if header:
            table = _names(header[2])
            end = _line_after(text, header.end())
            yield Statement(table, position, end, True)
        elif pair:
            value_end = _value_end(text, pair.end())
            end = _line_after(text, value_end)
            path = (*table, *_names(pair[1]))
            yield Statement(path, position, end, False, pair.end(), value_end)
        else:
            end = _line_after(text, position)
        position = end


def _names(dotted: str) -> Path:
    names: list[str] = []
    inner: Any = tomllib.loads(f"{dotted} = 0")
    while isinstance(inner, dict):
        name, inner = next(iter(inner.items()))
        names.append(name)
    return tuple(names)


def _line_after(text: str, position: int) -> int:
    newline = text.find("\n", position)
    return len(text) if newline < 0 else newline + 1


def _value_end(text: str, position: int) -> int:
    depth = 0
    end = position
    while position < len(text):
        match = _PIECE.match(text, position)
        if match is None:  # a quote that nobody closes: the text is not valid
            break
        piece = match[0]
        if depth == 0 and (piece.endswith("\n") or piece[0] == "#"):
            break
        depth += (piece in ("[", "{")) - (piece in ("]", "}"))
        position = match.end()
        if piece.strip():
            end = match.start() + len(piece.rstrip())
    return end


def literal(value: Any) -> str:
    """Return a plain value (no table) as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)


def _written(name: str) -> str:
    """Return a name as a key of TOML: in quotes when it needs them, dotted ones as they are."""
    return name if re.fullmatch(r"[A-Za-z0-9_.-]+", name) else literal(name)


def put(text: str, path: Path, value: Any) -> str:
    """Return the text with a plain value at a path, under the header of its table.

    Raises: `BadInput` when the text is broken, or the value cannot be put there by such an edit.
    """
    wanted = _with(loads(text), path, value)
    for attempt in (_replaced, _under_header, _new_table, _dotted):
        edited = attempt(text, path, literal(value))
        if edited is not None and _means(edited, wanted):
            return edited
    raise BadInput(f"`{'.'.join(path)}` cannot be set here", hint="set it by hand")


def _with(table: dict[str, Any], path: Path, value: Any) -> dict[str, Any]:
    inner = table.get(path[0], {})
    if len(path) == 1:
        return {**table, path[0]: value}
    if not isinstance(inner, dict):
        raise BadInput(f"`{path[0]}` is no table", hint="correct it and run this again")
    return {**table, path[0]: _with(inner, path[1:], value)}


def _means(text: str, wanted: dict[str, Any]) -> bool:
    try:
        return tomllib.loads(text) == wanted
    except tomllib.TOMLDecodeError:
        return False


def _replaced(text: str, path: Path, new: str) -> str | None:
    for statement in statements(text):
        if not statement.header and statement.path == path:
            return text[: statement.value_start] + new + text[statement.value_end :]
    return None


def _under_header(text: str, path: Path, new: str) -> str | None:
    """After the last pair under the header of the table; for the root, before any header."""
    place = 0 if len(path) == 1 else None
    open_ = place is not None
    for statement in statements(text):
        if statement.header:
            open_ = statement.path == path[:-1]
        if open_:
            place = statement.end
    if place is None:
        return None
    if place == 0:
        place = _below_opening_comment(text)
    return _inserted(text, place, f"{_written(path[-1])} = {new}")


def _below_opening_comment(text: str) -> int:
    """Return where the first pair of a file without any goes: below a comment that opens it."""
    position = 0
    while text[position:].lstrip(" \t").startswith("#"):
        position = _line_after(text, position)
    rest = text[position:].lstrip(" \t")
    return position if not rest or rest.startswith(("\n", "\r\n")) else 0


def _dotted(text: str, path: Path, new: str) -> str | None:
    return _under_header(text, (".".join(path),), new) if len(path) > 1 else None


def _new_table(text: str, path: Path, new: str) -> str:
    return added_table(text, path[:-1], {path[-1]: new})


def put_table(text: str, path: Path, pairs: dict[str, Any]) -> str:
    """Return the text with a new table of plain values at its end.

    Raises: `BadInput` when the text is broken, or has no place for it, as in an inline table.
    """
    wanted = _with(loads(text), path, pairs)
    edited = added_table(text, path, {name: literal(value) for name, value in pairs.items()})
    if not _means(edited, wanted):
        raise BadInput(f"[{'.'.join(path)}] cannot be added here", hint="add it by hand")
    return edited


def added_table(text: str, path: Path, pairs: dict[str, str]) -> str:
    """Return the text with a table at its end; `pairs` are names and literals."""
    newline = line_end(text)
    lines = (f"{_written(name)} = {value}" for name, value in pairs.items())
    block = newline.join([f"[{'.'.join(path)}]", *lines])
    if not text:
        return block + newline
    return f"{text}{newline}{block}{newline}" if text.endswith("\n") else (
        f"{text}{newline}{newline}{block}"
    )  # fmt: skip


def _inserted(text: str, place: int, line: str) -> str:
    newline = line_end(text)
    if place and text[place - 1] != "\n":
        return text[:place] + newline + line + text[place:]
    return text[:place] + line + newline + text[place:]


def remove_table(text: str, path: Path) -> str:
    """Return the text without a table, what is below it, and the blank line before it.

    Raises: `BadInput` when the text is broken, or the table cannot be cut out of it.
    """
    before = loads(text)
    wanted = _without(before, path)
    if wanted == before:
        return text
    while (block := _block(text, path)) is not None:
        text = _cut(text, *block)
    if not _means(text, wanted) and not _means(text, _pruned(wanted, path[:-1])):
        raise BadInput(f"`{'.'.join(path)}` cannot be removed here", hint="remove it by hand")
    return text


def _block(text: str, path: Path) -> tuple[int, int] | None:
    """Return the span of the first statements in a row that belong to a table."""
    start = end = -1
    for statement in statements(text):
        if statement.path[: len(path)] == path:
            start = statement.start if start < 0 else start
            end = statement.end
        elif start >= 0:
            break
    return (start, end) if start >= 0 else None


def _cut(text: str, start: int, end: int) -> str:
    """Take out lines together with what `added_table` puts before them."""
    newline = line_end(text)
    at_end = end == len(text) and not text.endswith("\n")
    for _ in range(2 if at_end else 1):
        before = text[:start]
        if before.endswith(newline) and (at_end or before[: -len(newline)].endswith("\n")):
            start -= len(newline)
    return text[:start] + text[end:]


def _without(table: dict[str, Any], path: Path) -> dict[str, Any]:
    inner = table.get(path[0])
    if inner is None:
        return table
    if len(path) == 1:
        return {key: value for key, value in table.items() if key != path[0]}
    return {**table, path[0]: _without(inner, path[1:])} if isinstance(inner, dict) else table


def _pruned(table: dict[str, Any], path: Path) -> dict[str, Any]:
    """Return the value without the tables above that are empty now, for nothing declares them."""
    if not path:
        return table
    inner = _pruned(table[path[0]], path[1:])
    return {k: (inner if k == path[0] else v) for k, v in table.items() if k != path[0] or inner}
