"""`ChromaStore`: a Chroma collection as a read-only catalogue.

The tree decides what exists and who may see it; `newest` decides how long it is believed. Text is
fetched when it is asked for. There are no symbols and no import edges here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from tadoru.config import MIB
from tadoru.stores.base import Admit, ChunkRef, LiteralIndex, Postings
from tadoru.stores.cache import Cache, MemoryCache
from tadoru.stores.chroma.address import Address, FieldNames
from tadoru.stores.chroma.collection import Collection
from tadoru.stores.chroma.connect import connector
from tadoru.stores.chroma.form import Listed
from tadoru.stores.chroma.newest import Newest
from tadoru.stores.chroma.pages import Torn, content_of, unpacked
from tadoru.stores.chroma.reader import PageReader
from tadoru.stores.chroma.snapshot import Snapshot
from tadoru.types import (
    Access,
    AccessRow,
    Chunk,
    Entry,
    Freshness,
    Import,
    IndexState,
    Symbol,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from tadoru.stores.chroma.finding import Finding
    from tadoru.stores.objects import ObjectReader

OWN_CACHE_BYTES = 64 * MIB
SIBLINGS = 256
"""Pages of a directory whose sizes are found with one that is asked for."""


class ChromaStore:
    """A `Store` over a collection."""

    host_root = ""

    def __init__(
        self,
        connect: Callable[[], Collection],
        names: FieldNames | None = None,
        *,
        cache: Cache | None = None,
        objects: ObjectReader | None = None,
        directory: Path | None = None,
    ) -> None:
        """`connect`: finds the collection, by name; `directory`: where the index of terms is kept
        for the next process. Nothing is asked before the first question."""
        self.names = names or FieldNames()
        self._directory = directory
        cache = cache if cache is not None else MemoryCache(OWN_CACHE_BYTES)
        self.reader = PageReader(self.names, cache, objects)
        self.newest = Newest(connect, self.names, cache, self._find_size)

    @classmethod
    def open(
        cls,
        address: Address,
        *,
        cache: Cache | None = None,
        objects: ObjectReader | None = None,
        directory: Path | None = None,
    ) -> ChromaStore:
        """Return the store of an address; it connects when it is first asked."""
        return cls(
            connector(address), address.names, cache=cache, objects=objects, directory=directory
        )

    def close(self) -> None:
        """Hold nothing open: connections are shared by all who use this store."""

    # -- the tree ------------------------------------------------------------------------------

    def now(self) -> Snapshot:
        """Return the newest state that is known. Raises: as `Newest.get`."""
        return self.newest.get()

    @property
    def id(self) -> str:
        """Names the very collection: one that is made anew under the same name has another."""
        return f"chroma:{self.now().stamp[0]}"

    @property
    def generation(self) -> int:
        """Raised by every publication, and the same in all processes."""
        return self.now().generation

    def access_rows(self) -> tuple[AccessRow, ...]:
        self.now()
        return self.newest.rows

    def entries(self, *, access: Access) -> Iterator[Entry]:
        if access:
            yield from self.now().visible_entries(access)

    def _find_size(self, path: str, access_id: int) -> int:
        """Return the size of a page, and find those of its neighbours with the same label."""
        access = frozenset((access_id,))
        folder = path.rpartition("/")[0]

        def ask(snapshot: Snapshot) -> int:
            if path not in snapshot.sizes:
                alike = (
                    page
                    for page in snapshot.folders.get(folder, ())
                    if page.path not in snapshot.sizes
                    and page.pointer is None
                    and snapshot.visible(page.path, access)
                )
                wanted = {page.path: page for page in islice(alike, SIBLINGS)}
                if page := snapshot.visible(path, access):
                    wanted[path] = page
                self.reader.packed(snapshot, list(wanted.values()))
            return snapshot.sizes.get(path, 0)

        return self.newest.ask(ask)

    # -- content -------------------------------------------------------------------------------

    def _packed(self, path: str, access: Access) -> bytes | Listed | None:
        """Return a packed page, or the page itself where it is a pointer; None for nobody's.

        Raises: `Torn` when the collection cannot give it whole, at a second look too.
        """
        if not access:
            return None

        def ask(snapshot: Snapshot) -> bytes | Listed | Torn | None:
            page = snapshot.visible(path, access)
            if page is None or page.pointer is not None:
                return page
            return self.reader.packed(snapshot, [page])[path]

        found = self.newest.ask(ask)
        if isinstance(found, Torn):
            found = ask(self.newest.again(self.now()))
            if isinstance(found, Torn):
                raise found
        return found

    def read(self, path: str, *, access: Access, start: int = 0, size: int = -1) -> bytes | None:
        found = self._packed(path, access)
        start = max(0, start)
        if isinstance(found, Listed):
            return self.reader.behind(found, start, size)
        if found is None:
            return None
        data = content_of(found)
        return data[start:] if size < 0 else data[start : start + size]

    def read_many(self, paths: Iterable[str], *, access: Access) -> Iterator[tuple[str, bytes]]:
        if not access:
            return
        snapshot = self.now()
        rest = iter(paths)
        listed = (page for path in rest if (page := snapshot.visible(path, access)) is not None)
        yield from self.reader.contents(snapshot, listed)

    def text(self, path: str, *, access: Access) -> str | None:
        found = self._packed(path, access)
        if isinstance(found, Listed):
            from tadoru.text.decode import decode

            decoded = decode(self.reader.behind(found))
            return None if decoded is None else decoded.text
        return None if found is None else unpacked(found).text

    def chunks(self, path: str, *, access: Access) -> tuple[Chunk, ...]:
        found = self._packed(path, access)
        return unpacked(found).chunks(path) if isinstance(found, bytes) else ()

    # -- finding -------------------------------------------------------------------------------

    @cached_property
    def _finding(self) -> Finding:
        from tadoru.stores.chroma.finding import Finding

        return Finding(self, self._directory)

    @property
    def postings(self) -> Postings:
        return self._finding.postings

    @property
    def literals(self) -> LiteralIndex:
        return self._finding.literals

    def lacking(self, fingerprint: str, dimension: int) -> str:
        """Tell why a model cannot be asked about this collection; empty when it can."""
        return self._finding.lacking(self.now(), fingerprint, dimension)

    def nearest(
        self,
        vector: npt.NDArray[np.float32],
        *,
        fingerprint: str,
        access: Access,
        k: int,
        admit: Admit | None = None,
    ) -> list[ChunkRef]:
        if not access or k <= 0:
            return []
        return self.newest.ask(
            lambda now: self._finding.nearest(now, vector, fingerprint, access, k, admit)
        )

    def vectors(
        self, refs: Sequence[tuple[str, int]], *, fingerprint: str, access: Access
    ) -> npt.NDArray[np.float32] | None:
        return None  # one question brings its vectors along; nobody else asks for them

    # -- structure -----------------------------------------------------------------------------

    def symbols(
        self,
        *,
        access: Access,
        name: str | None = None,
        folded: str | None = None,
        path: str | None = None,
        under: str | None = None,
        kinds: Sequence[str] = (),
        offset: int = 0,
        limit: int = 1_000,
    ) -> tuple[list[Symbol], int]:
        return [], 0

    def imports(self, path: str, *, access: Access) -> list[Import]:
        return []

    def importers(self, path: str, *, access: Access) -> list[Import]:
        return []

    def import_counts(self, *, access: Access) -> dict[str, int]:
        return {}

    # -- health --------------------------------------------------------------------------------

    def state(self, *, access: Access) -> IndexState:
        """Return what an answer has to say: the server is away, pages are not whole, or the index
        of terms is being made; counted over what is visible."""
        now = self.now()
        state = IndexState(files=now.count(access))
        if not access:
            return state
        if detail := self.newest.outdated():
            return replace(state, status=Freshness.STALE, detail=detail)
        if detail := now.incomplete(access):
            return replace(state, status=Freshness.PARTIAL, detail=detail)
        waiting = now.index.waiting(access) if now.index is not None else 0
        if waiting:
            return replace(state, status=Freshness.UPDATING, pending=waiting)
        return state

    def ignored(self, path: str, *, access: Access) -> str:
        return ""
