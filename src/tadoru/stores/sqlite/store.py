"""`SqliteStore`: one indexed catalogue of one local directory, in one database.

Opens, reads and hands out the writer. What is read is read from one state of the database; nothing
is answered for an empty access set. The parts live in their own modules; this one joins them.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tadoru.errors import CorruptStore, NewerStore, NotIndexed, StoreError
from tadoru.stores.base import Admit, ChunkRef, LiteralIndex, Postings
from tadoru.stores.sqlite import structure
from tadoru.stores.sqlite.access import Labels, admitted, all_rows
from tadoru.stores.sqlite.catalogue import Catalogue
from tadoru.stores.sqlite.codec import Blob, chunks_of
from tadoru.stores.sqlite.content import Content, is_sayable
from tadoru.stores.sqlite.faults import translated
from tadoru.stores.sqlite.finding import Finding
from tadoru.stores.sqlite.lock import LOCK, writer_lock
from tadoru.stores.sqlite.making import make
from tadoru.stores.sqlite.pool import Pool, connect
from tadoru.stores.sqlite.rows import Known, known, meta
from tadoru.stores.sqlite.schema import DATABASE, discard, verify
from tadoru.stores.sqlite.seen import MakeResolver, SeenCache, SeenImports
from tadoru.stores.sqlite.unpacked import Unpacked
from tadoru.stores.sqlite.writer import Writer
from tadoru.types import (
    Access,
    AccessRow,
    Chunk,
    Entry,
    Freshness,
    Import,
    IndexState,
    Symbol,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from tadoru.stores.sqlite.vectors import SqliteVectors

WRITER_SECONDS = 10.0


class SqliteStore:
    """A `Store`. Make it with `open`; safe to use from many threads."""

    ignored_rule: Callable[[str], str] | None
    """Says which rule keeps a path out of the tree; set by who knows the rules."""
    make_resolver: MakeResolver | None
    """Works out what imports mean among some of the files; set by who knows the languages."""

    def __init__(self, directory: Path, root: Path) -> None:
        self.directory = directory
        self._root = root
        self._pool = Pool(directory)
        self._content = Content(self._pool, os.fsencode(root))
        self._catalogue = Catalogue(self._pool)
        self._finding = Finding(directory, self._pool, self._catalogue)
        self._symbols: Unpacked[Symbol] = Unpacked()
        self._chunks: Unpacked[Chunk] = Unpacked()
        self._seen = SeenCache(self._catalogue)
        self.ignored_rule = None
        self.make_resolver = None

    # -- life ----------------------------------------------------------------------------------

    @classmethod
    def open(cls, directory: Path, *, root: Path, create: bool) -> SqliteStore:
        """Open the store in `directory` over the source `root`; make it if told to.

        Raises: `NotIndexed` when there is none and `create` is false, `CorruptStore`, `NewerStore`,
        `StoreFull`, `StoreBusy`, `StoreError`. A store that could not be made leaves nothing.
        """
        if create:
            make(directory, root)
        elif not (directory / DATABASE).exists():
            raise NotIndexed(f"{root} is not indexed", hint="run `tadoru index`")
        store = cls(directory, root)
        try:
            _ = store.id
        except BaseException:
            store.close()
            raise
        return store

    @staticmethod
    def remove(directory: Path, *, deadline_seconds: float = WRITER_SECONDS) -> None:
        """Delete a store, whatever state it is in; the source is not touched."""
        if not directory.exists():
            return
        with writer_lock(directory, deadline_seconds), translated(directory):
            discard(directory)
            for path in directory.iterdir():
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                elif path.name != LOCK:
                    path.unlink(missing_ok=True)
            # The lock goes last: from then on another process may be making the next store here.
            (directory / LOCK).unlink(missing_ok=True)
            with suppress(OSError):
                directory.rmdir()

    @classmethod
    def reset(cls, directory: Path, *, root: Path) -> None:
        """Make a store empty, with a new id, while others may have it open.

        A sound database is emptied in one transaction, so nobody ever finds none; one that is
        damaged or of another version is deleted.
        """
        try:
            store = cls.open(directory, root=root, create=True)
            try:
                if not store.check():
                    with store.writer() as writer:
                        writer.clear()
                    return
            finally:
                store.close()
        except (CorruptStore, NewerStore):
            pass
        cls.remove(directory)

    def close(self) -> None:
        self._pool.close()

    @contextmanager
    def writer(
        self, *, deadline_seconds: float = WRITER_SECONDS, labels: Labels | None = None
    ) -> Iterator[Writer]:
        """Give the one writer of this store, in all processes.

        `labels`: the label of each new name, in a store that has labels; without it they stay
        hidden until `Writer.label`. Raises: `StoreBusy` when another one does not finish in time.
        """
        path = self.directory / DATABASE
        with writer_lock(self.directory, deadline_seconds):
            if not path.exists():  # one who removed the store was ended before it took the lock too
                raise NotIndexed(f"the index {path} was removed", hint="run `tadoru index`")
            with translated(path):
                connection = connect(path, writable=True)
            try:
                verify(connection, path)
                yield Writer(connection, path, labels, self._finding.flush)
            finally:
                connection.close()

    # -- identity ------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        return self._pool.database_id

    @property
    def generation(self) -> int:
        return self._number("generation")

    @property
    def stamp(self) -> int:
        """A random number, new with every change of content or labels, in any database."""
        return self._number("stamp")

    @property
    def host_root(self) -> str:
        return str(self._root)

    @property
    def labelled(self) -> bool:
        """Whether entries have access labels; without, all of them are public."""
        return bool(self._number("labelled"))

    def _number(self, key: str) -> int:
        with self._pool.read() as connection:
            value = meta(connection, key)
        return value if isinstance(value, int) else 0

    def access_rows(self) -> tuple[AccessRow, ...]:
        with self._pool.read() as connection:
            return all_rows(connection)

    # -- names and content ---------------------------------------------------------------------

    def entries(self, *, access: Access) -> Iterator[Entry]:
        if access:
            yield from (e for e in self._catalogue.entries() if e.access_id in access)

    def read(self, path: str, *, access: Access, start: int = 0, size: int = -1) -> bytes | None:
        return self._content.read(path, access, start, size)

    def read_many(self, paths: Iterable[str], *, access: Access) -> Iterator[tuple[str, bytes]]:
        return self._content.read_many(paths, access)

    def text(self, path: str, *, access: Access) -> str | None:
        return self._content.text(path, access)

    def chunks(self, path: str, *, access: Access) -> tuple[Chunk, ...]:
        if not access or not is_sayable(path):
            return ()
        with self._pool.read() as connection:
            row = connection.execute(
                f"SELECT id, rev FROM files WHERE path = ? AND access_id {admitted(access)}",
                (path,),
            ).fetchone()
            return (
                tuple(self._chunks.of(row, lambda: _chunks(connection, row[0], path)))
                if row
                else ()
            )

    # -- structure -----------------------------------------------------------------------------

    def symbols(
        self,
        *,
        access: Access,
        name: str | None = None,
        folded: str | None = None,
        path: str | None = None,
        under: str | None = None,
        kinds: Sequence[str] = (),
        offset: int = 0,
        limit: int = 1_000,
    ) -> tuple[list[Symbol], int]:
        if not access:
            return [], 0
        with self._pool.read() as connection:
            return structure.symbols(
                connection, access, name=name, folded=folded, path=path, under=under,
                kinds=kinds, offset=offset, limit=limit, kept=self._symbols,
            )  # fmt: skip

    # -- finding -------------------------------------------------------------------------------

    @property
    def postings(self) -> Postings:
        return self._finding.postings

    @property
    def literals(self) -> LiteralIndex:
        return self._finding.literals

    def nearest(
        self,
        vector: npt.NDArray[np.float32],
        *,
        fingerprint: str,
        access: Access,
        k: int,
        admit: Admit | None = None,
    ) -> list[ChunkRef]:
        return self._finding.vectors.nearest(vector, fingerprint, access, k, admit)

    def vectors(
        self, refs: Sequence[tuple[str, int]], *, fingerprint: str, access: Access
    ) -> npt.NDArray[np.float32] | None:
        return self._finding.vectors.vectors(refs, fingerprint, access)

    @property
    def dense(self) -> SqliteVectors:
        """The vectors, for the indexer: which texts and files have one."""
        return self._finding.vectors

    def imports(self, path: str, *, access: Access) -> list[Import]:
        if not access or not is_sayable(path):
            return []
        with self._pool.read() as connection:
            if seen := self._seen_imports(connection, access):
                return seen.imports(path)
            return structure.imports(connection, path, access)

    def importers(self, path: str, *, access: Access) -> list[Import]:
        if not access or not is_sayable(path):
            return []
        with self._pool.read() as connection:
            if seen := self._seen_imports(connection, access):
                return seen.importers(path)
            return structure.importers(connection, path, access)

    def edges(self, names: Sequence[str] | None, bare: Sequence[str]) -> list[tuple[str, Import]]:
        """Return language and edge of imports that can mean `names`: see `structure.edges`."""
        with self._pool.read() as connection:
            return structure.edges(connection, names, bare)

    def import_counts(self, *, access: Access) -> dict[str, int]:
        if not access:
            return {}
        with self._pool.read() as connection:
            if seen := self._seen_imports(connection, access):
                return seen.counts()
            return structure.import_counts(connection, access)

    def _seen_imports(self, connection: sqlite3.Connection, access: Access) -> SeenImports | None:
        read = partial(self.text, access=access)
        return self._seen.of(connection, access, self.make_resolver, read)

    # -- health --------------------------------------------------------------------------------

    def state(self, *, access: Access) -> IndexState:
        if not access:
            return IndexState()
        with self._pool.read() as connection:
            said = dict(connection.execute("SELECT key, value FROM meta").fetchall())
            files, pending = self._catalogue.counts_in(connection, said["stamp"], access)
        status = Freshness(said["status"])
        if status in (Freshness.FRESH, Freshness.UPDATING):
            # Work on what the asker cannot see is no news for him.
            status = Freshness.UPDATING if pending else Freshness.FRESH
        return IndexState(
            status=status,
            detail=said["detail"],
            generation=0 if said["labelled"] else said["generation"],
            files=files,
            pending=pending,
        )

    def ignored(self, path: str, *, access: Access) -> str:
        if not access or self.ignored_rule is None:
            return ""
        return "" if self.labelled else self.ignored_rule(path)

    def known(self) -> dict[str, Known]:
        """Return path -> what is known, of all names: for the indexer, which sees everything."""
        with self._pool.read() as connection:
            return known(connection)

    def check(self) -> list[str]:
        """Return what is wrong with the database, in words; empty when all is well. Reads all."""
        with self._pool.read() as connection:
            return structure.faults_of(connection)

    def broken_segments(self) -> list[str]:
        """Return the segments that are damaged or gone: without them everything is only slower."""
        return [name for index in self._finding.indexes for name in index.shelf.broken(self.id)]

    def drop_broken_segments(self) -> None:
        """Delete them, so that the next flush makes them again; called under the writer's lock."""
        for name in self.broken_segments():
            with translated(self.directory):
                (self.directory / Path(name).name).unlink(missing_ok=True)

    def index_bytes(self) -> int:
        """Return what the index takes on disk, all caches included."""
        with translated(self.directory):
            return sum(path.stat().st_size for path in self.directory.iterdir() if path.is_file())

    def counters(self) -> dict[str, int]:
        """Return the counters that were added to, for statistics."""
        with self._pool.read() as connection:
            return dict(connection.execute("SELECT name, value FROM counters ORDER BY name"))

    def count(self, increments: Mapping[str, int]) -> None:
        """Add to counters, unless somebody is writing just then: they are statistics, no truth."""
        with suppress(StoreError), translated(self._pool.path):
            connection = connect(self._pool.path, writable=True)
            try:
                connection.execute("PRAGMA busy_timeout = 20")
                connection.execute("BEGIN IMMEDIATE")
                connection.executemany(
                    "INSERT INTO counters VALUES (?, ?)"
                    " ON CONFLICT (name) DO UPDATE SET value = value + excluded.value",
                    list(increments.items()),
                )
                connection.execute("COMMIT")
            finally:
                connection.close()

    @property
    def last_scan_ns(self) -> int:
        """When the last complete walk began, in nanoseconds; 0 before the first."""
        return self._number("last_scan_ns")

    @property
    def unfinished(self) -> bool:
        """Whether a run that writes is under way; for the holder of the lock: was ended early."""
        with self._pool.read() as connection:
            return meta(connection, "status") == Freshness.UPDATING.value


def _chunks(connection: sqlite3.Connection, number: int, path: str) -> tuple[Chunk, ...]:
    row = connection.execute(
        "SELECT data, content, chunks FROM texts WHERE file_id = ?", (number,)
    ).fetchone()
    return chunks_of(Blob(*row), path) if row else ()
