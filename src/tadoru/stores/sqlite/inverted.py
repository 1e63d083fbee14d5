"""Inverted lists in four arrays, and how several become one without sorting their postings.

Knows keys and numbers only; what a key means, what a document is and who may see it is decided by
those who build and ask.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[Any]
"""Integers of any width: lists keep theirs as narrow as they can."""


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """Keys in ascending order, and for each a run of documents in ascending order.

    keys: (n,); offsets: (n + 1,), where the run of each key starts and ends; docs: (m,);
    payload: uint8, (m,), what is known of each posting, or None.
    """

    keys: Ints
    offsets: Ints
    docs: Ints
    payload: npt.NDArray[np.uint8] | None = None

    def find(self, key: int) -> slice:
        """Return where the run of a key lies; an empty slice when there is none."""
        position = int(self.keys.searchsorted(self.keys.dtype.type(key)))
        if position == len(self.keys) or int(self.keys[position]) != key:
            return slice(0, 0)
        return slice(int(self.offsets[position]), int(self.offsets[position + 1]))


def merge(
    parts: Sequence[tuple[Lists, npt.NDArray[np.int32]]], *, docs_dtype: npt.DTypeLike
) -> Lists:
    """Join lists whose documents are renumbered.

    Each part comes with its new numbers, int32, (documents,): -1 drops a document. They ascend
    within a part and from part to part, so runs are copied one behind the other.
    """
    keys = np.unique(np.concatenate([lists.keys for lists, _ in parts]))
    kept = [_Kept(lists, numbers) for lists, numbers in parts]
    slots = [np.searchsorted(keys, lists.keys) for lists, _ in parts]
    totals = np.zeros(len(keys), dtype=np.int64)
    for part, slot in zip(kept, slots, strict=True):
        totals[slot] += part.counts
    ends = np.cumsum(totals)
    size = int(ends[-1]) if len(ends) else 0
    cursor = ends - totals
    docs = np.empty(size, dtype=docs_dtype)
    payload = None if parts[0][0].payload is None else np.empty(size, dtype=np.uint8)
    for part, slot in zip(kept, slots, strict=True):
        # 32 bits and in place: these two are the most that a merge holds
        places = np.repeat((cursor[slot] - part.starts).astype(np.int32), part.counts)
        places += np.arange(len(places), dtype=np.int32)
        docs[places] = part.docs
        if payload is not None and part.payload is not None:
            payload[places] = part.payload
        cursor[slot] += part.counts
    used = totals > 0
    offsets = np.zeros(int(used.sum()) + 1, dtype=np.uint32)
    offsets[1:] = ends[used]
    return Lists(keys[used], offsets, docs, payload)


class _Kept:
    """What is left of one part: postings, and for each key how many and where they start."""

    def __init__(self, lists: Lists, numbers: npt.NDArray[np.int32]) -> None:
        docs = numbers[lists.docs]
        offsets = lists.offsets.astype(np.int64)
        if len(docs) and docs.min() < 0:
            keep = docs >= 0
            running = np.zeros(len(docs) + 1, dtype=np.int64)
            np.cumsum(keep, out=running[1:])
            offsets = running[offsets]
            docs = docs[keep]
            self.payload = None if lists.payload is None else lists.payload[keep]
        else:
            self.payload = lists.payload
        self.docs = docs
        self.starts = offsets[:-1]
        self.counts = np.diff(offsets)


def narrow(documents: int) -> type[np.uint16] | type[np.uint32]:
    """Return the narrowest type that numbers so many documents."""
    return np.uint16 if documents <= 1 << 16 else np.uint32
