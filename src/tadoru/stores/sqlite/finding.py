"""The seams for finding, made when they are first used: nothing here is needed to list or read.

So `tadoru sh ls` loads no numpy.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tadoru.errors import StoreError
from tadoru.stores.sqlite.catalogue import Catalogue
from tadoru.stores.sqlite.faults import translated
from tadoru.stores.sqlite.lock import writer_lock
from tadoru.stores.sqlite.pool import Pool, connect

if TYPE_CHECKING:
    from tadoru.stores.sqlite.coverage import SegmentedIndex
    from tadoru.stores.sqlite.literals import SqliteLiterals
    from tadoru.stores.sqlite.postings import SqlitePostings
    from tadoru.stores.sqlite.vectors import SqliteVectors


class Finding:
    """Postings, literals and vectors of one store."""

    def __init__(self, directory: Path, pool: Pool, catalogue: Catalogue) -> None:
        self._directory = directory
        self._pool = pool
        self._catalogue = catalogue

    @cached_property
    def indexes(self) -> tuple[SegmentedIndex, SegmentedIndex]:
        """The segmented indexes of terms and of trigrams."""
        from tadoru.stores.sqlite.coverage import SegmentedIndex
        from tadoru.stores.sqlite.literals import LiteralsKind
        from tadoru.stores.sqlite.postings import PostingsKind

        def make(kind: PostingsKind | LiteralsKind) -> SegmentedIndex:
            return SegmentedIndex(
                self._directory, kind, self._catalogue.table_in, lambda: self._pool.database_id
            )

        return make(PostingsKind()), make(LiteralsKind())

    @cached_property
    def postings(self) -> SqlitePostings:
        from tadoru.stores.sqlite.postings import SqlitePostings

        return SqlitePostings(self._pool, self._catalogue, self.indexes[0], self.heal)

    @cached_property
    def literals(self) -> SqliteLiterals:
        from tadoru.stores.sqlite.literals import SqliteLiterals

        return SqliteLiterals(self._pool, self._catalogue, self.indexes[1], self.heal)

    @cached_property
    def vectors(self) -> SqliteVectors:
        from tadoru.stores.sqlite.vectors import SqliteVectors

        return SqliteVectors(self._pool, self._catalogue)

    def flush(self, connection: sqlite3.Connection, compact: bool = False) -> None:
        """Bring the segments up to date; `connection` is the writer's, which holds the lock."""
        from tadoru.stores.sqlite.segments import Shelf
        from tadoru.stores.sqlite.upkeep import flush

        # Shelves of its own: readers of this process go on with what they have mapped.
        shelves = [
            (Shelf(self._directory, index.kind.name, index.kind.version), index.kind)
            for index in self.indexes
        ]
        flush(connection, self._pool.database_id, shelves, compact=compact)

    def heal(self) -> None:
        """Write down what a reader had to index again, if nobody else is writing."""
        from tadoru.stores.sqlite.coverage import HEAL_FILES

        if max(index.made_again for index in self.indexes) < HEAL_FILES:
            return
        for index in self.indexes:
            index.made_again = 0
        with (
            suppress(StoreError),
            writer_lock(self._directory, 0.0),
            translated(self._pool.path),
        ):
            connection = connect(self._pool.path, writable=True)
            try:
                self.flush(connection)
            finally:
                connection.close()
