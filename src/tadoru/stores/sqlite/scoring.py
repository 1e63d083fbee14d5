"""The arithmetic of ranked recall over segments: what is visible, postings, scores, the best.

The score of a chunk does not depend on how chunks are spread over segments, nor on chunks that the
asker may not see: all sums are taken in one fixed order, that of `testing.reference`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tadoru.stores.base import FieldWeight
from tadoru.stores.bm25f import K1, idf
from tadoru.stores.sqlite.coverage import Covered, FileTable
from tadoru.stores.sqlite.inverted import Lists
from tadoru.stores.sqlite.termpack import FIELD_SHIFT, path_lists, term_lists
from tadoru.text.terms import Field, term_hash
from tadoru.types import Access

_TF_MASK = (1 << FIELD_SHIFT) - 1

Floats = npt.NDArray[np.float64]
Ranks = npt.NDArray[np.int64]
Fields = dict[Field, FieldWeight]


class Visible:
    """The chunks that one access set admits, with their statistics."""

    def __init__(self, table: FileTable, covered: Sequence[Covered], access: Access) -> None:
        files = table.visible(access)
        parts = [Part(part, files) for part in covered]
        self.parts = [part for part in parts if part.documents]
        self.documents = sum(part.documents for part in self.parts)
        totals = np.zeros(len(Field), dtype=np.int64)
        for part in self.parts:
            totals += part.lengths_total
        self.means = [int(total) / self.documents if self.documents else 0.0 for total in totals]

    def search(
        self,
        terms: Sequence[tuple[str, float]],
        fields: Fields,
        k: int,
        admit: Callable[[int], bool] | None,
    ) -> list[tuple[float, int, int]]:
        """Return score, rank of the file and chunk index of the `k` best; `admit` takes ranks."""
        runs: list[list[tuple[float, Run]]] = [[] for _ in self.parts]
        for term, weight in terms:
            key = term_hash(term)
            of_term = [part.run(key) for part in self.parts]
            frequency = sum(run.chunks() for run in of_term)
            if frequency and weight > 0:
                gain = weight * idf(self.documents, frequency)
                for pairs, run in zip(runs, of_term, strict=True):
                    pairs.append((gain, run))
        found = Found()
        for part, pairs in zip(self.parts, runs, strict=True):
            found.add(*part.score(pairs, fields, self.means))
        if admit is not None:
            found.keep(admit)
        return found.best(k)

    def frequencies(self, hashes: Sequence[int]) -> list[int]:
        return [sum(part.run(key).chunks() for part in self.parts) for key in hashes]


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """What one segment knows of one term, hidden chunks left out."""

    docs: npt.NDArray[np.int64]
    """Ascending, once for each field that has the term."""
    payload: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.int64]
    """Where in `docs` each distinct chunk starts."""
    path_docs: npt.NDArray[np.int64]
    path_counts: npt.NDArray[np.uint8]

    def chunks(self) -> int:
        """Count the chunks that contain the term in any field."""
        if not len(self.path_docs):
            return len(self.starts)
        both, _ = _contained(self.path_docs, self.docs[self.starts])
        return len(self.starts) + len(self.path_docs) - int(both.sum())


class Part:
    """The visible chunks of one segment."""

    def __init__(self, covered: Covered, files: npt.NDArray[np.bool_]) -> None:
        self._segment = covered.segment
        self._ranks = covered.ranks
        self._starts = covered.segment.arrays["starts"].astype(np.int64)
        self._files = (covered.ranks >= 0) & files[covered.ranks]
        self._sizes = np.diff(self._starts)
        self.documents = int(self._sizes[self._files].sum())
        self._everything = bool(self._files.all())
        self._terms = term_lists(covered.segment)
        self._paths = path_lists(covered.segment)
        self._rows = np.arange(len(Field)) * int(self._starts[-1])
        self._worth_of: tuple[tuple[FieldWeight | None, ...], Floats] | None = None

    @cached_property
    def _slots(self) -> npt.NDArray[np.int64]:
        """The file of each chunk."""
        return np.repeat(np.arange(len(self._sizes)), self._sizes)

    @cached_property
    def _mask(self) -> npt.NDArray[np.bool_]:
        return np.repeat(self._files, self._sizes)

    @cached_property
    def lengths_total(self) -> npt.NDArray[np.int64]:
        lengths = self._segment.arrays["lengths"]
        shown = lengths if self._everything else lengths[:, self._mask]
        total: npt.NDArray[np.int64] = shown.sum(axis=1, dtype=np.int64)
        return total

    def run(self, key: int) -> Run:
        docs, payload = _postings(self._terms, key)
        slots, counts = _postings(self._paths, key)
        if not self._everything:
            shown = self._mask[docs]
            docs, payload = docs[shown], payload[shown]
            shown = self._files[slots]
            slots, counts = slots[shown], counts[shown]
        starts = _first_of_each(docs)
        if not len(slots):
            return Run(docs, payload, starts, slots, counts)
        sizes = self._sizes[slots]
        first = np.repeat(self._starts[slots] - (np.cumsum(sizes) - sizes), sizes)
        path_docs = first + np.arange(len(first))
        return Run(docs, payload, starts, path_docs, np.repeat(counts, sizes))

    def score(
        self, runs: Sequence[tuple[float, Run]], fields: Fields, means: Sequence[float]
    ) -> tuple[Floats, Ranks, Ranks]:
        """Return score, rank of the file and chunk index of every chunk that has a term."""
        scores = np.zeros(int(self._starts[-1]))
        worth = self._worth(fields, means)
        for gain, run in runs:
            places = run.docs + self._rows[run.payload >> FIELD_SHIFT]
            strengths = worth[places] * (run.payload & _TF_MASK)
            docs = run.docs[run.starts]
            if len(docs) < len(strengths):
                # Added up one after the other: `add.reduceat` associates as its version likes.
                chunk = np.zeros(len(strengths), dtype=np.int64)
                chunk[run.starts[1:]] = 1
                strengths = np.bincount(np.cumsum(chunk), weights=strengths)
            if len(run.path_docs):
                # The field PATH is row 0, so a chunk's own number is its place.
                from_path = worth[run.path_docs] * run.path_counts
                both, places = _contained(run.path_docs, docs)
                strengths[places[both]] = from_path[both] + strengths[places[both]]
                alone = from_path[~both]
                scores[run.path_docs[~both]] += gain * (alone / (K1 + alone))
            scores[docs] += gain * (strengths / (K1 + strengths))
        hits = np.flatnonzero(scores)
        slots = self._slots[hits]
        return scores[hits], self._ranks[slots], hits - self._starts[slots]

    def _worth(self, fields: Fields, means: Sequence[float]) -> Floats:
        """Return what one occurrence in each field of each chunk is worth, (fields * chunks,)."""
        key = tuple(fields.get(field) for field in Field)
        if self._worth_of is None or self._worth_of[0] != key:
            worth = np.zeros(self._segment.arrays["lengths"].shape)
            for field, weight in fields.items():
                mean = means[field]
                relative = self._segment.arrays["lengths"][field] / mean if mean else 1.0
                worth[field] = weight.weight / ((1.0 - weight.b) + weight.b * relative)
            self._worth_of = (key, worth.reshape(-1))
        return self._worth_of[1]


def _postings(lists: Lists, key: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    where = lists.find(key)
    assert lists.payload is not None
    return lists.docs[where].astype(np.int64), lists.payload[where]


def _first_of_each(docs: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return where each distinct number of an ascending array starts."""
    first = np.ones(len(docs), dtype=bool)
    np.not_equal(docs[1:], docs[:-1], out=first[1:])
    return np.flatnonzero(first)


def _contained(
    these: npt.NDArray[np.int64], among: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
    """Tell which of `these` are among ascending distinct numbers, and where."""
    places = np.searchsorted(among, these)
    if not len(among):
        return np.zeros(len(these), dtype=bool), places
    inside = places < len(among)
    places[~inside] = 0
    return inside & (among[places] == these), places


class Found:
    """Scored chunks of all segments: score, rank of the file, chunk index."""

    def __init__(self) -> None:
        self._parts: list[tuple[Floats, npt.NDArray[np.int64], npt.NDArray[np.int64]]] = []

    def add(
        self, scores: Floats, ranks: npt.NDArray[np.int64], indexes: npt.NDArray[np.int64]
    ) -> None:
        self._parts.append((scores, ranks, indexes))

    def keep(self, admit: Callable[[int], bool]) -> None:
        """Apply a filter on files, once for each that was found."""
        verdicts: dict[int, bool] = {}
        parts = self._parts
        self._parts = []
        for scores, ranks, indexes in parts:
            distinct, inverse = np.unique(ranks, return_inverse=True)
            for rank in distinct.tolist():
                if rank not in verdicts:
                    verdicts[rank] = bool(admit(rank))
            kept = np.array([verdicts[rank] for rank in distinct.tolist()], dtype=bool)[inverse]
            self.add(scores[kept], ranks[kept], indexes[kept])

    def best(self, k: int) -> list[tuple[float, int, int]]:
        """Return the `k` best, ties by path (which is the order of ranks) and index."""
        if not self._parts:
            return []
        scores = np.concatenate([part[0] for part in self._parts])
        ranks = np.concatenate([part[1] for part in self._parts])
        indexes = np.concatenate([part[2] for part in self._parts])
        if len(scores) > k:
            limit = np.partition(scores, len(scores) - k)[len(scores) - k]
            near = scores >= limit
            scores, ranks, indexes = scores[near], ranks[near], indexes[near]
        order = np.lexsort((indexes, ranks, -scores))[:k]
        return list(
            zip(scores[order].tolist(), ranks[order].tolist(), indexes[order].tolist(), strict=True)
        )
