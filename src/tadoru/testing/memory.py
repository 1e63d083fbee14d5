"""A `Store` in plain dicts, for tests: built from texts, slow, and plainly right."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Literal

from tadoru.stores.base import Admit, ChunkRef
from tadoru.testing.reference import ReferencePostings
from tadoru.text.decode import Offsets, decode
from tadoru.text.languages import language_of
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
    Kind,
    Span,
    Symbol,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

LINES = 40
"""Lines of a chunk when the test gives none."""

_IDS = count(1)
"""Two stores never share an id: trees are cached by it."""

Label = Collection[str] | Literal["public"]


@dataclass(frozen=True, slots=True)
class _File:
    entry: Entry
    data: bytes
    text: str | None
    chunks: tuple[Chunk, ...]


class MemoryStore:
    """A fake `Store`.

    files: path -> text or bytes.
    labels: path -> `"public"` or groups; when given, a path without one is hidden.
    chunks: path -> chunks; else blocks of 40 lines.
    links: path -> target. unindexed: paths of which only the name is known so far.
    vectors: fingerprint -> {(path, chunk index): unit vector of shape (d,)}.
    """

    def __init__(
        self,
        files: Mapping[str, str | bytes],
        *,
        labels: Mapping[str, Label] | None = None,
        chunks: Mapping[str, Sequence[Chunk]] | None = None,
        symbols: Iterable[Symbol] = (),
        imports: Iterable[Import] = (),
        links: Mapping[str, str] | None = None,
        unindexed: Collection[str] = (),
        vectors: Mapping[str, Mapping[tuple[str, int], npt.NDArray[np.float32]]] | None = None,
        ignored: Mapping[str, str] | None = None,
        host_root: str = "",
        store_id: str = "",
        mtime_ns: int = 1_700_000_000_000_000_000,
    ) -> None:
        self.id = store_id or f"memory-{next(_IDS)}"
        self.generation = 1
        self.host_root = host_root
        self.status = Freshness.FRESH
        self.detail = ""
        self._labels = labels
        self._rows = {HIDDEN.id: HIDDEN, PUBLIC.id: PUBLIC}
        self._mtime_ns = mtime_ns
        self._unindexed = set(unindexed)
        self._chunks = dict(chunks or {})
        self._symbols = sorted(symbols, key=lambda s: (s.path, s.span.start_char))
        self._imports = sorted(imports, key=lambda edge: (edge.path, edge.line))
        self._vectors = vectors or {}
        self._ignored = ignored or {}
        self._files: dict[str, _File] = {}
        for path, content in files.items():
            self._add(path, content)
        for path, target in (links or {}).items():
            entry = Entry(
                path,
                Kind.LINK,
                len(target),
                mtime_ns,
                self._label_id(path),
                len(self._files) + 1,
                target=target,
            )
            self._files[path] = _File(entry, b"", None, ())
        self.postings = ReferencePostings(self._documents)
        self.literals = _ScannedLiterals(self)

    # -- changes -------------------------------------------------------------------------------

    def put(self, path: str, content: str | bytes) -> None:
        """Add or replace a file."""
        self.generation += 1
        self._chunks.pop(path, None)
        self._unindexed.discard(path)
        self._add(path, content)

    def delete(self, path: str) -> None:
        """Remove a file."""
        self.generation += 1
        del self._files[path]

    def _add(self, path: str, content: str | bytes) -> None:
        data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        indexed = path not in self._unindexed
        decoded = decode(data)
        entry = Entry(
            path, Kind.FILE, len(data), self._mtime_ns, self._label_id(path),
            len(self._files) + 1, language_of(path), indexed=indexed,
        )  # fmt: skip
        chunks: tuple[Chunk, ...] = ()
        if indexed and decoded is not None:
            given = self._chunks.get(path)
            chunks = tuple(given) if given is not None else by_lines(path, decoded.text)
        self._files[path] = _File(entry, data, decoded.text if decoded else None, chunks)

    def _label_id(self, path: str) -> int:
        if self._labels is None:
            return PUBLIC.id
        label = self._labels.get(path, ())
        if label == "public":
            return PUBLIC.id
        groups = frozenset(label)
        for row in self._rows.values():
            if not row.public and row.groups == groups:
                return row.id
        number = len(self._rows)
        self._rows[number] = AccessRow(number, False, groups)
        return number

    # -- reads ---------------------------------------------------------------------------------

    def access_rows(self) -> tuple[AccessRow, ...]:
        return tuple(self._rows.values())

    def _visible(self, access: Access) -> dict[str, _File]:
        return {p: f for p, f in sorted(self._files.items()) if f.entry.access_id in access}

    def _file(self, path: str, access: Access) -> _File | None:
        file = self._files.get(path)
        if file is None or file.entry.access_id not in access or file.entry.kind is Kind.LINK:
            return None
        return file

    def entries(self, *, access: Access) -> Iterator[Entry]:
        return (file.entry for file in self._visible(access).values())

    def read(self, path: str, *, access: Access, start: int = 0, size: int = -1) -> bytes | None:
        file = self._file(path, access)
        if file is None:
            return None
        start = max(0, start)
        return file.data[start:] if size < 0 else file.data[start : start + size]

    def read_many(self, paths: Iterable[str], *, access: Access) -> Iterator[tuple[str, bytes]]:
        for path in paths:
            data = self.read(path, access=access)
            if data is not None:
                yield path, data

    def text(self, path: str, *, access: Access) -> str | None:
        file = self._file(path, access)
        return file.text if file else None

    def chunks(self, path: str, *, access: Access) -> tuple[Chunk, ...]:
        file = self._file(path, access)
        return file.chunks if file else ()

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
        found = [
            symbol
            for symbol in self._symbols
            if self._file(symbol.path, access) is not None
            and (name is None or symbol.name == name)
            and (folded is None or symbol.name.casefold() == folded.casefold())
            and (path is None or symbol.path == path)
            and (not under or symbol.path.startswith(under.rstrip("/") + "/"))
            and (not kinds or symbol.kind in kinds)
        ]
        offset = max(0, offset)
        return found[offset : offset + max(0, limit)], len(found)

    def imports(self, path: str, *, access: Access) -> list[Import]:
        visible = self._visible(access)
        return [
            edge if edge.target in visible else replace(edge, target="")
            for edge in self._imports
            if edge.path == path and path in visible
        ]

    def importers(self, path: str, *, access: Access) -> list[Import]:
        visible = self._visible(access)
        return [
            edge
            for edge in self._imports
            if edge.target == path and path in visible and edge.path in visible
        ]

    def import_counts(self, *, access: Access) -> dict[str, int]:
        visible = self._visible(access)
        edges = {
            (edge.target, edge.path)
            for edge in self._imports
            if edge.target in visible and edge.path in visible
        }
        return {
            path: sum(target == path for target, _ in edges)
            for path in sorted({target for target, _ in edges})
        }

    def nearest(
        self,
        vector: npt.NDArray[np.float32],
        *,
        fingerprint: str,
        access: Access,
        k: int,
        admit: Admit | None = None,
    ) -> list[ChunkRef]:
        found = []
        for (path, index), other in self._vectors.get(fingerprint, {}).items():
            file = self._file(path, access)
            if file is not None and (admit is None or admit(file.entry)):
                found.append(ChunkRef(path, index, float(vector @ other)))
        found.sort(key=lambda ref: (-ref.score, ref.path, ref.index))
        return found[: max(0, k)]

    def vectors(
        self, refs: Sequence[tuple[str, int]], *, fingerprint: str, access: Access
    ) -> npt.NDArray[np.float32] | None:
        import numpy as np

        known = self._vectors.get(fingerprint)
        if not known or not any(self._file(path, access) for path, _ in known):
            return None
        blank = np.zeros_like(next(iter(known.values())))
        rows = [
            known.get(ref, blank) if self._file(ref[0], access) is not None else blank
            for ref in refs
        ]
        return np.array(rows, dtype=np.float32).reshape(len(refs), len(blank))

    def state(self, *, access: Access) -> IndexState:
        visible = self._visible(access)
        pending = sum(not file.entry.indexed for file in visible.values())
        status = self.status
        if status in (Freshness.FRESH, Freshness.UPDATING):
            status = Freshness.UPDATING if pending else Freshness.FRESH
        generation = self.generation if self._labels is None else 0
        if not access:
            return IndexState()
        return IndexState(status, self.detail, generation, len(visible), pending)

    def ignored(self, path: str, *, access: Access) -> str:
        return self._ignored.get(path, "") if access and self._labels is None else ""

    def close(self) -> None:
        """Hold nothing, release nothing."""

    def _documents(self) -> Iterator[tuple[Entry, Sequence[Chunk], str]]:
        for path in sorted(self._files):
            file = self._files[path]
            if file.text is not None and file.entry.indexed:
                yield file.entry, file.chunks, file.text


class _ScannedLiterals:
    """A `LiteralIndex` that looks into every file."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    def candidates(self, literals: Sequence[Sequence[bytes]], *, access: Access) -> set[str] | None:
        if not access:
            return set()
        if not literals:
            return None
        found = set()
        for entry in self._store.entries(access=access):
            data = self._store.read(entry.path, access=access)
            if (
                data is None
                or not entry.indexed
                or decode(data) is None
                or all(
                    any(literal.lower() in data.lower() for literal in choice)
                    for choice in literals
                )
            ):
                found.add(entry.path)
        return found


def by_lines(path: str, text: str, lines: int = LINES) -> tuple[Chunk, ...]:
    """Cut a text into blocks of whole lines that tile it."""
    offsets = Offsets(text)
    chunks = []
    for index, first in enumerate(range(1, offsets.line_count + 1, lines)):
        last = min(first + lines - 1, offsets.line_count)
        start, end = offsets.line_start(first), offsets.line_start(last + 1)
        span = Span(first, last, start, end, offsets.byte_of(start), offsets.byte_of(end))
        chunks.append(Chunk(path, index, span, kind="lines"))
    return tuple(chunks)
