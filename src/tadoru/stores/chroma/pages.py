"""Pages: chunks put together to what the page was, or refused.

Chunks stand in order of their index, without a hole, as many as the tree says; what a chunk repeats
of the one before it is left out where the collection says how much that is, and nothing is guessed
from likeness. Where the tree names a size or a version, the page must have it. What does not add up
is `Torn`: never a page with a piece missing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from tadoru.errors import StoreError
from tadoru.stores.chroma.address import FieldNames
from tadoru.stores.chroma.collection import Collection
from tadoru.stores.chroma.form import Listed
from tadoru.text.decode import Offsets
from tadoru.types import Chunk, Span

PAGES_ASKED = 100
"""Pages asked for at once by their names: the time per page does not fall any more."""
ROWS_ASKED = 5_000
"""Rows of one answer: Chroma fails above 32,766, the variables of one statement of SQLite."""


class Torn(StoreError):
    """The chunks of a page do not add up to what the tree says."""

    code = "page_incomplete"


@dataclass(frozen=True, slots=True)
class Row:
    """One chunk as the collection has it."""

    index: int
    title: str
    document: str
    start: int = -1
    """The character of the page at which it begins; -1 where nobody says."""
    overlap: int = 0
    """Characters that it repeats of the one before it."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page put together."""

    text: str
    ends: tuple[int, ...] = ()
    """Where each chunk ends in the text, in characters; they tile it."""
    titles: tuple[str, ...] = ()

    def packed(self) -> bytes:
        """Return the page as one value for a cache."""
        head = json.dumps([self.ends, self.titles], ensure_ascii=False).encode()
        return head + b"\n" + self.text.encode("utf-8", "surrogatepass")

    def chunks(self, path: str) -> tuple[Chunk, ...]:
        offsets = Offsets(self.text)
        found: list[Chunk] = []
        start = 0
        for index, (end, title) in enumerate(zip(self.ends, self.titles, strict=True)):
            span = Span(
                offsets.line_of(start),
                offsets.line_of(max(start, end - 1)),
                start,
                end,
                offsets.byte_of(start),
                offsets.byte_of(end),
            )
            found.append(Chunk(path, index, span, breadcrumb=title, kind="section"))
            start = end
        return tuple(found)


def content_of(packed: bytes) -> bytes:
    """Return the bytes of a packed page."""
    return packed[packed.index(b"\n") + 1 :]


def unpacked(packed: bytes) -> Page:
    head, _, text = packed.partition(b"\n")
    ends, titles = json.loads(head)
    return Page(text.decode("utf-8", "surrogatepass"), tuple(ends), tuple(titles))


def version_of(page: Page, vectors: str) -> str:
    """Return the digest by which a published page, its cuts and its vectors are known."""
    state = blake2b(vectors.encode() + b"\0" + page.packed(), digest_size=8)
    return state.hexdigest()


class Pages:
    """Fetches pages of one collection."""

    def __init__(self, names: FieldNames) -> None:
        self._names = names
        self._fixed_overlap = int(names.overlap) if names.overlap.isdecimal() else 0

    def fetch(
        self, collection: Collection, pages: Sequence[Listed], vectors: str
    ) -> Iterator[tuple[Listed, Page | Torn]]:
        """Yield pages put together, in any order; `Torn` in the place of one that is not whole.

        `vectors`: the model of a published tree, a part of each version.
        """
        by_ids: list[tuple[Listed, list[str]]] = []
        by_name: list[Listed] = []
        for page in pages:
            ids = page.ids(self._names.ids)
            if ids is None:
                by_name.append(page)
            else:
                by_ids.append((page, ids))
        for group in _grouped(by_ids):
            wanted = [name for _, ids in group for name in ids]
            answer = (
                collection.get(ids=wanted, include=["documents", "metadatas"]) if wanted else {}
            )
            rows = self._by_id(answer)
            for page, ids in group:
                found = [rows[name] for name in ids if name in rows]
                if len(found) == len(ids) or page.version:
                    yield page, self._whole(page, found, vectors)
                else:
                    by_name.append(page)  # the pattern of ids may be wrong; its name is not
        yield from self._named(collection, by_name, vectors)

    def _by_id(self, answer: Mapping[str, Any]) -> dict[str, Row]:
        rows = zip(
            answer.get("ids") or (),
            answer.get("documents") or (),
            answer.get("metadatas") or (),
            strict=True,
        )
        found = ((name, self._row(document, facts)) for name, document, facts in rows)
        return {name: row for name, row in found if row is not None}

    def _named(
        self, collection: Collection, pages: Sequence[Listed], vectors: str
    ) -> Iterator[tuple[Listed, Page | Torn]]:
        for start in range(0, len(pages), PAGES_ASKED):
            batch = pages[start : start + PAGES_ASKED]
            rows: dict[str, list[Row]] = {}
            for slug, row in self._rows(collection, [page.slug for page in batch]):
                rows.setdefault(slug, []).append(row)
            for page in batch:
                yield page, self._whole(page, rows.get(page.slug, []), vectors)

    def _rows(self, collection: Collection, slugs: list[str]) -> Iterator[tuple[str, Row]]:
        name = self._names.page
        offset = 0
        while True:
            answer = collection.get(
                where={name: slugs[0]} if len(slugs) == 1 else {name: {"$in": slugs}},
                include=["documents", "metadatas"],
                limit=ROWS_ASKED,
                offset=offset,
            )
            rows = list(zip(answer["documents"] or (), answer["metadatas"] or (), strict=True))
            for document, facts in rows:
                row = self._row(document, facts)
                if row is not None:
                    yield str(facts[name]), row
            if len(rows) < ROWS_ASKED:
                return
            offset += len(rows)

    def _row(self, document: object, facts: Mapping[str, Any] | None) -> Row | None:
        names, facts = self._names, facts or {}
        index = facts.get(names.chunk_index)
        if not isinstance(document, str) or not isinstance(index, int | float):
            return None
        title = facts.get(names.title)
        start, overlap = facts.get(names.start), facts.get(names.overlap)
        return Row(
            int(index),
            title if isinstance(title, str) else "",
            document,
            int(start) if isinstance(start, int | float) else -1,
            int(overlap) if isinstance(overlap, int | float) else 0,
        )

    # -- one page ------------------------------------------------------------------------------

    def _whole(self, page: Listed, rows: Sequence[Row], vectors: str) -> Page | Torn:
        try:
            found = self._assembled(page, rows)
            _check(page, found, vectors)
        except Torn as error:
            return error
        return found

    def _assembled(self, page: Listed, rows: Sequence[Row]) -> Page:
        ordered = _in_order(page, rows)
        parts: list[str] = []
        ends: list[int] = []
        length = 0
        for before, row in zip([None, *ordered], ordered, strict=False):
            part = row.document if before is None else self._new_part(page, before, row, length)
            parts.append(part)
            length += len(part)
            ends.append(length)
        return Page("".join(parts), tuple(ends), tuple(row.title for row in ordered))

    def _new_part(self, page: Listed, before: Row, row: Row, length: int) -> str:
        """Return what a chunk adds to the page; `length`: characters of the page so far."""
        if page.version:
            return row.document
        if self._names.start and row.start >= 0:
            repeated = length - row.start
            if repeated <= 0:
                return "\n" * -repeated + row.document  # what the cutter threw away between them
        elif self._fixed_overlap:
            repeated = min(self._fixed_overlap, len(before.document), len(row.document))
        else:
            repeated = row.overlap
        if repeated > 0:
            shared = min(repeated, len(before.document), len(row.document))
            end = len(before.document)
            if before.document[end - shared :] != row.document[repeated - shared : repeated]:
                raise _torn(page, f"chunk {row.index} does not repeat what it should")
            return row.document[repeated:]
        return self._names.joiner + row.document


def _in_order(page: Listed, rows: Sequence[Row]) -> list[Row]:
    """Return chunks by index, none missing and none twice. Raises: `Torn`."""
    ordered = sorted(rows, key=lambda row: row.index)
    kept: list[Row] = []
    for row in ordered:
        if kept and kept[-1].index == row.index:
            if kept[-1].document != row.document:
                raise _torn(page, f"two chunks have the index {row.index}")
            continue
        kept.append(row)
    if page.chunks >= 0 and len(kept) != page.chunks:
        raise _torn(page, f"{len(kept)} of {page.chunks} chunks are there")
    if not kept and page.chunks < 0 and page.size != 0:
        raise _torn(page, "no chunk of it is there")
    first = kept[0].index if kept else 0
    if first not in (0, 1) or (kept and kept[-1].index != first + len(kept) - 1):
        raise _torn(page, "chunks are missing")
    return kept


def _check(page: Listed, found: Page, vectors: str) -> None:
    if page.version:
        if version_of(found, vectors) != page.version:
            raise _torn(page, "its chunks are not those that were published")
    elif page.size >= 0:
        size = len(found.text.encode("utf-8", "surrogatepass"))
        if size != page.size:
            raise _torn(page, f"it has {size} bytes, and the tree says {page.size}")


def _torn(page: Listed, why: str) -> Torn:
    return Torn(f"{page.path}: the collection is incomplete: {why}", hint="publish it again")


def _grouped(
    pages: Sequence[tuple[Listed, list[str]]],
) -> Iterator[list[tuple[Listed, list[str]]]]:
    """Cut pages into groups that one answer holds."""
    group: list[tuple[Listed, list[str]]] = []
    rows = 0
    for page, ids in pages:
        if group and rows + len(ids) > ROWS_ASKED:
            yield group
            group, rows = [], 0
        group.append((page, ids))
        rows += len(ids)
    if group:
        yield group
