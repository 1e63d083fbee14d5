"""Pages of a Chroma collection: its tree of paths, and chunks put together to files.

The tree lies in the collection itself, as base64 of gzipped JSON: path -> `isPublic` and `groups`.
Labels come from there alone, and a page whose label is missing or makes no sense is hidden. Nothing
is written, and no filter is left out when it is empty.
"""

from __future__ import annotations

import base64
import binascii
import gzip
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from tadoru.errors import CorruptStore, NotIndexed, TadoruError, Unavailable
from tadoru.text.decode import Offsets
from tadoru.types import Chunk, Span

PAGES_ASKED = 100
"""Pages asked for at once."""
ROWS_ASKED = 5_000
"""Rows of one answer: Chroma fails above 32,766, the variables of one statement of SQLite."""
TREE_BYTES = 512 * 1024 * 1024
"""The most that a tree may unpack to: a million pages take 100 MiB."""


@dataclass(frozen=True, slots=True)
class FieldNames:
    """How an existing collection calls things."""

    tree: str = "__path_tree__"
    """Id of the document that holds the tree."""
    page: str = "page"
    """Metadata: which page a chunk belongs to, as the tree names it."""
    index: str = "chunk_index"
    title: str = "title"
    """Metadata that becomes the breadcrumb of a chunk."""
    public: str = "isPublic"
    groups: str = "groups"
    size: str = "size"
    joiner: str = ""
    """What stood between two chunks of a page, if the publisher took it away."""


@dataclass(frozen=True, slots=True)
class Listed:
    """One page of the tree."""

    path: str
    slug: str
    """The page as the collection names it."""
    public: bool
    groups: frozenset[str]
    size: int


@dataclass(frozen=True, slots=True)
class Page:
    """One page put together."""

    text: str
    chunks: tuple[Chunk, ...]


class Pages:
    """Asks one collection."""

    def __init__(self, collection: Any, names: FieldNames) -> None:
        self._collection = collection
        self._names = names

    def tree(self) -> tuple[int, list[Listed]]:
        """Return a number that changes with the tree or the count of chunks, and the pages.

        Raises: `NotIndexed` without a tree, `CorruptStore` when it cannot be understood.
        """
        answer = self._ask(ids=[self._names.tree], include=["documents"])
        documents = answer["documents"] or []
        if not documents or not documents[0]:
            raise NotIndexed(
                f"the collection has no document {self._names.tree}",
                hint="publish its tree first with `tadoru publish`",
            )
        stamp = blake2b(documents[0].encode(), digest_size=6)
        stamp.update(str(self._count()).encode())
        return int.from_bytes(stamp.digest(), "big"), self._listed(documents[0])

    def _listed(self, document: str) -> list[Listed]:
        try:
            packed = base64.b64decode(document, validate=True)
            with gzip.GzipFile(fileobj=io.BytesIO(packed)) as stream:
                data = stream.read(TREE_BYTES + 1)
            if len(data) > TREE_BYTES:
                raise ValueError("it is too large")
            tree = json.loads(data)
            if not isinstance(tree, dict):
                raise ValueError("it is no JSON object")
        except (ValueError, OSError, EOFError, binascii.Error) as error:
            raise CorruptStore(
                f"the tree {self._names.tree} cannot be read: {error}",
                hint="publish it again with `tadoru publish`",
            ) from error
        pages: dict[str, Listed] = {}
        for slug, label in tree.items():
            path = "/".join(part for part in slug.split("/") if part)
            parts = path.split("/")
            if path and not {".", ".."} & set(parts) and "\0" not in path:
                pages[path] = self._page(path, slug, label)
        return [pages[path] for path in sorted(pages)]

    def _page(self, path: str, slug: str, label: object) -> Listed:
        known: dict[str, Any] = label if isinstance(label, dict) else {}
        groups = known.get(self._names.groups)
        size = known.get(self._names.size)
        return Listed(
            path,
            slug,
            public=known.get(self._names.public) is True,
            groups=frozenset(g for g in groups if isinstance(g, str) and g)
            if isinstance(groups, list)
            else frozenset(),
            size=size if isinstance(size, int) and size > 0 else 0,
        )

    def read(self, pages: Sequence[Listed]) -> Iterator[tuple[Listed, Page]]:
        """Yield pages put together, in their order; those without a chunk are left out."""
        for start in range(0, len(pages), PAGES_ASKED):
            batch = pages[start : start + PAGES_ASKED]
            chunks: dict[str, list[tuple[int, str, str]]] = {}
            for slug, index, title, document in self._rows([page.slug for page in batch]):
                chunks.setdefault(slug, []).append((index, title, document))
            for page in batch:
                if page.slug in chunks:
                    yield page, self._assembled(page.path, sorted(chunks[page.slug]))

    def _rows(self, slugs: list[str]) -> Iterator[tuple[str, int, str, str]]:
        names = self._names
        offset = 0
        while slugs:
            answer = self._ask(
                where={names.page: {"$in": slugs}},
                include=["documents", "metadatas"],
                limit=ROWS_ASKED,
                offset=offset,
            )
            rows = list(zip(answer["documents"], answer["metadatas"], strict=True))
            for document, metadata in rows:
                index = metadata.get(names.index)
                if isinstance(index, int | float) and document is not None:
                    title = metadata.get(names.title)
                    words = title if isinstance(title, str) else ""
                    yield str(metadata[names.page]), int(index), words, document
            if len(rows) < ROWS_ASKED:
                return
            offset += len(rows)

    def _assembled(self, path: str, rows: Sequence[tuple[int, str, str]]) -> Page:
        texts = [document for _, _, document in rows]
        texts[:-1] = [text + self._names.joiner for text in texts[:-1]]
        text = "".join(texts)
        offsets = Offsets(text)
        chunks: list[Chunk] = []
        start = 0
        for (_, title, _), part in zip(rows, texts, strict=True):
            end = start + len(part)
            span = Span(
                offsets.line_of(start),
                offsets.line_of(max(start, end - 1)),
                start,
                end,
                offsets.byte_of(start),
                offsets.byte_of(end),
            )
            chunks.append(Chunk(path, len(chunks), span, breadcrumb=title, kind="section"))
            start = end
        return Page(text, tuple(chunks))

    def _ask(self, **question: Any) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = self._collection.get(**question)
        except TadoruError:
            raise
        except Exception as error:
            raise _away(error) from error
        return answer

    def _count(self) -> int:
        try:
            return int(self._collection.count())
        except Exception as error:
            raise _away(error) from error


def _away(error: Exception) -> Unavailable:
    return Unavailable(f"Chroma did not answer: {error}", hint="is the server running?")
