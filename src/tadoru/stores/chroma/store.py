"""`ChromaStore`: a Chroma collection as a read-only catalogue.

The tree decides what exists and who may see it; text is fetched when it is asked for. The first
question that ranks or searches reads every page once and indexes it in memory, with the same code
as SQLite: Chroma's `$contains` looks into single chunks with regard to case, so a match across a
seam would be missed. It has no symbols, no import edges and no vectors of ours.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from tadoru.errors import Unavailable
from tadoru.stores.base import Admit, ChunkRef, FieldWeight, LiteralIndex, Postings
from tadoru.stores.chroma.pages import PAGES_ASKED, FieldNames, Listed, Page, Pages
from tadoru.types import (
    HIDDEN,
    PUBLIC,
    Access,
    AccessRow,
    Chunk,
    Entry,
    Import,
    IndexState,
    Kind,
    Role,
    Symbol,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from tadoru.stores.chroma.index import PageIndex
    from tadoru.text.terms import Field

CHECK_SECONDS = 2.0
"""How long the tree is believed before it is asked for again."""


@dataclass(slots=True)
class _State:
    """The tree at one moment, and what was made of it."""

    generation: int
    pages: dict[str, Listed]
    entries: list[Entry]
    index: PageIndex | None = None
    building: threading.Lock = field(default_factory=threading.Lock)


class ChromaStore:
    """A `Store` over a collection. `open` connects; the constructor takes a collection."""

    host_root = ""

    def __init__(self, collection: Any, names: FieldNames | None = None) -> None:
        self._pages = Pages(collection, names or FieldNames())
        self.id = f"chroma:{collection.id}"
        self._lock = threading.Lock()
        self._rows: dict[tuple[bool, frozenset[str]], AccessRow] = {
            (False, frozenset()): HIDDEN,
            (True, frozenset()): PUBLIC,
        }
        self._checked = float("-inf")
        self._state: _State | None = None

    @classmethod
    def open(cls, where: str, collection: str, names: FieldNames | None = None) -> ChromaStore:
        """Connect to a collection in a directory, or at `http://host:port`.

        Raises: `Unavailable` without the extra `tadoru[chroma]`, a server, or the collection.
        """
        try:
            import chromadb
            from chromadb.config import Settings
        except ImportError as error:
            raise Unavailable(
                "Chroma needs an optional part", hint="pip install 'tadoru[chroma]'"
            ) from error
        settings = Settings(anonymized_telemetry=False)
        try:
            if where.startswith(("http://", "https://")):
                from urllib.parse import urlsplit

                url = urlsplit(where)
                secure = url.scheme == "https"
                client = chromadb.HttpClient(
                    host=url.hostname or "localhost",
                    port=url.port or (443 if secure else 8000),
                    ssl=secure,
                    settings=settings,
                )
            else:
                client = chromadb.PersistentClient(path=where, settings=settings)
            found = client.get_collection(collection, embedding_function=None)
        except Exception as error:
            raise Unavailable(
                f"the collection {collection!r} at {where} cannot be opened: {error}",
                hint="check the address and the name",
            ) from error
        return cls(found, names)

    def close(self) -> None:
        """Hold nothing open: Chroma's client is shared by all who use it in this process."""

    # -- the tree ------------------------------------------------------------------------------

    def _now(self) -> _State:
        with self._lock:
            state = self._state
            if state is None or time.monotonic() - self._checked > CHECK_SECONDS:
                generation, listed = self._pages.tree()
                if state is None or generation != state.generation:
                    state = self._state = self._read_tree(generation, listed)
                self._checked = time.monotonic()
            return state

    def _read_tree(self, generation: int, listed: Sequence[Listed]) -> _State:
        from tadoru.text.languages import language_of

        entries = [
            Entry(
                page.path,
                Kind.FILE,
                page.size,
                access_id=self._label(page).id,
                id=number,
                language=language_of(page.path),
                role=Role.DOCS,
            )
            for number, page in enumerate(listed, start=1)
        ]
        return _State(generation, {page.path: page for page in listed}, entries)

    def _label(self, page: Listed) -> AccessRow:
        key = (True, frozenset[str]()) if page.public else (False, page.groups)
        if key not in self._rows:
            self._rows[key] = AccessRow(len(self._rows), False, page.groups)
        return self._rows[key]

    @property
    def generation(self) -> int:
        """A digest of the tree: it differs after every publication, in all processes alike."""
        return self._now().generation

    def access_rows(self) -> tuple[AccessRow, ...]:
        self._now()
        return tuple(self._rows.values())

    def _visible(self, path: str, access: Access) -> Listed | None:
        page = self._now().pages.get(path) if access else None
        return page if page is not None and self._label(page).id in access else None

    def entries(self, *, access: Access) -> Iterator[Entry]:
        if access:
            yield from (entry for entry in self._now().entries if entry.access_id in access)

    # -- content -------------------------------------------------------------------------------

    def _page(self, path: str, access: Access) -> Page | None:
        listed = self._visible(path, access)
        if listed is None:
            return None
        return next((page for _, page in self._pages.read([listed])), None)

    def read(self, path: str, *, access: Access, start: int = 0, size: int = -1) -> bytes | None:
        page = self._page(path, access)
        if page is None:
            return None
        start = max(0, start)
        data = page.text.encode("utf-8", "surrogatepass")
        return data[start:] if size < 0 else data[start : start + size]

    def read_many(self, paths: Iterable[str], *, access: Access) -> Iterator[tuple[str, bytes]]:
        names = iter(paths)
        while batch := list(islice(names, PAGES_ASKED)):
            listed = [page for path in batch if (page := self._visible(path, access)) is not None]
            for page, assembled in self._pages.read(listed):
                yield page.path, assembled.text.encode("utf-8", "surrogatepass")

    def text(self, path: str, *, access: Access) -> str | None:
        page = self._page(path, access)
        return None if page is None else page.text

    def chunks(self, path: str, *, access: Access) -> tuple[Chunk, ...]:
        page = self._page(path, access)
        return () if page is None else page.chunks

    # -- finding -------------------------------------------------------------------------------

    @property
    def postings(self) -> Postings:
        return _ChromaPostings(self)

    @property
    def literals(self) -> LiteralIndex:
        return _ChromaLiterals(self)

    def page_index(self) -> PageIndex:
        """Return the index in memory, made on first use for each state of the tree."""
        from tadoru.stores.chroma.index import PageIndex

        state = self._now()
        with state.building:
            if state.index is None:
                state.index = PageIndex(state.entries, self._pages.read(list(state.pages.values())))
            return state.index

    def nearest(
        self,
        vector: npt.NDArray[np.float32],
        *,
        fingerprint: str,
        access: Access,
        k: int,
        admit: Admit | None = None,
    ) -> list[ChunkRef]:
        return []

    def vectors(
        self, refs: Sequence[tuple[str, int]], *, fingerprint: str, access: Access
    ) -> npt.NDArray[np.float32] | None:
        return None

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
        return IndexState(files=sum(1 for _ in self.entries(access=access)))

    def ignored(self, path: str, *, access: Access) -> str:
        return ""


class _ChromaPostings:
    def __init__(self, store: ChromaStore) -> None:
        self._store = store

    def search(
        self,
        terms: Sequence[tuple[str, float]],
        *,
        access: Access,
        k: int,
        fields: dict[Field, FieldWeight] | None = None,
        admit: Admit | None = None,
    ) -> list[ChunkRef]:
        if not access or not terms or k <= 0:
            return []
        return self._store.page_index().search(terms, access, k, fields, admit)

    def frequencies(self, terms: Sequence[str], *, access: Access) -> list[int]:
        if not access or not terms:
            return [0] * len(terms)
        return self._store.page_index().frequencies(terms, access)


class _ChromaLiterals:
    def __init__(self, store: ChromaStore) -> None:
        self._store = store

    def candidates(self, literals: Sequence[Sequence[bytes]], *, access: Access) -> set[str] | None:
        if not access:
            return set()
        return self._store.page_index().candidates(literals, access)
