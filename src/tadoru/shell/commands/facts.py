"""What `stat` would say about an entry, where a catalogue has less than a disk.

A tree knows kind, size, time and the executable bit. Owner, link count, inode, blocks are given
values that are stable and look like those of an ordinary checkout owned by root: `ls -l`, `stat`,
`find -printf` and `du` then agree with each other, and with GNU on the same files.
"""

from __future__ import annotations

import math
import time
import zlib
from datetime import UTC, datetime

from tadoru.shell.bridge import mode_of
from tadoru.shell.space import SINKS, Space, link_text
from tadoru.types import Entry, Kind

OWNER = "root"
BLOCK_BYTES = 4096
"""What a file system gives out at least; `du` and `ls -s` count in it."""
INLINE_LINK_BYTES = 60
"""A link this short needs no block (ext4)."""
SIX_MONTHS = 31_556_952 // 2
"""Seconds after which `ls -l` shows the year in place of the time (GNU: half a Gregorian year)."""
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_TYPE_LETTER = {Kind.FILE: "-", Kind.DIRECTORY: "d", Kind.LINK: "l"}
_TYPE_BITS = {Kind.FILE: 0o100000, Kind.DIRECTORY: 0o040000, Kind.LINK: 0o120000}


def is_device(entry: Entry, space: Space) -> bool:
    return entry.path in SINKS and entry.path not in space.tree


def permissions(entry: Entry, space: Space) -> int:
    return 0o666 if is_device(entry, space) else mode_of(entry, space)


def mode_bits(entry: Entry, space: Space) -> int:
    """Return `st_mode`: type and permissions."""
    kind = 0o020000 if is_device(entry, space) else _TYPE_BITS[entry.kind]
    return kind | permissions(entry, space)


def mode_text(entry: Entry, space: Space) -> str:
    """Return the ten characters with which `ls -l` begins."""
    bits = permissions(entry, space)
    letters = "".join(c if bits >> (8 - i) & 1 else "-" for i, c in enumerate("rwxrwxrwx"))
    return ("c" if is_device(entry, space) else _TYPE_LETTER[entry.kind]) + letters


def size_of(entry: Entry) -> int:
    """Return `st_size`: a directory takes one block."""
    if entry.kind is Kind.DIRECTORY:
        return BLOCK_BYTES
    return len(link_text(entry).encode()) if entry.kind is Kind.LINK else entry.size


def blocks(entry: Entry) -> int:
    """Return `st_blocks`, in units of 512 bytes."""
    size = size_of(entry)
    if entry.kind is Kind.LINK and size < INLINE_LINK_BYTES:
        return 0
    return math.ceil(size / BLOCK_BYTES) * (BLOCK_BYTES // 512)


def link_count(entry: Entry, space: Space) -> int:
    if entry.kind is not Kind.DIRECTORY:
        return 1
    return 2 + sum(child.kind is Kind.DIRECTORY for child in space.entries(entry.path))


def inode(entry: Entry) -> int:
    """Return a number made of the path: the gaps in a store's own would count what is hidden."""
    return zlib.crc32(entry.path.encode("utf-8", "surrogatepass")) | 1 << 32


def human(size: int, *, unit: int = 1024) -> str:
    """Return a size as `-h` prints it: rounded up, one decimal below ten (`1.5K`, `12K`)."""
    if size < unit:
        return str(size)
    letters = "KMGTPE" if unit == 1024 else "kMGTPE"
    value = float(size)
    for letter in letters:
        value /= unit
        shown = math.ceil(value * 10) / 10 if value < 9.95 else math.ceil(value)
        if shown < unit:
            return f"{shown:.1f}{letter}" if shown < 10 else f"{math.ceil(value)}{letter}"
    return f"{math.ceil(value)}{letters[-1]}"


def moment(ns: int) -> datetime:
    """Return a time as the shell shows it: in UTC, wherever the server stands."""
    return datetime.fromtimestamp(ns // 1_000_000_000, UTC)


def short_date(ns: int, now: float | None = None) -> str:
    """Return the date as `ls -l` prints it in the C locale."""
    when = moment(ns)
    age = (time.time() if now is None else now) - ns / 1e9
    day = f"{_MONTHS[when.month - 1]} {when.day:2d}"
    if 0 <= age < SIX_MONTHS:
        return f"{day} {when:%H:%M}"
    return f"{day}  {when.year}"


def full_date(ns: int) -> str:
    """Return the date as `stat` and `ls --full-time` print it."""
    return f"{moment(ns):%Y-%m-%d %H:%M:%S}.{ns % 1_000_000_000:09d} +0000"


def quoted(name: str) -> str:
    """Return a name as GNU quotes it in messages: `'it'\\''s'`, control characters as `$'\\n'`."""
    if "'" in name and '"' not in name and not any(c in name for c in "$`\\!"):
        return f'"{name}"'
    inner = name.replace("'", "'\\''")
    escaped = "".join(f"'$'\\{_ESCAPES[c]}''" if c in _ESCAPES else c for c in inner)
    return f"'{escaped}'"


_ESCAPES = {"\n": "n", "\t": "t", "\r": "r", "\a": "a", "\b": "b", "\f": "f", "\v": "v"}
