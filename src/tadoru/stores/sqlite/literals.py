"""Which files can contain given bytes: trigrams of the content, ASCII letters folded.

It may propose a file in vain, and never omits one: a literal too short to have a trigram excludes
nothing, and files whose text is not stored are always proposed. Trigrams across a line end are not
kept, as no line that a search prints contains one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from tadoru.stores.sqlite.catalogue import Catalogue
from tadoru.stores.sqlite.coverage import Covered, Packed, SegmentedIndex
from tadoru.stores.sqlite.inverted import Lists, merge, narrow
from tadoru.stores.sqlite.pool import Pool
from tadoru.stores.sqlite.runs import decode_all, encode, read_run
from tadoru.stores.sqlite.segments import Arrays, Segment
from tadoru.types import Access, Chunk

__all__ = ["LiteralsKind", "SqliteLiterals", "pack_trigrams"]

FORMAT = 2
_MAGIC = b"3gm1"
_NEWLINE = 0x0A
_BITMAP_FROM = 1 << 18
"""Bytes of content from which marking 2^24 possible trigrams is quicker than sorting them."""
TRIGRAMS_ASKED = 24
"""The rarest trigrams of one literal that are intersected; more hardly ever exclude anything."""


def trigrams(content: bytes) -> npt.NDArray[np.uint32]:
    """Return the distinct folded trigrams of bytes, ascending, without those across a line end."""
    data = np.frombuffer(content.lower(), dtype=np.uint8)
    if len(data) < 3:
        return np.empty(0, dtype=np.uint32)
    wide = data.astype(np.uint32)
    found = (wide[:-2] << 16) | (wide[1:-1] << 8) | wide[2:]
    ends = data == _NEWLINE
    found = found[~(ends[:-2] | ends[1:-1] | ends[2:])]
    if len(found) < _BITMAP_FROM:
        return np.unique(found)
    marks = np.zeros(1 << 24, dtype=bool)
    marks[found] = True
    return np.flatnonzero(marks).astype(np.uint32)


def pack_trigrams(content: bytes) -> bytes:
    """Pack the trigrams of a file's bytes on disk. Called in worker processes."""
    return _MAGIC + trigrams(content).tobytes()


class LiteralsKind:
    """The kind of segments that hold trigrams; a document is a file."""

    name = "literals"
    column = "trigrams"
    version = FORMAT
    largest = 1 << 14

    def pack(self, content: bytes, text: str, path: str, chunks: Sequence[Chunk]) -> bytes:
        return pack_trigrams(content)

    def build(self, files: Sequence[Packed]) -> tuple[Arrays, int]:
        parts = []
        for slot, file in enumerate(files):
            if not file.blob.startswith(_MAGIC):
                raise ValueError("not a pack of trigrams of this version")
            keys = np.frombuffer(file.blob, dtype=np.uint32, offset=len(_MAGIC))
            zeros = np.zeros(len(keys), dtype=np.uint16)
            lists = Lists(keys, np.arange(len(keys) + 1), zeros)
            parts.append((lists, np.array([slot], dtype=np.int32)))
        ids = np.array([file.id for file in files], dtype=np.int64)
        revs = np.array([file.rev for file in files], dtype=np.int64)
        return _arrays(ids, revs, merge(parts, docs_dtype=narrow(len(files))))

    def join(self, parts: Sequence[tuple[Segment, npt.NDArray[np.bool_]]]) -> tuple[Arrays, int]:
        lists = []
        files = 0
        for segment, alive in parts:
            numbers = np.where(alive, np.cumsum(alive) - 1 + files, -1).astype(np.int32)
            lists.append((decode_all(segment.arrays, len(segment.ids)), numbers))
            files += int(alive.sum())
        ids = np.concatenate([segment.ids[alive] for segment, alive in parts])
        revs = np.concatenate([segment.revs[alive] for segment, alive in parts])
        return _arrays(ids, revs, merge(lists, docs_dtype=narrow(files)))


def _arrays(
    ids: npt.NDArray[np.int64], revs: npt.NDArray[np.int64], lists: Lists
) -> tuple[Arrays, int]:
    return {"ids": ids, "revs": revs, **encode(lists, len(ids))}, len(ids)


class SqliteLiterals:
    """`LiteralIndex` of one SQLite store."""

    def __init__(
        self, pool: Pool, catalogue: Catalogue, index: SegmentedIndex, heal: Callable[[], None]
    ) -> None:
        self._pool = pool
        self._catalogue = catalogue
        self._index = index
        self._heal = heal

    def candidates(self, literals: Sequence[Sequence[bytes]], *, access: Access) -> set[str] | None:
        if not access:
            return set()
        wanted = trigrams_of(literals)
        if not wanted:
            return None
        with self._pool.read() as connection:
            _, table, covered = self._index.at(connection)
            found = ~table.stored
            for part in covered:
                possible = matching(part, wanted)
                ranks = part.ranks[possible]
                found[ranks[ranks >= 0]] = True
            found &= table.visible(access)
            entries = self._catalogue.entries_in(connection)
            result = {entries[rank].path for rank in np.flatnonzero(found).tolist()}
        self._heal()
        return result


Wanted = list[list[npt.NDArray[np.uint32]]]


def trigrams_of(literals: Sequence[Sequence[bytes]]) -> Wanted:
    """Return the trigrams of the choices that can exclude anything."""
    wanted = [[trigrams(literal) for literal in choice] for choice in literals]
    return [choice for choice in wanted if all(len(keys) for keys in choice)]


def matching(part: Covered, wanted: Wanted) -> npt.NDArray[np.bool_]:
    """Return which files of a segment may match: of every choice at least one literal."""
    size = len(part.segment.ids)
    result = np.ones(size, dtype=bool)
    for choice in wanted:
        either = np.zeros(size, dtype=bool)
        for keys in choice:
            either |= _containing(part.segment, keys, size)
        result &= either
        if not result.any():
            break
    return result


def _containing(segment: Segment, keys: npt.NDArray[np.uint32], size: int) -> npt.NDArray[np.bool_]:
    known = segment.arrays["keys"]
    places = np.searchsorted(known, keys)
    if not len(known) or (places == len(known)).any() or (known[places] != keys).any():
        return np.zeros(size, dtype=bool)
    rarest = places[np.argsort(segment.arrays["counts"][places], kind="stable")][:TRIGRAMS_ASKED]
    result = read_run(segment.arrays, int(rarest[0]), size)
    for place in rarest[1:].tolist():
        if not result.any():
            break
        result &= read_run(segment.arrays, place, size)
    return result
