"""Connections for readers: many threads, one snapshot each, none of them ever blocked by a writer.

Notices when the database was replaced (a rebuild by another process) and opens the new one. Gives
out read-only connections alone; the writer opens its own.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tadoru.errors import NotIndexed, TadoruError
from tadoru.stores.sqlite.faults import of_sqlite, of_system
from tadoru.stores.sqlite.schema import DATABASE, verify

BUSY_MS = 5_000
"""How long SQLite itself waits: only recovery and checkpoints can hold up a reader in WAL mode."""
KEPT = 16
"""Idle connections kept; more threads than that are served, and their connections closed after."""

Ident = tuple[int, int, int]


class _Connection(sqlite3.Connection):
    """A connection that remembers which file it was opened on."""

    ident: Ident | None = None


class Pool:
    """Read-only connections to the database of one directory."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / DATABASE
        self._lock = threading.Lock()
        self._idle: list[_Connection] = []
        self._ident: Ident | None = None
        self._closed = False

    @property
    def database_id(self) -> str:
        """The id of the database as it lies on disk now."""
        with self.read() as connection:
            return verify(connection, self.path)

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Give a connection inside one read transaction: all statements see the same state."""
        try:
            connection = self._take()
        except sqlite3.Error as error:
            raise of_sqlite(error, self.path) from error
        healthy = False
        try:
            connection.execute("BEGIN")
            yield connection
            connection.execute("COMMIT")
            healthy = True
        except sqlite3.Error as error:
            if connection.ident != self._check_ident():  # the old file with the log of the new one
                raise NotIndexed(
                    f"the index {self.path} was made anew while it was read", hint="ask again"
                ) from error
            raise of_sqlite(error, self.path) from error
        except TadoruError:
            connection.execute("ROLLBACK")
            healthy = True
            raise
        finally:
            self._give_back(connection, healthy)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            for connection in self._idle:
                connection.close()
            self._idle.clear()

    def _check_ident(self) -> Ident:
        try:
            stat = self.path.stat()
        except FileNotFoundError:
            raise NotIndexed(
                f"there is no index at {self.path}", hint="make one with `tadoru index`"
            ) from None
        except OSError as error:
            raise of_system(error, self.path) from error
        ident = (stat.st_dev, stat.st_ino, os.getpid())
        if ident != self._ident:
            with self._lock:
                # After a fork the parent's connections must not even be closed here.
                if self._ident is not None and self._ident[2] == ident[2]:
                    for connection in self._idle:
                        connection.close()
                self._idle = []
                self._ident = ident
        return ident

    def _take(self) -> _Connection:
        """Return a connection to the database that lies there now.

        One that was opened just while the database was replaced may have the file of the one and
        the log of the other: it counts only if the file was still in its place afterwards.
        """
        while True:
            ident = self._check_ident()
            with self._lock:
                if self._closed:
                    raise NotIndexed(f"the index {self.path} was closed", hint="open it again")
                if self._idle:
                    return self._idle.pop()
            connection: _Connection | None = None
            try:
                connection = connect(self.path)
                verify(connection, self.path)
                if self._check_ident() == ident:
                    connection.ident = ident
                    return connection
            except (sqlite3.Error, TadoruError):
                if self._check_ident() == ident:
                    raise
            finally:
                if connection is not None and connection.ident is None:
                    connection.close()

    def _give_back(self, connection: _Connection, healthy: bool) -> None:
        with self._lock:
            current = connection.ident == self._ident
            if healthy and current and not self._closed and len(self._idle) < KEPT:
                self._idle.append(connection)
                return
        with suppress(sqlite3.Error):
            connection.close()


def connect(path: Path, *, writable: bool = False) -> _Connection:
    """Open a database in autocommit mode, usable from any one thread at a time."""
    uri = f"file:{_quoted(path)}?mode=rw"
    if not writable and not os.access(path.parent, os.W_OK):
        # WAL needs a file for shared memory beside the database: none can be made here.
        uri = f"file:{_quoted(path)}?mode=ro"
        if not Path(f"{path}-wal").exists():
            uri += "&immutable=1"
    connection = sqlite3.connect(
        uri, uri=True, isolation_level=None, check_same_thread=False, factory=_Connection
    )
    try:
        connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
        connection.execute("PRAGMA temp_store = MEMORY")
        if writable:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA cache_size = -32768")
            connection.execute("PRAGMA journal_size_limit = 16777216")
        else:
            connection.execute("PRAGMA query_only = 1")
    except BaseException:
        connection.close()
        raise
    return connection


def _quoted(path: Path) -> str:
    from urllib.parse import quote

    return quote(os.fsencode(path.absolute()))
