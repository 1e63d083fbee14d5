"""Terms and trigrams of all pages, in memory: the segments of SQLite without their files."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from tadoru.stores.base import Admit, ChunkRef, FieldWeight
from tadoru.stores.bm25f import FIELDS
from tadoru.stores.chroma.pages import Listed, Page
from tadoru.stores.sqlite.coverage import Covered, FileTable, IndexKind, Packed, cover, grouped
from tadoru.stores.sqlite.literals import LiteralsKind, matching, pack_trigrams, trigrams_of
from tadoru.stores.sqlite.postings import PostingsKind, pack_terms
from tadoru.stores.sqlite.scoring import Visible
from tadoru.stores.sqlite.segments import Segment
from tadoru.text.terms import Field, term_hash
from tadoru.types import Access, Entry

VIEWS_KEPT = 8


class PageIndex:
    """Made from the entries of one state, in order of paths, and the pages that were found."""

    def __init__(self, entries: Sequence[Entry], pages: Iterable[tuple[Listed, Page]]) -> None:
        self._entries = entries
        number_of = {entry.path: entry.id for entry in entries}
        terms: list[Packed] = []
        literals: list[Packed] = []
        for listed, page in pages:
            number = number_of[listed.path]
            content = page.text.encode("utf-8", "surrogatepass")
            terms.append(Packed(number, 1, pack_terms(page.chunks, page.text, listed.path)))
            literals.append(Packed(number, 1, pack_trigrams(content)))
        found = {packed.id for packed in terms}
        self._table = FileTable(
            np.array([entry.id for entry in entries], dtype=np.int64),
            np.ones(len(entries), dtype=np.int64),
            np.array([entry.access_id for entry in entries], dtype=np.int64),
            np.array([entry.id in found for entry in entries], dtype=bool),
        )
        self._terms = self._covered(PostingsKind(), terms)
        self._literals = self._covered(LiteralsKind(), literals)
        self._lock = threading.Lock()
        self._views: dict[Access, Visible] = {}

    def _covered(self, kind: IndexKind, packs: Iterable[Packed]) -> list[Covered]:
        segments = [Segment("", *kind.build(group)) for group in grouped(packs)]
        return cover(self._table, segments)[0]

    def _visible(self, access: Access) -> Visible:
        with self._lock:
            found = self._views.get(access)
            if found is None:
                while len(self._views) >= VIEWS_KEPT:
                    del self._views[next(iter(self._views))]
                found = self._views[access] = Visible(self._table, self._terms, access)
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

    def candidates(self, literals: Sequence[Sequence[bytes]], access: Access) -> set[str] | None:
        wanted = trigrams_of(literals)
        if not wanted:
            return None
        found: npt.NDArray[np.bool_] = ~self._table.stored
        for part in self._literals:
            found[part.ranks[matching(part, wanted)]] = True
        found &= self._table.visible(access)
        return {self._entries[rank].path for rank in self._ranks(found)}

    @staticmethod
    def _ranks(found: npt.NDArray[np.bool_]) -> Iterator[int]:
        return iter(np.flatnonzero(found).tolist())
