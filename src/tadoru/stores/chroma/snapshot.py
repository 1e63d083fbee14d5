"""The tree of a collection at one moment, and how it is read.

Read once for each state of the collection, whoever asks; who sees what is decided by the access ids
on its entries. A tree in parts is whole, or is not read at all.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tadoru.errors import CorruptStore, NotIndexed
from tadoru.stores.chroma.address import FieldNames
from tadoru.stores.chroma.collection import Collection
from tadoru.stores.chroma.form import Listed, Manifest, digest, listed_of, manifest_of, unpack
from tadoru.stores.chroma.index import PageIndex
from tadoru.stores.chroma.late import LateEntry
from tadoru.types import Access, AccessRow, Entry, Kind, Role

Stamp = tuple[str, str, int]
"""Id of the collection, digest of the head of its tree, count of rows where that has a meaning."""


@dataclass(eq=False)
class Snapshot:
    """What a collection had at one moment, and what was learnt of it since."""

    collection: Collection
    stamp: Stamp
    generation: int
    manifest: Manifest | None
    pages: dict[str, Listed]
    entries: list[Entry]
    access_of: dict[str, int]
    """Path -> access id."""
    left_out: list[tuple[Listed, int]]
    """Pages below another one, which have no place in a tree, with their access ids."""
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
    def slugs(self) -> dict[str, str]:
        """Paths by the name that the collection has for a page."""
        return {page.slug: page.path for page in self.pages.values()}

    @cached_property
    def entry_of(self) -> dict[str, Entry]:
        return {entry.path: entry for entry in self.entries}

    @cached_property
    def pointers(self) -> frozenset[str]:
        """Pages whose bytes the collection does not have."""
        return frozenset(page.path for page in self.pages.values() if page.pointer is not None)

    @property
    def vectors(self) -> str:
        return self.manifest.vectors if self.manifest is not None else ""

    def visible(self, path: str, access: Access) -> Listed | None:
        return self.pages.get(path) if self.access_of.get(path) in access else None

    def state_of(self, page: Listed) -> str:
        """Return what changes when the text of a page does."""
        return page.version or f"{self.stamp[0]}:{self.generation}"


def read(
    collection: Collection,
    names: FieldNames,
    before: Snapshot | None,
    label: Callable[[AccessRow], AccessRow],
    size_of: Callable[[str, int], int],
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
    pages, below = listed_of(trees, names)
    rows = {
        id(row): label(row).id for row in {id(p.label): p.label for p in (*pages, *below)}.values()
    }
    access_of = {page.path: rows[id(page.label)] for page in pages}
    return Snapshot(
        collection,
        stamp,
        _generation(stamp, manifest),
        manifest,
        {page.path: page for page in pages},
        [_entry(page, access_of[page.path], n, size_of) for n, page in enumerate(pages, start=1)],
        access_of,
        [(page, rows[id(page.label)]) for page in below],
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
