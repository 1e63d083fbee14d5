"""What the postings know of a file: term counts of its chunks, packed by the indexer's workers,
and how packs of many files become one segment.

A pack holds no words, only 64-bit hashes, and is of no use to another version of `text.terms`.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt

from tadoru.stores.bm25f import LENGTH_MAX, TF_MAX, chunk_fields
from tadoru.stores.sqlite.coverage import Packed
from tadoru.stores.sqlite.inverted import Ints, Lists, merge, narrow
from tadoru.stores.sqlite.segments import Arrays, Segment
from tadoru.text.terms import Field, expand, term_hash, words
from tadoru.types import Chunk

FIELD_SHIFT = 5
"""A posting's byte: the field above, the frequency in the lower five bits."""
FORMAT = 1
"""Raised when packs or segments of the same terms are laid out in another way."""
_HEAD = struct.Struct("<4sIIII")
_MAGIC = b"tp1\n"
_WORDS_KEPT = 60_000
"""About 15 MB in each worker; a repository of 6 MB has 30,000 different words."""

_FIELDS = len(Field)


class _Hashes(dict[str, tuple[int, ...]]):
    """Word -> the hashes of its terms, learnt as words come up."""

    def __missing__(self, word: str) -> tuple[int, ...]:
        if len(self) >= _WORDS_KEPT:
            self.clear()
        found = self[word] = tuple(term_hash(term) for term in expand(word))
        return found


_hashes = _Hashes()


def pack_terms(chunks: Sequence[Chunk], text: str, path: str) -> bytes:
    """Count the terms of a file's chunks.

    `chunks`: in order; `text`: the decoded text they point into. Called in worker processes.
    """
    of = _hashes.__getitem__
    path_terms = np.array(list(chain.from_iterable(map(of, words(path)))), dtype=np.uint64)
    flat: list[int] = []
    ends: list[int] = []
    for chunk in chunks:
        for field in chunk_fields(chunk, text):
            flat.extend(chain.from_iterable(map(of, words(field))))
            ends.append(len(flat))
    sizes: npt.NDArray[np.int64] = np.diff(np.array([0, *ends])).astype(np.int64)
    lengths = np.empty((len(chunks), _FIELDS), dtype=np.uint16)
    lengths[:, Field.PATH] = min(len(path_terms), LENGTH_MAX)
    lengths[:, 1:] = np.minimum(sizes, LENGTH_MAX).reshape(len(chunks), _FIELDS - 1)
    lists = _count(np.array(flat, dtype=np.uint64), sizes)
    path_keys, path_counts = np.unique(path_terms, return_counts=True)
    payload = lists.payload
    assert payload is not None
    return b"".join(
        (
            _HEAD.pack(_MAGIC, len(chunks), len(path_keys), len(lists.keys), len(lists.docs)),
            b"\0\0\0\0",
            path_keys.tobytes(),
            lists.keys.tobytes(),
            lists.offsets.astype(np.uint32).tobytes(),
            lists.docs.astype(np.uint32).tobytes(),
            lengths.tobytes(),
            payload.tobytes(),
            np.minimum(path_counts, TF_MAX).astype(np.uint8).tobytes(),
        )
    )


def _count(flat: npt.NDArray[np.uint64], sizes: npt.NDArray[np.int64]) -> Lists:
    """Group hashes by term, chunk and field; `sizes` are those of fields 1 to 4 of each chunk."""
    place = np.repeat(np.arange(len(sizes), dtype=np.uint32), sizes)
    order = np.lexsort((place, flat))
    flat, place = flat[order], place[order]
    first = np.ones(len(flat), dtype=bool)
    first[1:] = (flat[1:] != flat[:-1]) | (place[1:] != place[:-1])
    starts = np.flatnonzero(first)
    counts = np.minimum(np.diff(np.append(starts, len(flat))), TF_MAX)
    terms, place = flat[starts], place[starts]
    keys, offsets = np.unique(terms, return_index=True)
    fields = place % (_FIELDS - 1) + 1
    payload = (fields << FIELD_SHIFT | counts).astype(np.uint8)
    return Lists(keys, np.append(offsets, len(terms)), place // (_FIELDS - 1), payload)


class _Pack:
    """A pack, read again."""

    def __init__(self, blob: bytes) -> None:
        magic, self.chunks, paths, keys, postings = _HEAD.unpack_from(blob)
        if magic != _MAGIC:
            raise ValueError("not a pack of terms of this version")
        cursor = _HEAD.size + 4

        def take(dtype: npt.DTypeLike, count: int) -> Ints:
            nonlocal cursor
            array: Ints = np.frombuffer(blob, dtype=dtype, count=count, offset=cursor)
            cursor += array.nbytes
            return array

        path_keys = take(np.uint64, paths)
        term_keys = take(np.uint64, keys)
        offsets = take(np.uint32, keys + 1)
        docs = take(np.uint32, postings)
        self.lengths = take(np.uint16, self.chunks * _FIELDS).reshape(self.chunks, _FIELDS)
        self.lists = Lists(term_keys, offsets, docs, take(np.uint8, postings))
        self.path = Lists(
            path_keys,
            np.arange(paths + 1),
            np.zeros(paths, dtype=np.uint32),
            take(np.uint8, paths),
        )


def build(files: Sequence[Packed]) -> tuple[Arrays, int]:
    """Make the arrays of a segment from packs, and count its chunks."""
    packs = [_Pack(file.blob) for file in files]
    counts = np.array([pack.chunks for pack in packs], dtype=np.int64)
    starts = np.zeros(len(packs) + 1, dtype=np.int32)
    np.cumsum(counts, out=starts[1:])
    terms = merge(
        [
            (pack.lists, np.arange(start, start + pack.chunks, dtype=np.int32))
            for pack, start in zip(packs, starts.tolist(), strict=False)
        ],
        docs_dtype=narrow(int(starts[-1])),
    )
    paths = merge(
        [(pack.path, np.array([slot], dtype=np.int32)) for slot, pack in enumerate(packs)],
        docs_dtype=narrow(len(packs)),
    )
    lengths = np.concatenate([pack.lengths for pack in packs])
    ids = np.array([file.id for file in files], dtype=np.int64)
    revs = np.array([file.rev for file in files], dtype=np.int64)
    return _arrays(ids, revs, starts, np.ascontiguousarray(lengths.T), terms, paths)


def join(parts: Sequence[tuple[Segment, npt.NDArray[np.bool_]]]) -> tuple[Arrays, int]:
    """Merge segments into the arrays of one; each comes with the files of it that still live."""
    term_parts, path_parts, counts, lengths, ids, revs = [], [], [], [], [], []
    files = chunks = 0
    for segment, alive in parts:
        sizes = np.diff(segment.arrays["starts"])
        chunk_alive = np.repeat(alive, sizes)
        term_parts.append((term_lists(segment), _renumbered(chunk_alive, chunks)))
        path_parts.append((path_lists(segment), _renumbered(alive, files)))
        counts.append(sizes[alive])
        lengths.append(segment.arrays["lengths"][:, chunk_alive])
        ids.append(segment.ids[alive])
        revs.append(segment.revs[alive])
        files += int(alive.sum())
        chunks += int(chunk_alive.sum())
    starts = np.zeros(files + 1, dtype=np.int32)
    np.cumsum(np.concatenate(counts), out=starts[1:])
    return _arrays(
        np.concatenate(ids),
        np.concatenate(revs),
        starts,
        np.concatenate(lengths, axis=1),
        merge(term_parts, docs_dtype=narrow(chunks)),
        merge(path_parts, docs_dtype=narrow(files)),
    )


def _renumbered(alive: npt.NDArray[np.bool_], base: int) -> npt.NDArray[np.int32]:
    return np.where(alive, np.cumsum(alive) - 1 + base, -1).astype(np.int32)


def _arrays(
    ids: npt.NDArray[np.int64],
    revs: npt.NDArray[np.int64],
    starts: npt.NDArray[np.int32],
    lengths: npt.NDArray[np.uint16],
    terms: Lists,
    paths: Lists,
) -> tuple[Arrays, int]:
    assert terms.payload is not None
    assert paths.payload is not None
    arrays: Arrays = {
        "ids": ids, "revs": revs, "starts": starts, "lengths": lengths,
        "keys": terms.keys, "offsets": terms.offsets, "docs": terms.docs, "bytes": terms.payload,
        "path_keys": paths.keys, "path_offsets": paths.offsets, "path_docs": paths.docs,
        "path_bytes": paths.payload,
    }  # fmt: skip
    return arrays, int(starts[-1])


def term_lists(segment: Segment) -> Lists:
    """Return the lists over chunks: fields 1 to 4."""
    a = segment.arrays
    return Lists(a["keys"], a["offsets"], a["docs"], a["bytes"])


def path_lists(segment: Segment) -> Lists:
    """Return the lists over files: the field PATH, the same for all chunks of a file."""
    a = segment.arrays
    return Lists(a["path_keys"], a["path_offsets"], a["path_docs"], a["path_bytes"])
