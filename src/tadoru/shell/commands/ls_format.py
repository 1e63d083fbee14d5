"""How `ls` looks: long lines, columns, marks, quoting."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tadoru.shell.commands import facts
from tadoru.shell.space import Space, link_text
from tadoru.types import Entry, Kind

Row = tuple[str, Entry]


RESET = "\x1b[0m"
COLOURS: dict[object, str] = {Kind.DIRECTORY: "01;34", Kind.LINK: "01;36", "run": "01;32"}
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(slots=True)
class Look:
    """The options that change only the look."""

    layout: str = "one"
    """one, long, columns, across, commas."""
    unit: int = 0
    """Base of human sizes; 0 for bytes."""
    owner: bool = True
    group: bool = True
    numeric: bool = False
    marks: str = ""
    """Which of `*`, `/`, `@` are put behind names."""
    inode: bool = False
    blocks: bool = False
    quoting: str = ""
    time_style: str = ""
    width: int = 80
    coloured: bool = False


def lines(
    rows: Sequence[Row], look: Look, space: Space, *, total: bool, also: Sequence[Row] = ()
) -> str:
    """Return the text for one group of names; `total`: they are the content of a directory.

    `also`: rows that are not shown here, but that the columns must be wide enough for.
    """
    names = [_name(name, entry, look, space) for name, entry in rows]
    head = ""
    if total and (look.layout == "long" or look.blocks):
        head = f"total {_blocks(sum(facts.blocks(e) for _, e in rows), look)}\n"
    if not rows:
        return head
    if look.layout == "long":
        return head + _long(rows, names, look, space, also)
    names = _prefixed(rows, names, look)
    if look.layout == "columns":
        return head + _columns(names, look.width)
    if look.layout == "across":
        return head + _columns(names, look.width, across=True)
    if look.layout == "commas":
        return head + _commas(names, look.width)
    return head + "".join(f"{name}\n" for name in names)


def _blocks(count: int, look: Look) -> str:
    return facts.human(count * 512, unit=look.unit) if look.unit else str((count + 1) // 2)


def _name(name: str, entry: Entry, look: Look, space: Space) -> str:
    if look.quoting == "c":
        name = '"' + name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    elif look.quoting == "escape":
        name = name.replace("\\", "\\\\").replace(" ", "\\ ").replace("\n", "\\n")
    shown = _painted(name, entry, look)
    if look.layout == "long" and entry.kind is Kind.LINK:
        target = space.find(entry.path)
        mark = _mark(target, look) if target is not None else ""
        return f"{shown} -> {link_text(entry)}{mark}"
    return shown + _mark(entry, look)


def _painted(name: str, entry: Entry, look: Look) -> str:
    """Return a name in the colour that GNU's `ls` has for its kind when nothing is configured."""
    kind = "run" if entry.kind is Kind.FILE and entry.executable else entry.kind
    if not look.coloured or kind not in COLOURS:
        return name
    return f"\x1b[{COLOURS[kind]}m{name}{RESET}"


def _mark(entry: Entry, look: Look) -> str:
    if entry.kind is Kind.DIRECTORY:
        mark = "/"
    elif entry.kind is Kind.LINK:
        mark = "@"
    else:
        mark = "*" if entry.executable else ""
    return mark if mark and mark in look.marks else ""


def _prefixed(rows: Sequence[Row], names: list[str], look: Look) -> list[str]:
    """Put inode and blocks before the names, right-aligned."""
    columns: list[list[str]] = []
    if look.inode:
        columns.append([str(facts.inode(entry)) for _, entry in rows])
    if look.blocks:
        columns.append([_blocks(facts.blocks(entry), look) for _, entry in rows])
    for column in reversed(columns):
        width = max(map(len, column))
        names = [f"{cell:>{width}} {name}" for cell, name in zip(column, names, strict=True)]
    return names


def _long(
    rows: Sequence[Row], names: list[str], look: Look, space: Space, also: Sequence[Row]
) -> str:
    owner = "0" if look.numeric else facts.OWNER
    who = " ".join([owner] * (look.owner + look.group))
    sizes = [_size(entry, look, space) for _, entry in rows]
    counts = [str(facts.link_count(entry, space)) for _, entry in rows]
    size_width = max(map(len, (*sizes, *(_size(entry, look, space) for _, entry in also))))
    count_width = max(map(len, (*counts, *(str(facts.link_count(e, space)) for _, e in also))))
    date = _dates(look)
    made = [
        f"{facts.mode_text(entry, space)} {count:>{count_width}} "
        f"{who}{' ' if who else ''}{size:>{size_width}} {date(entry.mtime_ns)} {name}"
        for (_, entry), name, size, count in zip(rows, names, sizes, counts, strict=True)
    ]
    return "".join(f"{line}\n" for line in _prefixed(rows, made, look))


def _size(entry: Entry, look: Look, space: Space) -> str:
    if facts.is_device(entry, space):
        return "1, 3"
    size = facts.size_of(entry)
    return facts.human(size, unit=look.unit) if look.unit else str(size)


def _dates(look: Look) -> Callable[[int], str]:
    style = look.time_style
    if style.startswith("+"):
        return lambda ns: facts.moment(ns).strftime(style[1:])
    if style == "full-iso":
        return facts.full_date
    if style == "long-iso":
        return lambda ns: facts.moment(ns).strftime("%Y-%m-%d %H:%M")
    if style == "iso":
        return lambda ns: facts.moment(ns).strftime("%Y-%m-%d ")
    return facts.short_date


def display_width(text: str) -> int:
    """Return how many terminal columns a text takes, colours left out."""
    if "\x1b" in text:
        text = _COLOUR.sub("", text)
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def _columns(names: Sequence[str], width: int, *, across: bool = False) -> str:
    """Lay names out in as many columns as fit (GNU: two spaces between, columns filled first)."""
    widths = [display_width(name) for name in names]
    for count in range(min(len(names), max(1, width // 3)), 0, -1):
        rows = -(-len(names) // count)
        used = -(-len(names) // rows)
        place = [(i % count if across else i // rows) for i in range(len(names))]
        sizes = [
            max((w for w, p in zip(widths, place, strict=True) if p == c), default=0)
            for c in range(count)
        ]
        if count == 1 or ((used == count or across) and sum(sizes) + 2 * (count - 1) < width):
            return _grid(names, widths, sizes, rows, count, across)
    return ""


def _grid(
    names: Sequence[str],
    widths: Sequence[int],
    sizes: Sequence[int],
    rows: int,
    count: int,
    across: bool,
) -> str:
    text: list[str] = []
    for row in range(rows):
        cells = range(row * count, min(len(names), (row + 1) * count))
        if not across:
            cells = range(row, len(names), rows)
        position = start = 0
        line = ""
        for column, index in enumerate(cells):
            line += _gap(position, start) + names[index]
            position = start + widths[index]
            start += sizes[column] + 2
        text.append(line + "\n")
    return "".join(text)


def _gap(start: int, end: int) -> str:
    """Fill with tabs where they save something, as GNU does (stops every 8 columns)."""
    text = ""
    while start < end:
        if end // 8 > (start + 1) // 8:
            text += "\t"
            start += 8 - start % 8
        else:
            text += " "
            start += 1
    return text


def _commas(names: Sequence[str], width: int) -> str:
    text, position = "", 0
    for index, name in enumerate(names):
        size = display_width(name)
        if index:
            if position + 2 + size < width:
                text, position = text + ", ", position + 2
            else:
                text, position = text + ",\n", 0
        text, position = text + name, position + size
    return text + "\n"
