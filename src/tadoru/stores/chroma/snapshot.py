"""The tree of a collection at one moment, and how it is read.

Read once for each state of the collection, whoever asks; who sees what is decided by the access ids
on its entries. A tree in parts is whole, or is not read at all.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from tadoru.errors import CorruptStore, NotIndexed
from tadoru.stores.chroma.address import FieldNames
from tadoru.stores.chroma.collection import Collection
from tadoru.stores.chroma.form import Listed, Manifest, Table, digest, manifest_of, unpack
from tadoru.stores.chroma.index import PageIndex
from tadoru.stores.chroma.late import LateEntry
from tadoru.text.languages import language_of
from tadoru.types import Access, AccessRow, Entry, Kind, Role

SizeOf = Callable[[str, int], int]
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
    size_of: SizeOf
    _entries: dict[str, Entry] = field(default_factory=dict)
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
        return [self.entry(path) for path, one in self.access_of.items() if one in access]

    def entry(self, path: str) -> Entry:
        entry = self._entries.get(path)
        if entry is None:
            entry = self._entries[path] = self._entry(path)
        return entry

    def _entry(self, path: str) -> Entry:
        access_id = self.access_of[path]
        size = self.pages.size(path)
        if size >= 0:
            return Entry(
                path,
                Kind.FILE,
                size,
                access_id=access_id,
                id=1,
                language=language_of(path),
                role=Role.DOCS,
            )
        ask = partial(self.size_of, path, access_id)
        return LateEntry.of(path, ask, access_id, 1, language_of(path))

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

    def state_of(self, page: Listed) -> str:
        """Return what changes when the text of a page does."""
        return page.version or f"{self.stamp[0]}:{self.generation}"


def read(
    collection: Collection,
    names: FieldNames,
    before: Snapshot | None,
    label: Callable[[AccessRow], AccessRow],
    size_of: SizeOf,
) -> Snapshot:
    """Return the state that a collection has now: `before` itself when nothing changed.

    `label`: the row with an id of this process for a label; `size_of`: asks for the size of a path.
    Raises: `NotIndexed` without a tree, `CorruptStore` and `NewerStore` for one that cannot be
    read, and what the collection raises.
    """
    head = _document(collection, names.tree)
    mark = digest(head)
    if before is not None and before.manifest is not None and before.stamp[:2] == (
        collection.id, mark,
    ):  # fmt: skip
        return before
    tree = None if before is not None and before.stamp[1] == mark else unpack(head, names.tree)
    manifest = before.manifest if tree is None and before else manifest_of(tree or {}, names.tree)
    # A tree of others does not change with the text of its pages; their number may tell.
    stamp = (collection.id, mark, collection.count() if manifest is None else 0)
    if before is not None and before.stamp == stamp:
        return before
    trees = [tree if tree is not None else unpack(head, names.tree)]
    if manifest is not None:
        trees += _parts(collection, manifest, names.tree)
    table = Table(trees, names)
    ids = {row: label(row).id for row in {*table.labels.values(), *(p.label for p in table.below)}}
    return Snapshot(
        collection,
        stamp,
        _generation(stamp, manifest),
        manifest,
        table,
        {path: ids[row] for path, row in table.labels.items()},
        [(page, ids[page.label]) for page in table.below],
        size_of,
    )


def _document(collection: Collection, name: str) -> str:
    documents = collection.get(ids=[name], include=["documents"]).get("documents") or []
    if not documents or not isinstance(documents[0], str) or not documents[0]:
        raise NotIndexed(
            f"the collection has no document {name}",
            hint="publish its tree first with `tadoru publish`",
        )
    return documents[0]


def _parts(collection: Collection, manifest: Manifest, name: str) -> list[dict[str, Any]]:
    if not manifest.parts:
        return []
    answer = collection.get(ids=[part for part, _ in manifest.parts], include=["documents"])
    found = dict(zip(answer["ids"], answer["documents"] or (), strict=True))
    trees = []
    for part, mark in manifest.parts:
        text = found.get(part)
        if not isinstance(text, str) or digest(text) != mark:
            raise CorruptStore(
                f"a part of the tree {name} is missing or another one: {part}",
                hint="publish it again with `tadoru publish`",
            )
        trees.append(unpack(text, part))
    return trees


def _generation(stamp: Stamp, manifest: Manifest | None) -> int:
    """Return a number that rises with every publication, and differs for every state."""
    mark = int(digest("\0".join(map(str, stamp))), 16)
    return mark >> 16 if manifest is None else manifest.generation << 24 | mark >> 40


def _entry(page: Listed, access_id: int, number: int, size_of: Callable[[str, int], int]) -> Entry:
    from tadoru.text.languages import language_of

    size = page.pointer.size if page.pointer is not None else page.size
    language = language_of(page.path)
    if size < 0:
        path = page.path
        return LateEntry.of(path, lambda: size_of(path, access_id), access_id, number, language)
    return Entry(
        page.path,
        Kind.FILE,
        size,
        access_id=access_id,
        id=number,
        language=language,
        role=Role.DOCS,
    )
