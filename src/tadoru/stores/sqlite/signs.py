"""The signs of all vectors of one model, in memory, and the numbers of the files last looked at.

Signs choose which chunks may be near; what a change left as it was is not read again. Both forget
nothing that a reader could notice: a file's state is named by its random rev.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tadoru.errors import CorruptStore
from tadoru.stores.sqlite.coverage import FileTable
from tadoru.stores.sqlite.faults import REBUILD
from tadoru.stores.sqlite.vecpack import Codes, sign_bytes, unpack_codes

DIRECT = 4_096
"""Rows up to which every vector is scored; above, signs choose first."""
POOL = 1_024
"""Rows that signs choose at least, and 16 for each result: recall@10 is .96 of exact at 200k."""
KEPT_BYTES = 32 * 1024 * 1024
"""Unpacked numbers that are remembered between questions."""
_VARIABLES = 500


@dataclass(frozen=True, slots=True, eq=False)
class Signs:
    """The signs of all vectors of one model in one state of the store, a row for each chunk."""

    stamp: int
    model: int
    dimension: int
    parts: Mapping[int, tuple[int, bytes]]
    """File -> its rev and the signs of its chunks."""
    signs: npt.NDArray[np.uint8]
    files: npt.NDArray[np.int64]
    ranks: npt.NDArray[np.int64]
    """Rank of the file of each chunk."""
    indexes: npt.NDArray[np.int64]
    """Index of each chunk within its file."""


def load_signs(
    connection: sqlite3.Connection,
    fingerprint: str,
    table: FileTable,
    stamp: int,
    before: Signs | None,
) -> Signs | None:
    """Read the signs of all files; of those that are as they were `before`, nothing is read."""
    model = connection.execute(
        "SELECT id, dimension FROM models WHERE fingerprint = ?", (fingerprint,)
    ).fetchone()
    if model is None:
        return None
    number, dimension = model
    same = before.parts if before is not None and before.model == number else {}
    revs: dict[int, int] = dict(
        connection.execute("SELECT file_id, rev FROM vectors WHERE model = ?", (number,))
    )
    parts = {file: same[file] for file, rev in revs.items() if same.get(file, (0,))[0] == rev}
    for file, rev, signs in _read(connection, number, [f for f in revs if f not in parts]):
        parts[file] = (rev, signs)
    width = sign_bytes(dimension)
    current = [
        (rank, file, part)
        for rank, (file, rev) in enumerate(
            zip(table.ids.tolist(), table.revs.tolist(), strict=True)
        )
        if (part := parts.get(file)) is not None and part[0] == rev
    ]
    counts = np.array([len(part[1]) // width for _, _, part in current], dtype=np.int64)
    total = int(counts.sum())
    starts = np.cumsum(counts) - counts
    return Signs(
        stamp,
        number,
        dimension,
        parts,
        np.frombuffer(b"".join(part[1] for _, _, part in current), np.uint8).reshape(total, width),
        np.repeat(np.array([file for _, file, _ in current], dtype=np.int64), counts),
        np.repeat(np.array([rank for rank, _, _ in current], dtype=np.int64), counts),
        np.arange(total) - np.repeat(starts, counts),
    )


def _read(
    connection: sqlite3.Connection, model: int, files: Sequence[int]
) -> Iterable[tuple[int, int, bytes]]:
    """Yield file, rev and signs: of all files in one go where those wanted are many."""
    if len(files) > _VARIABLES:
        wanted = set(files)
        rows = connection.execute(
            "SELECT file_id, rev, signs FROM vectors WHERE model = ?", (model,)
        )
        yield from (row for row in rows if row[0] in wanted)
    elif files:
        marks = ",".join("?" * len(files))
        yield from connection.execute(
            f"SELECT file_id, rev, signs FROM vectors WHERE model = ? AND file_id IN ({marks})",
            (model, *files),
        )


def likely(
    matrix: Signs, rows: npt.NDArray[np.int64], vector: npt.NDArray[np.float32], k: int
) -> npt.NDArray[np.int64]:
    """Return the rows among these whose signs are most like the vector's; few rows all."""
    if len(rows) <= DIRECT:
        return rows
    question = np.packbits(vector > 0)
    distance = _ones(matrix.signs[rows] ^ question)
    pool = min(max(POOL, 16 * k), len(rows))
    # All at the last distance are taken, so the choice does not depend on the order of rows.
    near: npt.NDArray[np.int64] = rows[distance <= np.partition(distance, pool - 1)[pool - 1]]
    return near


_ONES = np.array([bin(byte).count("1") for byte in range(256)], dtype=np.uint8)


def _ones(data: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
    """Count the ones of each row."""
    counter = getattr(np, "bitwise_count", None)  # from numpy 2 on, many times as fast
    ones = counter(data) if counter is not None else _ONES[data]
    count: npt.NDArray[np.int64] = ones.sum(axis=1, dtype=np.int64)
    return count


class Numbers:
    """Unpacked numbers of files, the last used ones, bounded by size. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[int, int], Codes] = OrderedDict()
        self._bytes = 0

    def of(
        self,
        connection: sqlite3.Connection,
        model: int,
        dimension: int,
        wanted: Mapping[int, tuple[int, bytes]],
    ) -> dict[int, Codes]:
        """Return codes and scales of files, given their revs and signs.

        Raises: `CorruptStore` for bytes that are none.
        """
        found: dict[int, Codes] = {}
        with self._lock:
            for file, (rev, _) in wanted.items():
                known = self._kept.get((model, rev))
                if known is not None:
                    self._kept.move_to_end((model, rev))
                    found[file] = known
        missing = [file for file in wanted if file not in found]
        for start in range(0, len(missing), _VARIABLES):
            some = missing[start : start + _VARIABLES]
            marks = ",".join("?" * len(some))
            for file, codes in connection.execute(
                f"SELECT file_id, codes FROM vectors WHERE model = ? AND file_id IN ({marks})",
                (model, *some),
            ):
                try:
                    found[file] = unpack_codes(dimension, wanted[file][1], codes)
                except ValueError:
                    raise CorruptStore("vectors of the index are damaged", hint=REBUILD) from None
        self._keep({(model, wanted[file][0]): codes for file, codes in found.items()})
        return found

    def _keep(self, new: Mapping[tuple[int, int], Codes]) -> None:
        with self._lock:
            for key, codes in new.items():
                if key not in self._kept:
                    self._kept[key] = codes
                    self._bytes += codes[0].nbytes
            while self._bytes > KEPT_BYTES:
                _, (oldest, _) = self._kept.popitem(last=False)
                self._bytes -= oldest.nbytes
