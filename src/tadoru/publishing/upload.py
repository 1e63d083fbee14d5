"""Uploading: chunks that are not there yet, in batches that a server takes.

A chunk is named by its content, so one that is there already need not be sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tadoru.errors import StoreError
from tadoru.publishing.drafts import Draft
from tadoru.stores.chroma.address import FieldNames
from tadoru.stores.chroma.collection import Collection

ROWS_WRITTEN = 1_000
"""Chunks of one write; Chroma takes 5,461 at most."""
BYTES_WRITTEN = 8 * 1024 * 1024
"""Text of one write; a server takes 40 MB at most, vectors and JSON included."""
IDS_ASKED = 5_000


class Uploader:
    """Uploads chunks that are not there yet, in batches."""

    def __init__(self, collection: Collection | None, names: FieldNames) -> None:
        self._collection = collection
        self._names = names
        self._waiting: list[Draft] = []
        self._rows = self._bytes = 0
        self.uploaded = 0

    def add(self, draft: Draft) -> None:
        self._waiting.append(draft)
        self._rows += draft.listed.chunks
        self._bytes += draft.listed.size
        if self._rows >= ROWS_WRITTEN or self._bytes >= BYTES_WRITTEN:
            self.flush()

    def flush(self) -> None:
        waiting, self._waiting, self._rows, self._bytes = self._waiting, [], 0, 0
        if self._collection is None or not waiting:
            return
        ids = [name for draft in waiting for name in draft.listed.ids("") or ()]
        known = set(there(self._collection, ids))
        rows = [row for draft in waiting for row in self._rows_of(draft) if row[0] not in known]
        for batch in _batches(rows):
            self._collection.upsert(
                [row[0] for row in batch],
                [row[1] for row in batch],
                [row[2] for row in batch],
                [row[3] for row in batch],
            )
            self.uploaded += len(batch)

    def _rows_of(self, draft: Draft) -> Iterator[_Row]:
        names, listed = self._names, draft.listed
        if len(draft.vectors) != listed.chunks:
            raise StoreError(
                f"{listed.path} has no vectors in the index", hint="run `tadoru index` first"
            )
        parts = zip(
            listed.ids("") or (), draft.documents, draft.page.titles, draft.vectors, strict=True
        )
        for at, (name, document, title, vector) in enumerate(parts):
            facts: dict[str, object] = {names.page: listed.slug, names.chunk_index: at}
            facts["version"] = listed.version
            if title:
                facts[names.title] = title
            yield name, document, facts, vector


_Row = tuple[str, str, dict[str, object], tuple[float, ...]]


def _batches(rows: Sequence[_Row]) -> Iterator[list[_Row]]:
    batch: list[_Row] = []
    size = 0
    for row in rows:
        length = len(row[1].encode())
        if batch and (len(batch) >= ROWS_WRITTEN or size + length > BYTES_WRITTEN):
            yield batch
            batch, size = [], 0
        batch.append(row)
        size += length
    if batch:
        yield batch


def there(collection: Collection, ids: Sequence[str]) -> Iterator[str]:
    """Yield those of the ids that the collection has."""
    for start in range(0, len(ids), IDS_ASKED):
        yield from collection.get(ids=ids[start : start + IDS_ASKED], include=[])["ids"]
