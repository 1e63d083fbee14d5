"""All rows of one state of the database, read once and shared by everything that scans names."""

from __future__ import annotations

import sqlite3
import threading
from typing import TYPE_CHECKING

from tadoru.stores.sqlite.access import admitted
from tadoru.stores.sqlite.pool import Pool
from tadoru.types import Access, Entry, Kind, Role

if TYPE_CHECKING:
    from tadoru.stores.sqlite.coverage import FileTable

COUNTED = 64
"""Sets of labels whose files are counted; more askers differ by labels in one process seldom."""
_ENTRY = "path, kind, size, mtime_ns, access_id, id, language, role, indexed, target, executable"


class Catalogue:
    """Entries of the newest state that was asked for, in order of paths."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._lock = threading.Lock()
        self._stamp = 0
        self._entries: list[Entry] = []
        self._table: tuple[int, FileTable] | None = None
        self._counts: dict[Access, tuple[int, int, int]] = {}

    def entries(self) -> list[Entry]:
        """Return all entries, unfiltered, ordered by path: the caller applies access."""
        with self._pool.read() as connection:
            return self.entries_in(connection)

    def entries_in(self, connection: sqlite3.Connection) -> list[Entry]:
        """Return the entries of the state that `connection` sees."""
        stamp = stamp_of(connection)
        with self._lock:
            if stamp != self._stamp:
                self._entries = [
                    _entry(row)
                    for row in connection.execute(f"SELECT {_ENTRY} FROM files ORDER BY path")
                ]
                self._stamp = stamp
            return self._entries

    def table_in(self, connection: sqlite3.Connection) -> FileTable:
        """Return ids and labels of the same entries, in the same order, as arrays."""
        from tadoru.stores.sqlite.coverage import file_table

        stamp = stamp_of(connection)
        with self._lock:
            if self._table is None or self._table[0] != stamp:
                self._table = (stamp, file_table(connection))
            return self._table[1]

    def counts_in(
        self, connection: sqlite3.Connection, stamp: int, access: Access
    ) -> tuple[int, int]:
        """Return how many files are visible, and how many of them wait for their content.

        Every answer carries them, so they are counted once for each state of the files. `stamp`:
        of the state that `connection` sees.
        """
        with self._lock:
            known = self._counts.get(access, (0, 0, 0))
        if known[0] != stamp:
            counts = connection.execute(
                "SELECT count(*), ifnull(sum(NOT indexed OR dirty), 0) FROM files"
                f" WHERE access_id {admitted(access)}"
            ).fetchone()
            known = (stamp, *counts)
            with self._lock:
                if len(self._counts) >= COUNTED:
                    self._counts.clear()
                self._counts[access] = known
        return known[1:]


def stamp_of(connection: sqlite3.Connection) -> int:
    """Return the random number of the last change of content or labels."""
    return int(connection.execute("SELECT value FROM meta WHERE key = 'stamp'").fetchone()[0])


_KINDS = {kind.value: kind for kind in Kind}
_ROLES = {role.value: role for role in Role}


def _entry(row: tuple[str, str, int, int, int, int, str, str, int, str, int]) -> Entry:
    path, kind, size, mtime, access, number, language, role, indexed, target, executable = row
    return Entry(
        path, _KINDS[kind], size, mtime, access, number, language, _ROLES[role], indexed == 1,
        target, executable == 1,
    )  # fmt: skip
