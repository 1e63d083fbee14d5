"""The tables, and how a database comes into being and is recognised.

A database appears under its name complete or not at all. One that is not ours, damaged, or of a
later version is refused with its own error; one of an earlier version counts as none, and is made
anew. Nothing is ever repaired in silence.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

from tadoru.errors import CorruptStore, NewerStore, NotIndexed
from tadoru.stores.sqlite.faults import REBUILD, translated

DATABASE = "index.db"
APPLICATION_ID = 0x7461646F
"""`tado` in ASCII; `file` and `PRAGMA application_id` show it."""
SCHEMA_VERSION = 3
PAGE_BYTES = 1024
"""Texts fill whole pages, half of the last on average; with pages of 4,096 bytes, the index of a
small repository was larger by a quarter of its text, and one of 36 MB took as long to make."""
_NEW = ".new"
LEAVING_SECONDS = 5.0
"""How long the last reader of a database may take to leave it."""

TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE access (
    id INTEGER PRIMARY KEY,
    public INTEGER NOT NULL,
    groups TEXT NOT NULL,
    UNIQUE (public, groups)
);
CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    access_id INTEGER NOT NULL,
    rev INTEGER NOT NULL DEFAULT 0,
    stored INTEGER NOT NULL DEFAULT 0,
    indexed INTEGER NOT NULL DEFAULT 0,
    dirty INTEGER NOT NULL DEFAULT 0,
    kind TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    ctime_ns INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    executable INTEGER NOT NULL DEFAULT 0,
    mark INTEGER NOT NULL DEFAULT 0,
    encoding TEXT NOT NULL DEFAULT '',
    language TEXT NOT NULL DEFAULT '',
    role TEXT NOT NULL DEFAULT 'source',
    target TEXT NOT NULL DEFAULT '',
    note TEXT NOT NULL DEFAULT '',
    raw BLOB NOT NULL DEFAULT x'',
    digest BLOB NOT NULL DEFAULT x''
);
CREATE TABLE texts (
    file_id INTEGER PRIMARY KEY, content INTEGER NOT NULL, chunks INTEGER NOT NULL, data BLOB
);
CREATE TABLE symbols (
    file_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    folded INTEGER NOT NULL,
    exact INTEGER,
    PRIMARY KEY (file_id, position)
) WITHOUT ROWID;
CREATE INDEX symbols_by_name ON symbols (folded);
CREATE TABLE imports (
    file_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    line INTEGER NOT NULL,
    module TEXT NOT NULL,
    target TEXT NOT NULL,
    names TEXT NOT NULL,
    PRIMARY KEY (file_id, position)
) WITHOUT ROWID;
CREATE INDEX imports_by_target ON imports (target) WHERE target <> '';
CREATE TABLE pending (file_id INTEGER PRIMARY KEY, rev INTEGER NOT NULL, terms BLOB, trigrams BLOB);
CREATE TABLE models (
    id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE, dimension INTEGER NOT NULL
);
CREATE TABLE vectors (
    model INTEGER NOT NULL,
    file_id INTEGER NOT NULL,
    rev INTEGER NOT NULL,
    signs BLOB NOT NULL,
    codes BLOB NOT NULL
);
CREATE UNIQUE INDEX vectors_of_files ON vectors (file_id, model, rev);
CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO access (id, public, groups) VALUES (0, 0, '[]'), (1, 1, '[]');
"""
"""`files.rev` is random, new with every change of a file's content, and 0 before the first: what
lies beside the database is compared by it, so that a commit lost to a power cut cannot be taken for
the one that replaced it. `dirty` marks a file whose source has changed since. `pending` holds what
the segments do not cover yet."""


def new_stamp() -> int:
    """Return a random positive 62-bit number, never 0."""
    return secrets.randbits(62) | 1


def create(directory: Path, root: Path) -> None:
    """Make an empty database; on failure nothing is left behind. The caller holds the lock."""
    made = directory / f"{DATABASE}.{os.getpid()}{_NEW}"
    discard(directory)
    for leftover in directory.glob(f"{DATABASE}.*{_NEW}*"):
        leftover.unlink(missing_ok=True)
    try:
        with translated(directory / DATABASE):
            os.close(os.open(made, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            with closing(sqlite3.connect(made, isolation_level=None)) as connection:
                _fill(connection, root)
            _sync(made)
            made.rename(directory / DATABASE)
    finally:
        for leftover in directory.glob(made.name + "*"):
            leftover.unlink(missing_ok=True)


def discard(directory: Path) -> None:
    """Delete a database, and a log that one left behind. The caller holds the lock.

    The log goes last: without it, what is still there could be taken for the whole. One that is
    left is deleted before the next database gets its name, which would take it for its own.

    The last reader to leave a database deletes its log, by name, after it has looked whether the
    database is still in its place. It can do so only while nobody else has the database open: so
    this is open until all is deleted, or that reader could delete the log of the next database.
    """
    path = directory / DATABASE
    with _opened(path):
        for suffix in ("", "-shm", "-wal"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)


@contextmanager
def _opened(path: Path) -> Iterator[None]:
    """Keep SQLite's shared lock on a database; one that SQLite cannot read has no readers."""
    with ExitStack() as kept:
        with suppress(sqlite3.DatabaseError):
            if path.exists():
                connection = sqlite3.connect(path, timeout=LEAVING_SECONDS, isolation_level=None)
                kept.callback(connection.close)
                connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        yield


def _fill(connection: sqlite3.Connection, root: Path) -> None:
    connection.execute("PRAGMA synchronous = OFF")  # synced once, before it gets its name
    connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")  # these two first, or without effect
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.executescript(f"BEGIN; {TABLES} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")
    connection.executemany(
        "INSERT INTO meta VALUES (?, ?)",
        [
            ("id", uuid.uuid4().hex),
            ("generation", 0),
            ("stamp", new_stamp()),
            ("root", os.fsencode(root)),
            ("status", "fresh"),
            ("detail", ""),
            ("labelled", 0),
            ("last_scan_ns", 0),
        ],
    )


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def verify(connection: sqlite3.Connection, path: Path) -> str:
    """Return the id of the database; raise `CorruptStore` or `NewerStore` when it is not ours."""
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise CorruptStore(f"{path} is not an index of tadoru", hint=REBUILD)
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > SCHEMA_VERSION:
        raise NewerStore(
            f"the index {path} has schema {version}, this tadoru knows {SCHEMA_VERSION}",
            hint=f"upgrade tadoru, or {REBUILD}",
        )
    if 0 < version < SCHEMA_VERSION:
        raise NotIndexed(
            f"the index {path} is of an earlier version of tadoru",
            hint="run `tadoru index`, which makes it anew",
        )
    if version != SCHEMA_VERSION:
        raise CorruptStore(f"the index {path} has the unknown schema {version}", hint=REBUILD)
    row = connection.execute("SELECT value FROM meta WHERE key = 'id'").fetchone()
    if row is None:
        raise CorruptStore(f"the index {path} has no identity", hint=REBUILD)
    return str(row[0])
