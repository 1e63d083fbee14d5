"""Dense recall: int8 vectors by the hash of the text that was embedded, exact integer scores.

Signs of all visible vectors choose a few, integer products order them; both look at visible rows
alone, and integers make a score independent of what else is in the store. Vectors of two
fingerprints are never mixed. Source of the two steps: measured in DESIGN, 2.4 ms at 100k x 256.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tadoru.errors import BadInput
from tadoru.stores.base import Admit, ChunkRef
from tadoru.stores.sqlite.access import admitted
from tadoru.stores.sqlite.catalogue import Catalogue, stamp_of
from tadoru.stores.sqlite.content import is_sayable
from tadoru.stores.sqlite.coverage import FileTable, paths_of
from tadoru.stores.sqlite.pool import Pool
from tadoru.types import Access

HASH_BYTES = 16
"""Length of the hash of an embedded text."""
DIRECT = 4_096
"""Rows up to which every vector is scored; above, signs choose first."""
POOL = 1_024
"""Rows that signs choose at least, and 16 for each result: recall@10 is .96 of exact at 200k."""
_QUERY_LEVELS = 2_047
"""A question's numbers are rounded to 12 bits: products of 8,192 dimensions fit 32 bits."""


@dataclass(frozen=True, slots=True, eq=False)
class _Matrix:
    """All vectors of one model in one state of the store."""

    stamp: int
    codes: npt.NDArray[np.int8]
    scales: npt.NDArray[np.float64]
    signs: npt.NDArray[np.uint8]
    ranks: npt.NDArray[np.int64]
    """Rank of the file of each chunk."""
    indexes: npt.NDArray[np.int64]
    """Index of each chunk within its file."""
    rows: npt.NDArray[np.int64]
    """Which vector each chunk has."""


class SqliteVectors:
    """`nearest` and `vectors` of one SQLite store."""

    def __init__(self, pool: Pool, catalogue: Catalogue) -> None:
        self._pool = pool
        self._catalogue = catalogue
        self._lock = threading.Lock()
        self._matrices: dict[str, _Matrix] = {}

    def nearest(
        self,
        vector: npt.NDArray[np.float32],
        fingerprint: str,
        access: Access,
        k: int,
        admit: Admit | None,
    ) -> list[ChunkRef]:
        if not access or k <= 0:
            return []
        with self._pool.read() as connection:
            table = self._catalogue.table_in(connection)
            matrix = self._matrix(connection, fingerprint, table)
            if matrix is None:
                return []
            if vector.shape != matrix.codes.shape[1:]:
                raise BadInput(
                    f"the vector has shape {vector.shape}, the index {matrix.codes.shape[1:]}",
                    hint="embed the question with the model of the index",
                )
            shown = table.visible(access)[matrix.ranks]
            if admit is not None:
                entries = self._catalogue.entries_in(connection)
                distinct, inverse = np.unique(matrix.ranks[shown], return_inverse=True)
                verdicts = [bool(admit(entries[rank])) for rank in distinct.tolist()]
                shown[shown] = np.array(verdicts, dtype=bool)[inverse]
            chunks, scores = _best(matrix, np.flatnonzero(shown), vector, k)
            ranks = matrix.ranks[chunks].tolist()
            paths = paths_of(connection, table, set(ranks))
            indexes = matrix.indexes[chunks].tolist()
        return [
            ChunkRef(paths[rank], index, score)
            for rank, index, score in zip(ranks, indexes, scores.tolist(), strict=True)
        ]

    def coverage(self, fingerprint: str, access: Access) -> tuple[int, int]:
        """Return how many visible files have chunks, and how many of those a model has seen."""
        if not access:
            return 0, 0
        with self._pool.read() as connection:
            files, seen = connection.execute(
                "SELECT count(*), ifnull(sum(EXISTS (SELECT 1 FROM embedded e JOIN models m ON"
                " m.id = e.model WHERE m.fingerprint = ? AND e.file_id = f.id)), 0)"
                " FROM files f JOIN texts t ON t.file_id = f.id"
                f" WHERE t.chunks AND f.access_id {admitted(access)}",
                (fingerprint,),
            ).fetchone()
        return files, seen

    def unembedded(self, fingerprint: str) -> list[str]:
        """Return the files that have chunks which a model has not seen: for the indexer alone."""
        with self._pool.read() as connection:
            return unembedded(connection, fingerprint)

    def known(self, fingerprint: str, hashes: Iterable[bytes]) -> set[bytes]:
        """Return which of the hashes have a vector of this model: for the indexer alone."""
        with self._pool.read() as connection:
            return known(connection, fingerprint, hashes)

    def _matrix(
        self, connection: sqlite3.Connection, fingerprint: str, table: FileTable
    ) -> _Matrix | None:
        stamp = stamp_of(connection)
        with self._lock:
            matrix = self._matrices.get(fingerprint)
            if matrix is None or matrix.stamp != stamp:
                matrix = _load(connection, fingerprint, table, stamp)
                self._matrices = {} if matrix is None else {fingerprint: matrix}
            return matrix

    def vectors(
        self, refs: Sequence[tuple[str, int]], fingerprint: str, access: Access
    ) -> npt.NDArray[np.float32] | None:
        if not access:
            return None
        visible = f"f.access_id {admitted(access)}"
        with self._pool.read() as connection:
            model = connection.execute(
                "SELECT m.id, m.dimension FROM models m WHERE m.fingerprint = ? AND EXISTS (SELECT"
                " 1 FROM embedded e JOIN files f ON f.id = e.file_id"
                f" WHERE e.model = m.id AND {visible})",
                (fingerprint,),
            ).fetchone()
            if model is None:
                return None
            number, dimension = model
            result = np.zeros((len(refs), dimension), dtype=np.float32)
            hashes = {
                path: self._hashes(connection, number, path, visible) for path, _ in set(refs)
            }
            for row, (path, index) in enumerate(refs):
                key = hashes[path][index * HASH_BYTES : (index + 1) * HASH_BYTES]
                found = connection.execute(
                    "SELECT data FROM vectors WHERE model = ? AND hash = ?", (number, key)
                ).fetchone()
                if found is not None and index >= 0:
                    codes = np.frombuffer(found[0], dtype=np.int8).astype(np.float32)
                    result[row] = codes / max(float(np.linalg.norm(codes)), 1e-12)
        return result

    @staticmethod
    def _hashes(connection: sqlite3.Connection, model: int, path: str, visible: str) -> bytes:
        if not is_sayable(path):
            return b""
        row = connection.execute(
            "SELECT e.hashes FROM embedded e JOIN files f ON f.id = e.file_id"
            f" WHERE e.model = ? AND f.path = ? AND {visible}",
            (model, path),
        ).fetchone()
        return bytes(row[0]) if row else b""


def _best(
    matrix: _Matrix,
    chunks: npt.NDArray[np.int64],
    vector: npt.NDArray[np.float32],
    k: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Return the best of `chunks` and their cosines, best first, ties by path and index."""
    rows = np.unique(matrix.rows[chunks])
    if len(rows) > DIRECT:
        question = np.packbits(vector > 0)
        distance = _ones(matrix.signs[rows] ^ question)
        pool = min(max(POOL, 16 * k), len(rows))
        # All at the last distance are taken, so the choice does not depend on the order of rows.
        rows = rows[distance <= np.partition(distance, pool - 1)[pool - 1]]
    largest = float(np.abs(vector).max()) or 1.0
    levels = np.rint(vector.astype(np.float64) * (_QUERY_LEVELS / largest)).astype(np.int32)
    products = matrix.codes[rows].astype(np.int32) @ levels
    scores = products * matrix.scales[rows] * (largest / _QUERY_LEVELS)
    places = np.searchsorted(rows, matrix.rows[chunks])
    places[places == len(rows)] = 0
    chosen = rows[places] == matrix.rows[chunks] if len(rows) else np.zeros(len(chunks), bool)
    chunks, scores = chunks[chosen], scores[places[chosen]]
    order = np.lexsort((matrix.indexes[chunks], matrix.ranks[chunks], -scores))[:k]
    return chunks[order], scores[order]


_ONES = np.array([bin(byte).count("1") for byte in range(256)], dtype=np.uint8)


def _ones(data: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
    """Count the ones of each row."""
    count: npt.NDArray[np.int64] = _ONES[data].sum(axis=1, dtype=np.int64)
    return count


def _load(
    connection: sqlite3.Connection, fingerprint: str, table: FileTable, stamp: int
) -> _Matrix | None:
    model = connection.execute(
        "SELECT id, dimension FROM models WHERE fingerprint = ?", (fingerprint,)
    ).fetchone()
    if model is None:
        return None
    number, dimension = model
    stored = connection.execute(
        "SELECT hash, scale, data FROM vectors WHERE model = ? ORDER BY hash", (number,)
    ).fetchall()
    codes = np.frombuffer(b"".join(row[2] for row in stored), dtype=np.int8)
    codes = codes.reshape(len(stored), dimension)
    row_of = {bytes(row[0]): position for position, row in enumerate(stored)}
    rank_of = {int(file): rank for rank, file in enumerate(table.ids)}
    ranks: list[int] = []
    indexes: list[int] = []
    rows: list[int] = []
    for file, hashes in connection.execute(
        "SELECT file_id, hashes FROM embedded WHERE model = ?", (number,)
    ):
        for index in range(len(hashes) // HASH_BYTES):
            row = row_of.get(hashes[index * HASH_BYTES : (index + 1) * HASH_BYTES])
            if row is not None:
                ranks.append(rank_of[file])
                indexes.append(index)
                rows.append(row)
    return _Matrix(
        stamp,
        codes,
        np.array([row[1] for row in stored], dtype=np.float64),
        np.packbits(codes > 0, axis=1),
        np.array(ranks, dtype=np.int64),
        np.array(indexes, dtype=np.int64),
        np.array(rows, dtype=np.int64),
    )


# -- the write side ------------------------------------------------------------------------------


def put(
    connection: sqlite3.Connection,
    fingerprint: str,
    dimension: int,
    chunks: Mapping[str, Sequence[bytes]],
    vectors: Mapping[bytes, npt.NDArray[np.float32]],
) -> None:
    """Store vectors, and which chunk of which file has which."""
    connection.execute(
        "INSERT OR IGNORE INTO models (fingerprint, dimension) VALUES (?, ?)",
        (fingerprint, dimension),
    )
    (model,) = connection.execute(
        "SELECT id FROM models WHERE fingerprint = ?", (fingerprint,)
    ).fetchone()
    connection.executemany(
        "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)",
        [(model, key, *quantised(vector)) for key, vector in vectors.items()],
    )
    connection.executemany(
        "INSERT OR REPLACE INTO embedded SELECT ?, id, ? FROM files WHERE path = ?",
        [(model, b"".join(hashes), path) for path, hashes in chunks.items()],
    )


def quantised(vector: npt.NDArray[np.float32]) -> tuple[float, bytes]:
    """Return the scale and the int8 codes of a vector, shape (d,)."""
    scale = float(np.abs(vector).max()) / 127 or 1.0
    return scale, np.rint(vector / scale).astype(np.int8).tobytes()


def known(connection: sqlite3.Connection, fingerprint: str, hashes: Iterable[bytes]) -> set[bytes]:
    """Return which of the hashes have a vector of this model."""
    return {
        key
        for key in set(hashes)
        if connection.execute(
            "SELECT 1 FROM vectors v JOIN models m ON m.id = v.model"
            " WHERE m.fingerprint = ? AND v.hash = ?",
            (fingerprint, key),
        ).fetchone()
    }


def unembedded(connection: sqlite3.Connection, fingerprint: str) -> list[str]:
    """Return the files that have chunks, and none with a vector of this model."""
    return [
        path
        for (path,) in connection.execute(
            "SELECT f.path FROM files f JOIN texts t ON t.file_id = f.id WHERE t.chunks AND"
            " NOT EXISTS (SELECT 1 FROM embedded e JOIN models m ON m.id = e.model"
            " WHERE m.fingerprint = ? AND e.file_id = f.id) ORDER BY f.path",
            (fingerprint,),
        )
    ]


def drop_others(connection: sqlite3.Connection, fingerprint: str) -> None:
    """Delete what other models than this one have left."""
    others = "IN (SELECT id FROM models WHERE fingerprint <> ?)"
    for table in ("embedded", "vectors"):
        connection.execute(f"DELETE FROM {table} WHERE model {others}", (fingerprint,))
    connection.execute("DELETE FROM models WHERE fingerprint <> ?", (fingerprint,))


def drop_unused(connection: sqlite3.Connection) -> None:
    """Delete vectors that no chunk has any more."""
    used: dict[int, set[bytes]] = {}
    for model, hashes in connection.execute("SELECT model, hashes FROM embedded"):
        keys = used.setdefault(model, set())
        keys.update(hashes[at : at + HASH_BYTES] for at in range(0, len(hashes), HASH_BYTES))
    unused = [
        (model, key)
        for model, key in connection.execute("SELECT model, hash FROM vectors")
        if key not in used.get(model, ())
    ]
    connection.executemany("DELETE FROM vectors WHERE model = ? AND hash = ?", unused)
