"""Rows of the table of files, as the walk and the records give them and as they are compared."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import NamedTuple

from tadoru.stores.sqlite.records import FileStat
from tadoru.text.terms import term_hash

_LARGEST = (1 << 63) - 1
_INODE = (1 << 64) - 1


class Known(NamedTuple):
    """What the store knows about a name, to tell whether the source has changed.

    A named tuple, because 50,000 of them are made at every look at the source.
    """

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    digest: bytes
    indexed: bool
    """True when what is stored was read from exactly this state of the file."""
    kind: str


@dataclass(frozen=True, slots=True)
class Delta:
    """How a walk differs from what is known, in the order of the walk."""

    new: tuple[str, ...]
    changed: tuple[str, ...]
    """Known, but read before a change, or never: to be read again."""
    gone: tuple[str, ...]
    """Known, but not found by the walk; nothing is done about them here."""
    same: int


STATS = (
    "kind = ?, size = ?, mtime_ns = ?, ctime_ns = ?, inode = ?, executable = ?, target = ?, raw = ?"
)
INSERT = (
    "INSERT INTO files (kind, size, mtime_ns, ctime_ns, inode, executable, target, raw, path,"
    " access_id, indexed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
INSERT_OR_IGNORE = INSERT.replace("INSERT", "INSERT OR IGNORE")


DETAILS = ("texts", "symbols", "imports", "pending", "vectors")


def drop_content(connection: sqlite3.Connection, paths: list[tuple[str]]) -> None:
    for table in DETAILS:
        connection.executemany(
            f"DELETE FROM {table} WHERE file_id = (SELECT id FROM files WHERE path = ?)", paths
        )


def known(connection: sqlite3.Connection) -> dict[str, Known]:
    """Read what is known of all names."""
    return {
        path: Known(size, mtime, ctime, inode & _INODE, digest, indexed == 1, kind)
        for path, size, mtime, ctime, inode, digest, indexed, kind in connection.execute(
            "SELECT path, size, mtime_ns, ctime_ns, inode, digest, indexed AND NOT dirty, kind"
            " FROM files"
        )
    }


def stat_values(stat: FileStat) -> tuple[object, ...]:
    return (
        stat.kind.value, stat.size, _fitted(stat.mtime_ns), _fitted(stat.ctime_ns),
        stat.inode - (_INODE + 1) if stat.inode > _LARGEST else stat.inode,
        int(stat.executable), stat.target, stat.raw,
    )  # fmt: skip


def is_same(row: Known, stat: FileStat) -> bool:
    return (
        row.size == stat.size
        and row.mtime_ns == _fitted(stat.mtime_ns)
        and row.ctime_ns == _fitted(stat.ctime_ns)
        and row.inode == stat.inode
        and row.kind == stat.kind.value
    )


def _fitted(nanoseconds: int) -> int:
    """Keep times that SQLite's integers can hold: a file may claim to be from the year 2400."""
    return min(max(nanoseconds, -_LARGEST), _LARGEST)


def name_key(name: str) -> int:
    """Return the number under which a name is found: half the space of names and their index.

    64 bits of BLAKE2b, as terms have: among 10 million names a collision has a chance of 3e-6.
    """
    key = term_hash(name)
    return key if key <= _LARGEST else key - (_INODE + 1)


def name_keys(name: str) -> tuple[int, int | None]:
    """Return the key of a name without regard to case, and that of the name where it differs."""
    folded = name.casefold()
    return name_key(folded), None if folded == name else name_key(name)


def meta(connection: sqlite3.Connection, key: str) -> object:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return row[0] if row else None
