"""Dense recall over the packed vectors of files, with exact integer scores.

Signs of all visible vectors choose a few, whose files' numbers are read and order them; both look
at visible rows alone, and integers make a score independent of what else is in the store. So memory
holds an eighth of the vectors, and a change costs the files that changed. Vectors of two
fingerprints are never mixed. Source of the two steps: measured in DESIGN.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tadoru.errors import BadInput
from tadoru.stores.base import Admit, ChunkRef
from tadoru.stores.sqlite.access import admitted
from tadoru.stores.sqlite.catalogue import Catalogue, stamp_of
from tadoru.stores.sqlite.content import is_sayable
from tadoru.stores.sqlite.coverage import FileTable, paths_of
from tadoru.stores.sqlite.pool import Pool
from tadoru.stores.sqlite.records import FileVectors
from tadoru.stores.sqlite.signs import Numbers, Signs, likely, load_signs
from tadoru.stores.sqlite.vecpack import Codes
from tadoru.types import Access

_QUERY_LEVELS = 2_047
"""A question's numbers are rounded to 12 bits: products of 8,192 dimensions fit 32 bits."""


class SqliteVectors:
    """`nearest` and `vectors` of one SQLite store."""

    def __init__(self, pool: Pool, catalogue: Catalogue) -> None:
        self._pool = pool
        self._catalogue = catalogue
        self._lock = threading.Lock()
        self._matrices: dict[str, Signs] = {}
        self._kept = Numbers()

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
            if vector.shape != (matrix.dimension,):
                raise BadInput(
                    f"the vector has shape {vector.shape}, the index ({matrix.dimension},)",
                    hint="embed the question with the model of the index",
                )
            shown = table.visible(access)[matrix.ranks]
            if admit is not None:
                entries = self._catalogue.entries_in(connection)
                distinct, inverse = np.unique(matrix.ranks[shown], return_inverse=True)
                verdicts = [bool(admit(entries[rank])) for rank in distinct.tolist()]
                shown[shown] = np.array(verdicts, dtype=bool)[inverse]
            rows = likely(matrix, np.flatnonzero(shown), vector, k)
            codes, scales = self._numbers(connection, matrix, rows)
            rows, scores = _best(matrix, rows, codes, scales, vector, k)
            ranks = matrix.ranks[rows].tolist()
            paths = paths_of(connection, table, set(ranks))
            indexes = matrix.indexes[rows].tolist()
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
                f"SELECT count(*), count(v.rev) FROM files f JOIN texts t ON t.file_id = f.id"
                " LEFT JOIN vectors v ON v.file_id = f.id AND v.rev = f.rev AND v.model ="
                " (SELECT id FROM models WHERE fingerprint = ?)"
                f" WHERE t.chunks AND f.access_id {admitted(access)}",
                (fingerprint,),
            ).fetchone()
        return files, seen

    def unembedded(self, fingerprint: str) -> list[str]:
        """Return the files that have chunks which a model has not seen: for the indexer alone."""
        with self._pool.read() as connection:
            return unembedded(connection, fingerprint)

    def _matrix(
        self, connection: sqlite3.Connection, fingerprint: str, table: FileTable
    ) -> Signs | None:
        stamp = stamp_of(connection)
        with self._lock:
            matrix = self._matrices.get(fingerprint)
            if matrix is None or matrix.stamp != stamp:
                matrix = load_signs(connection, fingerprint, table, stamp, matrix)
                self._matrices = {} if matrix is None else {fingerprint: matrix}
            return matrix

    def _numbers(
        self, connection: sqlite3.Connection, matrix: Signs, rows: npt.NDArray[np.int64]
    ) -> Codes:
        """Return codes and scales of these rows of a matrix, which are in its order."""
        files, place = np.unique(matrix.files[rows], return_inverse=True)
        wanted = {file: matrix.parts[file] for file in files.tolist()}
        found = self._kept.of(connection, matrix.model, matrix.dimension, wanted)
        if not found:
            return np.zeros((0, matrix.dimension), np.int8), np.zeros(0)
        parts = [found[file] for file in files.tolist()]
        starts = np.cumsum([0, *(len(scales) for _, scales in parts[:-1])])
        chosen = starts[place] + matrix.indexes[rows]
        codes = np.concatenate([codes for codes, _ in parts])[chosen]
        return codes, np.concatenate([scales for _, scales in parts])[chosen]

    def vectors(
        self, refs: Sequence[tuple[str, int]], fingerprint: str, access: Access
    ) -> npt.NDArray[np.float32] | None:
        if not access:
            return None
        visible = f"f.access_id {admitted(access)}"
        with self._pool.read() as connection:
            model = connection.execute(
                "SELECT m.id, m.dimension FROM models m WHERE m.fingerprint = ? AND EXISTS (SELECT"
                " 1 FROM vectors v JOIN files f ON f.id = v.file_id"
                f" WHERE v.model = m.id AND {visible})",
                (fingerprint,),
            ).fetchone()
            if model is None:
                return None
            number, dimension = model
            result = np.zeros((len(refs), dimension), dtype=np.float32)
            rows_of: dict[str, list[tuple[int, int]]] = {}
            for row, (path, index) in enumerate(refs):
                rows_of.setdefault(path, []).append((row, index))
            for path, rows in rows_of.items():
                part = self._of_path(connection, number, path, visible)
                if part is None:
                    continue
                file, rev, signs = part
                codes, _ = self._kept.of(connection, number, dimension, {file: (rev, signs)})[file]
                for row, index in rows:
                    if 0 <= index < len(codes):
                        vector = codes[index].astype(np.float32)
                        result[row] = vector / max(float(np.linalg.norm(vector)), 1e-12)
        return result

    @staticmethod
    def _of_path(
        connection: sqlite3.Connection, model: int, path: str, visible: str
    ) -> tuple[int, int, bytes] | None:
        if not is_sayable(path):
            return None
        found: tuple[int, int, bytes] | None = connection.execute(
            "SELECT f.id, f.rev, v.signs FROM files f JOIN vectors v ON v.file_id = f.id"
            f" AND v.rev = f.rev AND v.model = ? WHERE f.path = ? AND {visible}",
            (model, path),
        ).fetchone()
        return found


def _best(
    matrix: Signs,
    rows: npt.NDArray[np.int64],
    codes: npt.NDArray[np.int8],
    scales: npt.NDArray[np.float64],
    vector: npt.NDArray[np.float32],
    k: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Return the best of `rows` and their cosines, best first, ties by path and index."""
    largest = float(np.abs(vector).max()) or 1.0
    levels = np.rint(vector.astype(np.float64) * (_QUERY_LEVELS / largest)).astype(np.int32)
    scores = (codes.astype(np.int32) @ levels) * scales * (largest / _QUERY_LEVELS)
    real = scales > 0  # zeros stand for a chunk without a vector
    rows, scores = rows[real], scores[real]
    order = np.lexsort((matrix.indexes[rows], matrix.ranks[rows], -scores))[:k]
    return rows[order], scores[order]


# -- the write side ------------------------------------------------------------------------------


def put(connection: sqlite3.Connection, file: int, rev: int, vectors: FileVectors) -> None:
    """Store the vectors that a model gave to the chunks of one state of a file."""
    connection.execute(
        "INSERT OR IGNORE INTO models (fingerprint, dimension) VALUES (?, ?)",
        (vectors.fingerprint, vectors.dimension),
    )
    (model,) = connection.execute(
        "SELECT id FROM models WHERE fingerprint = ?", (vectors.fingerprint,)
    ).fetchone()
    connection.execute(
        "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?)",
        (model, file, rev, vectors.signs, vectors.codes),
    )


def put_by_path(connection: sqlite3.Connection, files: Mapping[str, FileVectors]) -> None:
    """Store the vectors of files as they are now."""
    for path, vectors in files.items():
        row = connection.execute("SELECT id, rev FROM files WHERE path = ?", (path,)).fetchone()
        if row is not None:
            put(connection, row[0], row[1], vectors)


def unembedded(connection: sqlite3.Connection, fingerprint: str) -> list[str]:
    """Return the files that have chunks, and none with a vector of this model."""
    return [
        path
        for (path,) in connection.execute(
            "SELECT f.path FROM files f JOIN texts t ON t.file_id = f.id WHERE t.chunks AND"
            " NOT EXISTS (SELECT 1 FROM vectors v JOIN models m ON m.id = v.model WHERE"
            " m.fingerprint = ? AND v.file_id = f.id AND v.rev = f.rev) ORDER BY f.path",
            (fingerprint,),
        )
    ]


def drop_others(connection: sqlite3.Connection, fingerprint: str) -> None:
    """Delete what other models than this one have left."""
    others = "IN (SELECT id FROM models WHERE fingerprint <> ?)"
    connection.execute(f"DELETE FROM vectors WHERE model {others}", (fingerprint,))
    connection.execute("DELETE FROM models WHERE fingerprint <> ?", (fingerprint,))
