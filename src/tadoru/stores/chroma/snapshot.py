"""The tree of a collection at one moment, and how it is read.

Read once for each state of the collection, whoever asks; who sees what is decided by the access ids
on its entries. A tree in parts is whole, or is not read at all.
"""

from __future__ import annotations

import gc
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from tadoru.errors import CorruptStore, NotIndexed
from tadoru.stores.cache import Cache, Scope
from tadoru.stores.chroma.address import FieldNames
from tadoru.stores.chroma.collection import Collection
from tadoru.stores.chroma.entry import PageEntry
from tadoru.stores.chroma.form import (
    MARK,
    Listed,
    Manifest,
    digest,
    manifest_of,
    unpack,
)
from tadoru.stores.chroma.table import Table, above_of
from tadoru.types import Access, AccessRow, Entry

if TYPE_CHECKING:
    from tadoru.stores.chroma.index import PageIndex

LOOKS = 3
"""How often a tree is read that is replaced meanwhile."""
LOOK_PAUSE_SECONDS = 0.05
FindSize = Callable[[str, int], int]
"""Asks for the size of a page, by path and access id."""
Stamp = tuple[str, str, int]
"""Id of the collection, digest of the head of its tree, count of rows where that has a meaning."""


@dataclass(eq=False)
class Snapshot:
    """What a collection had at one moment, and what was learnt of it since."""

    collection: Collection
    stamp: Stamp
    generation: int
    manifest: Manifest | None
    pages: Table
    access_of: dict[str, int]
    """Path -> access id."""
    below: list[tuple[Listed, int]]
    """Pages below another one, which have no place in a tree, with their access ids."""
    find_size: FindSize
    sizes: dict[str, int] = field(default_factory=dict)
    """Sizes that were found, where the tree names none."""
    torn: dict[str, str] = field(default_factory=dict)
    """Pages that could not be put together, and why."""
    coarse: dict[str, frozenset[str] | None] = field(default_factory=dict)
    """Answers of the coarse half of grep: pages by expression; None for too many."""
    base: int = -1
    """The index of first chunks, where it had to be asked for."""
    index: PageIndex | None = None
    building: threading.Lock = field(default_factory=threading.Lock)
    builder: threading.Thread | None = None

    @cached_property
    def folders(self) -> dict[str, list[Listed]]:
        """Pages by directory."""
        found: dict[str, list[Listed]] = {}
        for page in self.pages.values():
            found.setdefault(page.path.rpartition("/")[0], []).append(page)
        return found

    @cached_property
    def entries(self) -> list[Entry]:
        """All entries, in order of paths."""
        return [self.entry(path) for path in sorted(self.pages)]

    def visible_entries(self, access: Access) -> list[Entry]:
        """Return the entries that an access set admits."""
        entry, whole = PageEntry.of, self
        return [entry(path, whole) for path, one in self.access_of.items() if one in access]

    def entry(self, path: str) -> Entry:
        return PageEntry.of(path, self)

    # what an entry asks for: `entry.Facts`

    def size_of(self, path: str) -> int:
        size = self.pages.size(path)
        if size < 0:
            size = self.sizes.get(path, -1)
        return size if size >= 0 else self.find_size(path, self.access_of[path])

    def modified(self, path: str) -> int:
        return self.pages.modified(path)

    def access_id(self, path: str) -> int:
        return self.access_of[path]

    @cached_property
    def _counts(self) -> Counter[int]:
        return Counter(self.access_of.values())

    def count(self, access: Access) -> int:
        """Return how many pages an access set admits."""
        return sum(self._counts[one] for one in access)

    @cached_property
    def slugs(self) -> dict[str, str]:
        """Paths by the name that the collection has for a page."""
        return {self.pages.slug(path): path for path in self.pages}

    @cached_property
    def pointers(self) -> frozenset[str]:
        """Pages whose bytes the collection does not have."""
        return self.pages.pointing()

    @property
    def vectors(self) -> str:
        return self.manifest.vectors if self.manifest is not None else ""

    def visible(self, path: str, access: Access) -> Listed | None:
        return self.pages[path] if self.access_of.get(path) in access else None

    def incomplete(self, access: Access) -> str:
        """Return what is known to be missing of what somebody sees; empty when nothing is."""
        torn = sorted(path for path in list(self.torn) if self.access_of.get(path) in access)
        below = [
            page.path
            for page, access_id in self.below
            if access_id in access
            and any(self.access_of.get(above) in access for above in above_of(page.path))
        ]
        parts = []
        if torn:
            parts.append(f"{self.torn[torn[0]]}{_more(torn)}")
        if below:
            why = "lies below another page and has no place in a tree"
            parts.append(f"{below[0]} {why}{_more(below)}")
        return "; ".join(parts)

    def state_of(self, page: Listed) -> str:
        """Return what changes when the text of a page does."""
        return page.version or f"{self.stamp[0]}:{self.generation}"


def _more(paths: Sequence[str]) -> str:
    return f", and {len(paths) - 1} more" if len(paths) > 1 else ""


def read(
    collection: Collection,
    names: FieldNames,
    before: Snapshot | None,
    label: Callable[[AccessRow], AccessRow],
    find_size: FindSize,
    cache: Cache,
) -> Snapshot:
    """Return the state that a collection has now: `before` itself when nothing changed.

    `label`: the row with an id of this process for a label; `find_size`: asks for the size of a
    path.
    Raises: `NotIndexed` without a tree, `CorruptStore` and `NewerStore` for one that cannot be
    read, and what the collection raises.
    """
    for _ in range(LOOKS - 1):
        with suppress(_Moved), _no_collecting():
            return _read(collection, names, before, label, find_size, cache)
        time.sleep(LOOK_PAUSE_SECONDS)
    return _read(collection, names, before, label, find_size, cache)


class _Moved(CorruptStore):
    """A document is not the one that was named a moment ago: it was replaced, or is broken."""


@contextmanager
def _no_collecting() -> Iterator[None]:
    """Put the collector of cycles off: a tree is ten thousands of values without any, and a full
    collection among them doubles the time of reading it."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _read(
    collection: Collection,
    names: FieldNames,
    before: Snapshot | None,
    label: Callable[[AccessRow], AccessRow],
    find_size: FindSize,
    cache: Cache,
) -> Snapshot:
    documents = _Documents(collection, cache)
    mark = documents.mark(names.tree)
    head = ""
    if not mark:  # a tree of others: only its text tells whether it changed
        head = documents.fetch(names.tree)
        mark = digest(head)
    same = before is not None and before.stamp[:2] == (collection.id, mark)
    if before is not None and same and before.manifest is not None:
        return before
    # Such a tree does not change with the text of its pages either; their number may tell.
    count = collection.count() if head else 0
    if before is not None and same and before.stamp[2] == count:
        return before
    trees = [unpack(head or documents.known(names.tree, mark), names.tree)]
    manifest = manifest_of(trees[0], names.tree)
    if manifest is not None:
        count = 0
        trees += [unpack(documents.known(name, one), name) for name, one in manifest.parts]
    stamp = (collection.id, mark, count)
    table = Table(trees, names)
    ids = [label(row).id for row in table.rows]
    below = dict(zip(table.rows, ids, strict=True))
    return Snapshot(
        collection,
        stamp,
        _generation(stamp, manifest),
        manifest,
        table,
        {path: ids[at] for path, at in table.label_of.items()},
        [(page, below[page.label]) for page in table.below],
        find_size,
    )


class _Documents:
    """The documents of which a tree consists: from the cache when their digest is known."""

    def __init__(self, collection: Collection, cache: Cache) -> None:
        self._collection = collection
        self._cache = cache
        self._scope = Scope(f"chroma:{collection.id}", 0, ())

    def mark(self, name: str) -> str:
        """Return the digest that the publisher wrote beside a tree; empty for a tree of others.

        Raises: `NotIndexed` when there is none.
        """
        answer = self._collection.get(ids=[name], include=["metadatas"])
        if not answer["ids"]:
            raise NotIndexed(
                f"the collection has no document {name}",
                hint="publish its tree first with `tadoru publish`",
            )
        mark = ((answer["metadatas"] or [None])[0] or {}).get(MARK)
        return mark if isinstance(mark, str) else ""

    def fetch(self, name: str) -> str:
        """Return a document; empty when it is not there."""
        documents = self._collection.get(ids=[name], include=["documents"]).get("documents")
        text = documents[0] if documents else ""
        return text if isinstance(text, str) else ""

    def known(self, name: str, mark: str) -> str:
        """Return the document with this digest. Raises: `CorruptStore` when it is another one."""
        key = self._scope.key("tree", mark)
        kept = self._cache.get(key)
        text = kept.decode("ascii", "replace") if kept is not None else ""
        if digest(text) == mark:
            return text
        text = self.fetch(name)
        if digest(text) != mark:
            raise _Moved(
                f"a part of the tree is missing or another one: {name}",
                hint="publish it again with `tadoru publish`",
            )
        self._cache.put(key, text.encode())
        return text


def _generation(stamp: Stamp, manifest: Manifest | None) -> int:
    """Return a number that rises with every publication, and differs for every state."""
    mark = int(digest("\0".join(map(str, stamp))), 16)
    return mark >> 16 if manifest is None else manifest.generation << 24 | mark >> 40
