"""Terms of all pages, in the segments that SQLite's postings have, in memory or beside each other
in a directory.

A page is known by a number made of its path and by one of its state, so that a new tree costs only
the pages that changed, and the next process nothing at all. Built a batch at a time: a question
may be answered from what is there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tadoru.errors import StoreError
from tadoru.stores.base import Admit, ChunkRef, FieldWeight
from tadoru.stores.bm25f import FIELDS
from tadoru.stores.chroma.pages import Page
from tadoru.stores.sqlite.coverage import Covered, FileTable, Packed, cover
from tadoru.stores.sqlite.lock import writer_lock
from tadoru.stores.sqlite.postings import PostingsKind, pack_terms
from tadoru.stores.sqlite.scoring import Visible
from tadoru.stores.sqlite.segments import Arrays, Segment, Shelf
from tadoru.text.terms import Field, term_hash
from tadoru.types import Access, Entry

VIEWS_KEPT = 16
BATCH_PAGES = 128
"""Pages of one segment while the index is built: a process that answers one question and leaves
has written some down by then."""
MERGED_FROM = 6
"""Segments of like size (a factor of eight) from which on they are merged into one."""
MOSTLY = 0.5
"""Part of a segment that is alive below which it is written anew."""
_KIND = PostingsKind()


def number_of(text: str) -> int:
    """Return the number by which a path or a state is known: 63 bits of BLAKE2b."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(),
                          "little") >> 1  # fmt: skip


class PageIndex:
    """The postings of one state of a tree, as far as its pages were added."""

    def __init__(
        self,
        entries: Sequence[Entry],
        states: Sequence[str],
        absent: Iterable[int] = (),
        *,
        name: str = "",
        directory: Path | None = None,
        before: PageIndex | None = None,
    ) -> None:
        """`entries`: in order of paths; `states`: of each, what changes when its text does.

        `absent`: positions of those that have no text here; `directory`: where segments are kept;
        `before`: the index of an earlier state of the same collection.
        """
        self._entries = entries
        self.name, self._directory = name, directory
        stored = np.ones(len(entries), dtype=bool)
        stored[list(absent)] = False
        self._table = FileTable(
            np.array([number_of(entry.path) for entry in entries], dtype=np.int64),
            np.array([number_of(state) for state in states], dtype=np.int64),
            np.array([entry.access_id for entry in entries], dtype=np.int64),
            stored,
        )
        self._lock = threading.Lock()
        self._segments: list[Segment] = list(before._segments) if before is not None else []
        if directory is not None and not self._segments:
            self._segments = Shelf(directory, _KIND.name, _KIND.version).load(name)
        self._covered: list[Covered] = []
        self._missing: npt.NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._views: dict[Access, Visible] = {}
        self._look()

    def _look(self) -> None:
        covered, missing = cover(self._table, self._segments)
        self._covered = [part for part in covered if part.alive.any()]
        self._missing = missing
        self._views = {}

    def missing(self) -> list[Entry]:
        """Return the entries whose text is not indexed yet."""
        with self._lock:
            return [self._entries[rank] for rank in self._missing.tolist()]

    def waiting(self, access: Access) -> int:
        """Count the visible entries whose text is not indexed yet."""
        with self._lock:
            missing = self._missing
        return int(self._table.visible(access)[missing].sum()) if len(missing) else 0

    def add(self, pages: Iterable[tuple[Entry, Page]]) -> None:
        """Index pages of this state."""
        rank_of = {int(number): rank for rank, number in enumerate(self._table.ids.tolist())}
        packs = []
        for entry, page in pages:
            number = number_of(entry.path)
            terms = pack_terms(page.chunks(entry.path), page.text, entry.path)
            packs.append(Packed(number, int(self._table.revs[rank_of[number]]), terms))
        if packs:
            segment = Segment("", *_KIND.build(packs))
            with self._lock:
                self._segments = [*self._segments, segment]
                self._look()

    def give_up(self, entries: Iterable[Entry]) -> None:
        """Leave entries out that have no text to index."""
        gone = np.array([number_of(entry.path) for entry in entries], dtype=np.int64)
        with self._lock:
            self._table.stored[np.isin(self._table.ids, gone)] = False
            self._look()

    def settle(self) -> None:
        """Merge segments of one size where there are many, and keep them for the next process."""
        while group := self._alike():
            arrays, weight = _KIND.join([(part.segment, part.alive) for part in group])
            merged = {id(part.segment) for part in group}
            with self._lock:
                kept = [part.segment for part in self._covered if id(part.segment) not in merged]
                self._segments = [*kept, Segment("", arrays, weight)]
                self._look()
        self._keep()

    def _alike(self) -> list[Covered]:
        """Return segments to merge: several of like size, or one that is mostly superseded."""
        with self._lock:
            covered = self._covered
        tiers: dict[int, list[Covered]] = {}
        for part in covered:
            if part.alive.mean() < MOSTLY:
                return [part]
            tiers.setdefault(part.segment.weight.bit_length() // 3, []).append(part)
        return next((alike for alike in tiers.values() if len(alike) >= MERGED_FROM), [])

    def _keep(self) -> None:
        with self._lock:
            covered = self._covered
        new: list[tuple[Arrays, int]] = [
            (part.segment.arrays, part.segment.weight) for part in covered if not part.segment.name
        ]
        if self._directory is None or not new:
            return
        kept = [part.segment for part in covered if part.segment.name]
        with suppress(OSError, StoreError):  # a cache: the next process builds it again
            self._directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            with writer_lock(self._directory, 0.0):
                shelf = Shelf(self._directory, _KIND.name, _KIND.version)
                segments = shelf.publish(self.name, kept, new)
                with self._lock:
                    if self._covered is covered and segments:
                        self._segments = segments
                        self._look()

    def _visible(self, access: Access) -> Visible:
        with self._lock:
            found = self._views.get(access)
            if found is None:
                while len(self._views) >= VIEWS_KEPT:
                    del self._views[next(iter(self._views))]
                found = self._views[access] = Visible(self._table, self._covered, access)
            return found

    def search(
        self,
        terms: Sequence[tuple[str, float]],
        access: Access,
        k: int,
        fields: dict[Field, FieldWeight] | None,
        admit: Admit | None,
    ) -> list[ChunkRef]:
        keep: Callable[[int], bool] | None = None
        if admit is not None:
            keep = lambda rank: admit(self._entries[rank])  # noqa: E731
        best = self._visible(access).search(terms, FIELDS if fields is None else fields, k, keep)
        return [ChunkRef(self._entries[rank].path, index, score) for score, rank, index in best]

    def frequencies(self, terms: Sequence[str], access: Access) -> list[int]:
        return self._visible(access).frequencies([term_hash(term) for term in terms])
