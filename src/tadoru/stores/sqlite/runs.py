"""Runs of files in few bytes: a bitmap when many files have a key, gaps or numbers when few do.

Each key uses the cheapest of three codes:
BITMAP one bit per file; GAPS one byte per file, 255 meaning that the gap goes on; PLAIN two or four
bytes per file. All keys of one code lie behind each other in an array of that code.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tadoru.stores.sqlite.inverted import Lists, narrow
from tadoru.stores.sqlite.segments import Arrays

BITMAP, GAPS, PLAIN = 0, 1, 2
_MORE = 255


def encode(lists: Lists, size: int) -> Arrays:
    """Encode lists over `size` documents."""
    offsets = lists.offsets.astype(np.int64)
    counts = np.diff(offsets)
    gaps = _gaps(lists, offsets)
    escapes = np.concatenate([[0], np.cumsum(gaps // _MORE)])
    gap_bytes = counts + (escapes[offsets[1:]] - escapes[offsets[:-1]])
    width = np.dtype(narrow(size)).itemsize
    plain_bytes = counts * width
    bitmap_bytes = np.full(len(counts), (size + 7) // 8)
    codes = np.argmin(np.stack([bitmap_bytes, gap_bytes, plain_bytes]), axis=0).astype(np.uint8)
    sizes = np.choose(codes, [bitmap_bytes, gap_bytes, plain_bytes])
    starts = np.zeros(len(counts), dtype=np.uint32)
    for code in (BITMAP, GAPS, PLAIN):
        mine = codes == code
        starts[mine] = np.cumsum(sizes[mine]) - sizes[mine]
    of_posting = np.repeat(codes, counts)
    return {
        "keys": lists.keys.astype(np.uint32),
        "counts": counts.astype(narrow(size + 1)),
        "codes": codes,
        "starts": starts,
        "bitmaps": _bitmaps(lists, offsets, codes, size),
        "gaps": _escaped(gaps[of_posting == GAPS]),
        "plain": lists.docs[of_posting == PLAIN].astype(narrow(size)).view(np.uint8),
    }


def _gaps(lists: Lists, offsets: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return how many documents lie between each posting and the one before it in its run."""
    docs = lists.docs.astype(np.int64)
    gaps = np.diff(docs, prepend=-1) - 1
    first = offsets[:-1][np.diff(offsets) > 0]
    gaps[first] = docs[first]
    return gaps


def _escaped(gaps: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
    ends = np.cumsum(gaps // _MORE + 1)
    data = np.full(int(ends[-1]) if len(ends) else 0, _MORE, dtype=np.uint8)
    data[ends - 1] = gaps % _MORE
    return data


def _bitmaps(
    lists: Lists, offsets: npt.NDArray[np.int64], codes: npt.NDArray[np.uint8], size: int
) -> npt.NDArray[np.uint8]:
    mine = np.flatnonzero(codes == BITMAP)
    data = np.zeros((len(mine), (size + 7) // 8), dtype=np.uint8)
    bits = np.zeros(size, dtype=bool)
    for row, place in enumerate(mine.tolist()):
        docs = lists.docs[offsets[place] : offsets[place + 1]]
        bits[docs] = True
        data[row] = np.packbits(bits)
        bits[docs] = False
    return data.reshape(-1)


def read_run(arrays: Arrays, place: int, size: int) -> npt.NDArray[np.bool_]:
    """Return which documents the key at a place of `keys` has, (size,)."""
    code, start = int(arrays["codes"][place]), int(arrays["starts"][place])
    if code == BITMAP:
        data = arrays["bitmaps"][start : start + (size + 7) // 8]
        return np.unpackbits(data, count=size).view(bool)
    result = np.zeros(size, dtype=bool)
    result[_docs(arrays, place, start, code, size)] = True
    return result


def _docs(arrays: Arrays, place: int, start: int, code: int, size: int) -> npt.NDArray[np.int64]:
    count = int(arrays["counts"][place])
    if code == PLAIN:
        kind = np.dtype(narrow(size))
        data = arrays["plain"][start : start + count * kind.itemsize]
        return np.frombuffer(data.tobytes(), dtype=kind).astype(np.int64)
    # At most as many bytes as plain numbers would have taken.
    data = arrays["gaps"][start : start + count * 4].astype(np.int64)
    ends = data < _MORE
    docs: npt.NDArray[np.int64] = (np.cumsum(data + ends) - 1)[ends][:count]
    return docs


def decode_all(arrays: Arrays, size: int) -> Lists:
    """Turn encoded arrays back into lists."""
    counts = arrays["counts"].astype(np.int64)
    codes = arrays["codes"]
    offsets = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=offsets[1:])
    of_posting = np.repeat(codes, counts)
    docs = np.empty(int(offsets[-1]), dtype=narrow(size))
    docs[of_posting == PLAIN] = np.frombuffer(arrays["plain"].tobytes(), dtype=narrow(size))
    docs[of_posting == GAPS] = _all_gaps(arrays["gaps"], counts[codes == GAPS])
    rows = arrays["bitmaps"].reshape(-1, (size + 7) // 8) if size else np.empty((0, 0), np.uint8)
    bits = [np.flatnonzero(np.unpackbits(row, count=size)).astype(narrow(size)) for row in rows]
    if bits:
        docs[of_posting == BITMAP] = np.concatenate(bits)
    return Lists(arrays["keys"], offsets, docs)


def _all_gaps(data: npt.NDArray[np.uint8], counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    # 32 bits hold more at half the memory: what overflows cancels out in the difference below
    ends = data < _MORE
    running = np.cumsum(data + ends.astype(np.int32), dtype=np.int32)[ends]
    before = np.cumsum(counts) - counts
    base = np.where(before > 0, running[before - 1], 0) if len(running) else before
    docs: npt.NDArray[np.int32] = running
    docs -= np.repeat((base + 1).astype(np.int32), counts)
    return docs
