"""Which state of which file the segments cover, against one state of the database.

What they do not cover comes from `pending`, else is made again from the stored text; so a reader is
exactly right whether or not the segments are there, only slower without them.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from tadoru.stores.sqlite.catalogue import stamp_of
from tadoru.stores.sqlite.codec import Blob, chunks_of, content_of
from tadoru.stores.sqlite.segments import Arrays, Segment, Shelf
from tadoru.text.decode import decode_as
from tadoru.types import Access, Chunk

HEAL_FILES = 64
"""Files made again by a reader from which on it is worth writing them down."""


class IndexKind(Protocol):
    """What is particular to one kind of segments."""

    @property
    def name(self) -> str: ...
    @property
    def column(self) -> str:
        """The column of `pending` that holds its packs."""
        ...

    @property
    def version(self) -> int: ...
    @property
    def largest(self) -> int:
        """Documents in a segment above which it is not merged any further."""
        ...

    def pack(self, content: bytes, text: str, path: str, chunks: Sequence[Chunk]) -> bytes: ...
    def build(self, files: Sequence[Packed]) -> tuple[Arrays, int]: ...
    def join(
        self, parts: Sequence[tuple[Segment, npt.NDArray[np.bool_]]]
    ) -> tuple[Arrays, int]: ...


class Packed(NamedTuple):
    """What an index knows of one state of one file."""

    id: int
    rev: int
    blob: bytes
    made: bool = False
    """True when it had to be made from the stored text."""


@dataclass(frozen=True, slots=True, eq=False)
class FileTable:
    """All files of one state of the database; a file's position is its rank in order of paths."""

    ids: npt.NDArray[np.int64]
    revs: npt.NDArray[np.int64]
    access: npt.NDArray[np.int64]
    stored: npt.NDArray[np.bool_]
    """Whether the text is in the store, and hence in the indexes."""

    def visible(self, access: Access) -> npt.NDArray[np.bool_]:
        """Return which files an access set admits, (files,)."""
        return np.isin(self.access, np.fromiter(access, dtype=np.int64, count=len(access)))


def file_table(connection: sqlite3.Connection) -> FileTable:
    rows = connection.execute("SELECT id, rev, access_id, stored FROM files ORDER BY path")
    table = np.fromiter(chain.from_iterable(rows), dtype=np.int64).reshape(-1, 4)
    return FileTable(table[:, 0].copy(), table[:, 1].copy(), table[:, 2].copy(), table[:, 3] == 1)


def paths_of(
    connection: sqlite3.Connection, table: FileTable, ranks: Collection[int]
) -> dict[int, str]:
    """Return the paths of files by their rank."""
    rank_of = {int(table.ids[rank]): rank for rank in ranks}
    marks = ",".join(map(str, rank_of))
    rows = connection.execute(f"SELECT id, path FROM files WHERE id IN ({marks})")
    return {rank_of[number]: path for number, path in rows}


@dataclass(frozen=True, slots=True, eq=False)
class Covered:
    """A segment, and the rank of each of its files: -1 where it is superseded."""

    segment: Segment
    ranks: npt.NDArray[np.int64]

    @property
    def alive(self) -> npt.NDArray[np.bool_]:
        return self.ranks >= 0


def cover(
    table: FileTable, segments: Sequence[Segment]
) -> tuple[list[Covered], npt.NDArray[np.int64]]:
    """Match segments with the files, each file once; return the ranks that nothing covers too."""
    open_files = table.stored.copy()
    order = np.argsort(table.ids)
    ids = table.ids[order]
    covered = []
    for segment in segments:
        places = np.searchsorted(ids, segment.ids)
        places[places == len(ids)] = 0
        ranks = order[places] if len(ids) else np.full(len(segment.ids), -1)
        if len(ids):
            good = (table.ids[ranks] == segment.ids) & (table.revs[ranks] == segment.revs)
            good &= open_files[ranks]
            ranks = np.where(good, ranks, -1)
            open_files[ranks[good]] = False
        covered.append(Covered(segment, ranks))
    return covered, np.flatnonzero(open_files)


def packs_for(
    connection: sqlite3.Connection, kind: IndexKind, table: FileTable, ranks: npt.NDArray[np.int64]
) -> Iterator[Packed]:
    """Yield the packs of files: those that wait in the database, else made again."""
    wanted = dict(zip(table.ids[ranks].tolist(), table.revs[ranks].tolist(), strict=True))
    waiting = connection.execute(
        f"SELECT file_id, rev, {kind.column} FROM pending WHERE {kind.column} <> x''"
    )
    for number, rev, blob in waiting:
        if wanted.get(number) == rev:
            del wanted[number]
            yield Packed(number, rev, blob)
    for number, rev in wanted.items():
        yield Packed(number, rev, make_pack(connection, kind, number), made=True)


def make_pack(connection: sqlite3.Connection, kind: IndexKind, number: int) -> bytes:
    """Index one file anew from its stored text."""
    path, encoding, *row = connection.execute(
        "SELECT f.path, f.encoding, t.data, t.content, t.chunks FROM files f"
        " JOIN texts t ON t.file_id = f.id WHERE f.id = ?",
        (number,),
    ).fetchone()
    content = content_of(Blob(*row))
    found = chunks_of(Blob(*row), path)
    text = decode_as(content, encoding).text if found else ""
    return kind.pack(content, text, path, found)


class SegmentedIndex:
    """The segments of one kind as seen from the newest state that was asked for."""

    def __init__(
        self,
        directory: Path,
        kind: IndexKind,
        table_of: Callable[[sqlite3.Connection], FileTable],
        database_id: Callable[[], str],
    ) -> None:
        self.kind = kind
        self.shelf = Shelf(directory, kind.name, kind.version)
        self._table_of = table_of
        self._database_id = database_id
        self._lock = threading.Lock()
        self._stamp = 0
        self._current: tuple[FileTable, list[Covered]] | None = None
        self.made_again = 0
        """Files that the last look had to index by itself."""

    def at(self, connection: sqlite3.Connection) -> tuple[int, FileTable, list[Covered]]:
        """Return stamp, files and segments of the state that `connection` sees."""
        stamp = stamp_of(connection)
        with self._lock:
            if self._current is None or stamp != self._stamp:
                self._current = self._look(connection)
                self._stamp = stamp
            return (stamp, *self._current)

    def _look(self, connection: sqlite3.Connection) -> tuple[FileTable, list[Covered]]:
        table = self._table_of(connection)
        covered, missing = cover(table, self.shelf.load(self._database_id()))
        covered = [part for part in covered if part.alive.any()]
        self.made_again = 0
        for group in grouped(packs_for(connection, self.kind, table, missing)):
            self.made_again += sum(packed.made for packed in group)
            arrays, weight = self.kind.build(group)
            found, _ = cover(table, [Segment("", arrays, weight)])
            covered.append(found[0])
        return table, covered


GROUP_BYTES = 16 * 1024 * 1024
"""Bytes of packs that are made into one segment at a time: bounds the memory of a flush."""
GROUP_FILES = 1 << 15


def grouped(files: Iterable[Packed]) -> Iterator[list[Packed]]:
    """Cut a stream of packs into parts of bounded size."""
    group: list[Packed] = []
    weight = 0
    for file in files:
        group.append(file)
        weight += len(file.blob)
        if weight >= GROUP_BYTES or len(group) >= GROUP_FILES:
            yield group
            group, weight = [], 0
    if group:
        yield group
