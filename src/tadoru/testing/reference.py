"""BM25F in plain Python: what every fast implementation must agree with, to the last bit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tadoru.stores.base import Admit, ChunkRef, FieldWeight
from tadoru.stores.bm25f import FIELDS, K1, LENGTH_MAX, TF_MAX, chunk_fields, idf
from tadoru.text.terms import Field, terms
from tadoru.types import Access, Chunk, Entry


@dataclass(frozen=True, slots=True)
class _Document:
    entry: Entry
    index: int
    counts: tuple[Counter[str], ...]
    lengths: tuple[int, ...]

    def contains(self, term: str) -> bool:
        return any(term in counter for counter in self.counts)


def _document(entry: Entry, chunk: Chunk, text: str) -> _Document:
    found = [terms(field) for field in (entry.path, *chunk_fields(chunk, text))]
    return _Document(
        entry,
        chunk.index,
        tuple(Counter(field) for field in found),
        tuple(min(len(field), LENGTH_MAX) for field in found),
    )


class ReferencePostings:
    """`Postings` by reading every chunk for every question.

    `load` gives (entry, chunks, text) of every file; it is asked anew at each call.
    """

    def __init__(self, load: Callable[[], Iterable[tuple[Entry, Sequence[Chunk], str]]]) -> None:
        self._load = load

    def _documents(self, access: Access) -> list[_Document]:
        return [
            _document(entry, chunk, text)
            for entry, chunks, text in self._load()
            if entry.access_id in access
            for chunk in chunks
        ]

    def search(
        self,
        terms: Sequence[tuple[str, float]],
        *,
        access: Access,
        k: int,
        fields: dict[Field, FieldWeight] | None = None,
        admit: Admit | None = None,
    ) -> list[ChunkRef]:
        documents = self._documents(access)
        weights = FIELDS if fields is None else fields
        means = [
            sum(d.lengths[field] for d in documents) / len(documents) if documents else 0.0
            for field in Field
        ]
        scores = [0.0] * len(documents)
        for term, query_weight in terms:
            frequency = sum(d.contains(term) for d in documents)
            if not frequency or query_weight <= 0:
                continue
            gain = query_weight * idf(len(documents), frequency)
            for position, document in enumerate(documents):
                strength = _strength(document, term, weights, means)
                if strength:
                    scores[position] += gain * (strength / (K1 + strength))
        found = [
            ChunkRef(d.entry.path, d.index, score)
            for d, score in zip(documents, scores, strict=True)
            if score > 0 and (admit is None or admit(d.entry))
        ]
        found.sort(key=lambda ref: (-ref.score, ref.path, ref.index))
        return found[: max(0, k)]

    def frequencies(self, terms: Sequence[str], *, access: Access) -> list[int]:
        documents = self._documents(access)
        return [sum(d.contains(term) for d in documents) for term in terms]


def _strength(
    document: _Document, term: str, weights: dict[Field, FieldWeight], means: Sequence[float]
) -> float:
    """Return the weighted, length-normalised frequency over all fields."""
    path = 0.0
    rest = 0.0
    for field in Field:
        frequency = min(document.counts[field][term], TF_MAX)
        weight = weights.get(field)
        if not frequency or weight is None:
            continue
        mean = means[field]
        relative = document.lengths[field] / mean if mean else 1.0
        value = frequency * (weight.weight / ((1.0 - weight.b) + weight.b * relative))
        if field is Field.PATH:
            path = value
        else:
            rest += value
    return path + rest
