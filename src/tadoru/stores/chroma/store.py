"""`ChromaStore`: a Chroma collection as a read-only catalogue.

The tree decides what exists and who may see it; it is looked at again every two seconds, and while
the server is away it counts for half a minute more, which every answer says; then nothing is
answered. Text is fetched when it is asked for. There are no symbols and no import edges here.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from tadoru.config import MIB
from tadoru.errors import TadoruError
from tadoru.stores.base import Admit, ChunkRef, LiteralIndex, Postings
from tadoru.stores.cache import Cache, MemoryCache
from tadoru.stores.chroma import snapshot as snapshots
from tadoru.stores.chroma.address import Address, FieldNames
from tadoru.stores.chroma.collection import Away, Collection, Gone
from tadoru.stores.chroma.connect import connector
from tadoru.stores.chroma.form import Listed
from tadoru.stores.chroma.pages import Torn, content_of, unpacked
from tadoru.stores.chroma.reader import PageReader
from tadoru.stores.chroma.snapshot import Snapshot
from tadoru.types import (
    HIDDEN,
    PUBLIC,
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

CHECK_SECONDS = 2.0
"""How long the tree is believed before it is asked for again: so late a label takes effect."""
GRACE_SECONDS = 30.0
"""How long it is believed while the server is away."""
PAUSE_SECONDS = 3.0
"""After a look in vain nobody else looks for so long."""
OWN_CACHE_BYTES = 64 * MIB
SIBLINGS = 256
"""Pages of a directory whose sizes are found with one that is asked for."""
T = TypeVar("T")


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
        self._connect = connect
        self._directory = directory
        self._cache = cache if cache is not None else MemoryCache(OWN_CACHE_BYTES)
        self.reader = PageReader(self.names, self._cache, objects)
        self._rows: dict[tuple[bool, frozenset[str]], AccessRow] = {
            (False, frozenset()): HIDDEN,
            (True, frozenset()): PUBLIC,
        }
        self._looking = threading.Lock()
        self._collection: Collection | None = None
        self._snapshot: Snapshot | None = None
        self._seen = float("-inf")
        """When the snapshot was last found to be the newest state."""
        self._failed = float("-inf")
        self._failure: Away | None = None

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
        """Return the newest state that is known, after a look at the collection when it is due.

        Raises: `Away` when the server does not answer, `Gone` without the collection,
        `NotIndexed`, `CorruptStore`, `NewerStore` for its tree.
        """
        known, age = self._snapshot, time.monotonic() - self._seen
        if known is not None and age <= CHECK_SECONDS:
            return known
        usable = known is not None and age <= GRACE_SECONDS
        if usable and not self._looking.acquire(blocking=False):
            assert known is not None
            return known  # somebody else is looking
        if not usable:
            self._looking.acquire()
        try:
            return self._look()
        finally:
            self._looking.release()

    def _look(self) -> Snapshot:
        known, age = self._snapshot, time.monotonic() - self._seen
        if known is not None and age <= CHECK_SECONDS:
            return known
        usable = known if known is not None and age <= GRACE_SECONDS else None
        if self._failure is not None and time.monotonic() - self._failed < PAUSE_SECONDS:
            if usable is not None:
                return usable
            raise self._failure
        try:
            found = self._read()
        except Away as error:
            self._failed, self._failure = time.monotonic(), error
            if usable is not None:
                return usable
            raise
        self._seen, self._failure = time.monotonic(), None
        self._snapshot = found
        return found

    def _read(self) -> Snapshot:
        """Read the state of the collection; of the one that has its name now, if it was replaced.

        After any other failure than that of the server nothing is known any more.
        """
        before = self._snapshot
        for attempt in range(2):
            try:
                if self._collection is None:
                    self._collection = self._connect()
                return snapshots.read(
                    self._collection,
                    self.names,
                    before,
                    self._label,
                    self._size_of,
                    self._cache,
                )
            except Gone:
                self._collection = self._snapshot = before = None
                if attempt:
                    raise
            except Away:
                raise
            except TadoruError:
                self._snapshot = None
                raise
        raise AssertionError("two attempts return or raise")

    def again(self, seen: Snapshot) -> Snapshot:
        """Look at the collection now, because what `seen` promised was not there."""
        with self._looking:
            if self._snapshot is seen:
                self._seen = float("-inf")
                self._failure = None
                return self._look()
        return self.now()

    def with_newest(self, ask: Callable[[Snapshot], T]) -> T:
        """Ask with the newest state; once more when the collection was replaced meanwhile."""
        snapshot = self.now()
        try:
            return ask(snapshot)
        except Gone:
            return ask(self.again(snapshot))

    def _label(self, label: AccessRow) -> AccessRow:
        key = (True, frozenset[str]()) if label.public else (False, label.groups)
        if key not in self._rows:
            self._rows[key] = AccessRow(len(self._rows), False, label.groups)
        return self._rows[key]

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
        return tuple(self._rows.values())

    def entries(self, *, access: Access) -> Iterator[Entry]:
        if access:
            yield from self.now().visible_entries(access)

    def _size_of(self, path: str, access_id: int) -> int:
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

        return self.with_newest(ask)

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

        found = self.with_newest(ask)
        if isinstance(found, Torn):
            found = ask(self.again(self.now()))
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
        return self.with_newest(
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
        state = IndexState(files=sum(1 for one in now.access_of.values() if one in access))
        if not access:
            return state
        if self._failure is not None:
            age = max(1, round(time.monotonic() - self._seen))
            detail = f"{self._failure.message}; this is what was there {age} s ago"
            return replace(state, status=Freshness.STALE, detail=detail)
        if detail := now.incomplete(access):
            return replace(state, status=Freshness.PARTIAL, detail=detail)
        waiting = now.index.waiting(access) if now.index is not None else 0
        if waiting:
            return replace(state, status=Freshness.UPDATING, pending=waiting)
        return state

    def ignored(self, path: str, *, access: Access) -> str:
        return ""
