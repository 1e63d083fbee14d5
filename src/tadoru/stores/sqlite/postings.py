"""Ranked lexical recall: BM25F over mapped segments, with the statistics of what is visible.

Counts, frequencies and mean lengths are taken after access, never before, so a score says nothing
about what the asker may not see; filters narrow the result before the best are chosen. The score of
a chunk does not depend on how chunks are spread over segments.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from tadoru.stores.base import Admit, ChunkRef, FieldWeight
from tadoru.stores.bm25f import FIELDS
from tadoru.stores.sqlite import termpack
from tadoru.stores.sqlite.catalogue import Catalogue
from tadoru.stores.sqlite.coverage import Covered, FileTable, Packed, SegmentedIndex, paths_of
from tadoru.stores.sqlite.pool import Pool
from tadoru.stores.sqlite.scoring import Visible
from tadoru.stores.sqlite.segments import Arrays, Segment
from tadoru.stores.sqlite.termpack import pack_terms
from tadoru.text.terms import VERSION, Field, term_hash
from tadoru.types import Access, Chunk

__all__ = ["PostingsKind", "SqlitePostings", "pack_terms"]

VIEWS_KEPT = 8
"""Access sets whose statistics are kept: a server asks again and again for the same few."""


class PostingsKind:
    """The kind of segments that hold terms; a document is a chunk."""

    name = "postings"
    column = "terms"
    version = VERSION * 1000 + termpack.FORMAT
    largest = 1 << 15

    def pack(self, content: bytes, text: str, path: str, chunks: Sequence[Chunk]) -> bytes:
        return pack_terms(chunks, text, path)

    def build(self, files: Sequence[Packed]) -> tuple[Arrays, int]:
        return termpack.build(files)

    def join(self, parts: Sequence[tuple[Segment, npt.NDArray[np.bool_]]]) -> tuple[Arrays, int]:
        return termpack.join(parts)


class SqlitePostings:
    """`Postings` of one SQLite store."""

    def __init__(
        self, pool: Pool, catalogue: Catalogue, index: SegmentedIndex, heal: Callable[[], None]
    ) -> None:
        self._pool = pool
        self._catalogue = catalogue
        self._index = index
        self._heal = heal
        self._lock = threading.Lock()
        self._views: dict[tuple[int, Access], Visible] = {}

    def search(
        self,
        terms: Sequence[tuple[str, float]],
        *,
        access: Access,
        k: int,
        fields: dict[Field, FieldWeight] | None = None,
        admit: Admit | None = None,
    ) -> list[ChunkRef]:
        if not access or not terms or k <= 0:
            return []
        with self._pool.read() as connection:
            stamp, table, covered = self._index.at(connection)
            visible = self._visible(stamp, access, table, covered)
            keep = None
            if admit is not None:
                entries = self._catalogue.entries_in(connection)
                keep = lambda rank: admit(entries[rank])  # noqa: E731
            best = visible.search(terms, FIELDS if fields is None else fields, k, keep)
            paths = paths_of(connection, table, {rank for _, rank, _ in best})
        self._heal()
        return [ChunkRef(paths[rank], index, score) for score, rank, index in best]

    def frequencies(self, terms: Sequence[str], *, access: Access) -> list[int]:
        if not access or not terms:
            return [0] * len(terms)
        with self._pool.read() as connection:
            stamp, table, covered = self._index.at(connection)
            visible = self._visible(stamp, access, table, covered)
            return visible.frequencies([term_hash(term) for term in terms])

    def _visible(
        self, stamp: int, access: Access, table: FileTable, covered: Sequence[Covered]
    ) -> Visible:
        key = (stamp, access)
        with self._lock:
            found = self._views.get(key)
            if found is None:
                kept = [(k, v) for k, v in self._views.items() if k[0] == stamp]
                self._views = dict(kept[1 - VIEWS_KEPT :])
                found = self._views[key] = Visible(table, covered, access)
            return found
