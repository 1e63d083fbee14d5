"""The bytes of pages: from the cache, else from the collection in bulk, else from an object store.

A page is kept under its own label and state, so that all who may see it share it, and a new tree
costs only what changed. What the collection cannot give whole is noted and left out of a bulk, and
raised to whoever asked for that page alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

from tadoru.errors import TadoruError, Unavailable
from tadoru.stores.cache import Cache, Scope
from tadoru.stores.chroma.address import FieldNames
from tadoru.stores.chroma.form import Listed
from tadoru.stores.chroma.pages import Pages, Torn, content_of
from tadoru.stores.chroma.snapshot import Snapshot
from tadoru.stores.objects import ObjectReader
from tadoru.types import AccessRow

FIRST_BATCH = 16
LARGEST_BATCH = 256
"""Pages of one bulk, doubled from the first to the largest: the first arrive at once, and later
ones cost least."""


class PageReader:
    """Reads pages of snapshots. Threads share one."""

    def __init__(self, names: FieldNames, cache: Cache, objects: ObjectReader | None) -> None:
        self._pages = Pages(names)
        self._cache = cache
        self._objects = objects
        self._scopes: dict[tuple[str, int, bool, frozenset[str]], Scope] = {}

    def _key(self, snapshot: Snapshot, page: Listed) -> str:
        """Return where a page is kept: by what it is and who may see it, never by a user."""
        generation = 0 if page.version else snapshot.generation
        label = page.label
        named = (snapshot.stamp[0], generation, label.public, label.groups)
        scope = self._scopes.get(named)
        if scope is None:
            if len(self._scopes) > 1_000:
                self._scopes.clear()
            rows = [AccessRow(0, label.public, label.groups)]
            scope = self._scopes[named] = Scope(f"chroma:{named[0]}", generation, rows)
        return scope.key("page", f"{page.path}@{page.version}")

    def packed(
        self, snapshot: Snapshot, pages: Sequence[Listed], *, keep: bool = True
    ) -> dict[str, bytes | Torn]:
        """Return packed pages by path; `Torn` for those that the collection cannot give whole.

        `keep`: whether they are worth a place in the cache. Raises: what the collection raises.
        """
        keys = {page.path: self._key(snapshot, page) for page in pages}
        known = self._cache.get_many(list(keys.values()))
        found: dict[str, bytes | Torn] = {}
        missing = []
        for page in pages:
            if (kept := known.get(keys[page.path])) is None:
                missing.append(page)
            else:
                found[page.path] = kept
        fresh: dict[str, bytes] = {}
        for page, whole in self._pages.fetch(snapshot.collection, missing, snapshot.vectors):
            if isinstance(whole, Torn):
                found[page.path] = whole
                snapshot.torn[page.path] = whole.message
                continue
            value = whole.packed()
            found[page.path] = value
            fresh[keys[page.path]] = value
            snapshot.torn.pop(page.path, None)
        if fresh and keep:
            self._cache.put_many(fresh)
        for path, each in found.items():
            if isinstance(each, bytes) and path not in snapshot.sizes:
                snapshot.sizes[path] = len(each) - each.index(b"\n") - 1
        return found

    def contents(self, snapshot: Snapshot, pages: Iterable[Listed]) -> Iterator[tuple[str, bytes]]:
        """Yield (path, bytes) in the order of `pages`, each batch fetched while the one before it
        is being read. What is not whole, or may not be read, is left out and noted."""
        batches = _batches(pages)
        batch = next(batches, None)
        following = next(batches, None)
        if batch is None or following is None:
            if batch is not None:
                yield from self._ordered(snapshot, batch, self._fetched(snapshot, batch))
            return
        pool = ThreadPoolExecutor(1, thread_name_prefix="tadoru-chroma")
        try:
            fetched = pool.submit(self._fetched, snapshot, batch)
            while batch is not None:
                done = fetched.result()
                if following is not None:
                    fetched = pool.submit(self._fetched, snapshot, following)
                yield from self._ordered(snapshot, batch, done)
                batch, following = following, next(batches, None)
        finally:  # whoever stops reading waits for nothing
            pool.shutdown(wait=False, cancel_futures=True)

    def _fetched(self, snapshot: Snapshot, batch: Sequence[Listed]) -> dict[str, bytes | Torn]:
        return self.packed(snapshot, [page for page in batch if page.pointer is None])

    def _ordered(
        self, snapshot: Snapshot, batch: Sequence[Listed], found: dict[str, bytes | Torn]
    ) -> Iterator[tuple[str, bytes]]:
        for page in batch:
            if page.pointer is not None:
                try:
                    data = self.behind(page)
                except TadoruError as error:
                    snapshot.torn[page.path] = error.message
                    continue
                snapshot.torn.pop(page.path, None)
                yield page.path, data
                continue
            value = found.get(page.path)
            if isinstance(value, bytes):
                yield page.path, content_of(value)

    def behind(self, page: Listed, start: int = 0, size: int = -1) -> bytes:
        """Return bytes of the object that a page points to. Raises: as `ObjectReader.read`."""
        assert page.pointer is not None
        if self._objects is None:
            raise Unavailable(
                f"{page.path} is a pointer to {page.pointer.url}, which is not allowed here",
                hint="`objects.allow` in the user's configuration names what may be read",
            )
        return self._objects.read(page.pointer, start=start, size=size)


def _batches(pages: Iterable[Listed]) -> Iterator[list[Listed]]:
    names = iter(pages)
    size = FIRST_BATCH
    while batch := list(islice(names, size)):
        yield batch
        size = min(2 * size, LARGEST_BATCH)
