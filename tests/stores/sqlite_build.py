"""Builds a `SqliteStore` from the arguments of `MemoryStore`, as an indexer would."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np

from tadoru.stores.sqlite import FileRecord, FileStat, SqliteStore
from tadoru.stores.sqlite.literals import pack_trigrams
from tadoru.stores.sqlite.postings import pack_terms
from tadoru.stores.sqlite.vecpack import pack_vectors
from tadoru.testing.memory import by_lines
from tadoru.testing.suites.corpus import Labels, Vectors
from tadoru.text.decode import decode
from tadoru.types import PUBLIC, AccessRow, Chunk, Import, Kind, Role, Symbol


def write(root: Path, path: str, content: str | bytes) -> FileStat:
    """Write a file of the source and say what the walk would find."""
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return stat_of(root, path)


def stat_of(root: Path, path: str) -> FileStat:
    status = (root / path).lstat()
    return FileStat(
        path, Kind.FILE, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino
    )


def record(
    stat: FileStat,
    data: bytes,
    *,
    chunks: Sequence[Chunk] | None = None,
    symbols: Sequence[Symbol] = (),
    imports: Sequence[Import] = (),
    packed: bool = True,
) -> FileRecord:
    digest = blake2b(data, digest_size=16).digest()
    decoded = decode(data)
    if decoded is None:
        return FileRecord(stat, digest, role=Role.BINARY, note="binary")
    found = by_lines(stat.path, decoded.text) if chunks is None else tuple(chunks)
    return FileRecord(
        stat,
        digest,
        content=data,
        encoding=decoded.encoding,
        mark=decoded.mark,
        chunks=found,
        symbols=tuple(s for s in symbols if s.path == stat.path),
        imports=tuple(e for e in imports if e.path == stat.path),
        terms=pack_terms(found, decoded.text, stat.path) if packed else b"",
        trigrams=pack_trigrams(data) if packed else b"",
    )


def label_of(labels: Labels, path: str) -> AccessRow | None:
    label = labels.get(path)
    if label is None or label == "public":
        return PUBLIC if label == "public" else None
    return AccessRow(0, False, frozenset(label))


class Builder:
    """Makes stores below one directory, each over a source of its own."""

    def __init__(self, base: Path, *, finish: bool = True, packed: bool = True) -> None:
        self._base = base
        self._finish = finish
        self._packed = packed
        self.stores: list[SqliteStore] = []
        self.made: dict[str, SqliteStore] = {}

    def __call__(
        self,
        files: Mapping[str, str | bytes],
        *,
        labels: Labels | None = None,
        chunks: Mapping[str, Sequence[Chunk]] | None = None,
        symbols: Sequence[Symbol] = (),
        imports: Sequence[Import] = (),
        links: Mapping[str, str] | None = None,
        unindexed: Collection[str] = (),
        vectors: Vectors | None = None,
    ) -> SqliteStore:
        number = len(self.stores)
        root = self._base / f"root{number}"
        root.mkdir(parents=True)
        store = SqliteStore.open(self._base / f"home{number}" / "key", root=root, create=True)
        self.stores.append(store)
        stats = [write(root, path, content) for path, content in files.items()]
        with store.writer() as writer:
            if labels is not None:
                writer.label(lambda path: label_of(labels, path))
            named = [
                FileStat(path, Kind.LINK, len(target), 1, 1, 1, target=target)
                for path, target in (links or {}).items()
            ]
            writer.names([*stats, *named])
            writer.put(
                [
                    record(
                        stat,
                        (root / stat.path).read_bytes(),
                        chunks=(chunks or {}).get(stat.path),
                        symbols=symbols,
                        imports=imports,
                        packed=self._packed,
                    )
                    for stat in stats
                    if stat.path not in unindexed
                ]
            )
            for fingerprint, given in (vectors or {}).items():
                put_vectors(writer, fingerprint, given)
            if self._finish:
                writer.finish()
        return store

    def close(self) -> None:
        for store in self.stores:
            store.close()


def put_vectors(writer, fingerprint, given) -> None:
    """Give each (path, chunk index) its vector; other chunks of the file get none."""
    of_files: dict[str, dict[int, object]] = {}
    for (path, index), vector in given.items():
        of_files.setdefault(path, {})[index] = vector
    dimension = len(next(iter(given.values())))
    packed = {}
    for path, rows in of_files.items():
        matrix = np.zeros((max(rows) + 1, dimension), dtype=np.float32)
        for index, vector in rows.items():
            matrix[index] = vector
        packed[path] = pack_vectors(fingerprint, matrix)
    writer.put_vectors(packed)
