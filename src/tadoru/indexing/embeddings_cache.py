"""`TADORU_HOME/embeddings.db`: every vector that was made here, by model and text.

All roots, branches and worktrees share it, so that no text is embedded twice. It is a cache: it may
be deleted at any time, a damaged one is begun anew, and one that cannot be used costs nothing but
the saving. Vectors are int8 with a scale, as in the stores. Bounded: what was not used for the
longest time goes first.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

NAME = "embeddings.db"
APPLICATION_ID = 0x74616465
"""`tade` in ASCII."""
VERSION = 1
LIMIT_BYTES = 2 * 1024**3
"""About two million vectors of 1,024 dimensions."""
KEPT_SHARE = 0.8
"""What stays when the limit is passed."""
BUSY_SECONDS = 10.0
CHECKED_EVERY = 64
"""Batches between two looks at the size."""
_VARIABLES = 500

TABLES = """
CREATE TABLE models (
    id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE, dimension INTEGER NOT NULL
);
CREATE TABLE vectors (
    model INTEGER NOT NULL, hash BLOB NOT NULL, day INTEGER NOT NULL, scale REAL NOT NULL,
    data BLOB NOT NULL, PRIMARY KEY (model, hash)
) WITHOUT ROWID;
"""
"""`day` is when the vector was last used, in days since 1970."""


class EmbeddingsCache:
    """The vectors of one model. No method raises for a fault of the file; `fault` says it."""

    def __init__(
        self, home: Path, fingerprint: str, dimension: int, *, limit_bytes: int = LIMIT_BYTES
    ) -> None:
        self._path = home / NAME
        self._dimension = dimension
        self._limit = limit_bytes
        self._puts = 0
        self.fault = ""
        """Why the cache is not used; empty when all is well."""
        self._connection: sqlite3.Connection | None = None
        self._model = 0
        try:
            self._connection = _opened(self._path)
            self._model = self._model_id(self._connection, fingerprint)
        except (sqlite3.Error, OSError) as error:
            self._give_up(error)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _give_up(self, error: Exception) -> None:
        self.fault = f"{self._path} cannot be used: {error}"
        self.close()

    def _model_id(self, connection: sqlite3.Connection, fingerprint: str) -> int:
        with connection:
            connection.execute(
                "INSERT OR IGNORE INTO models (fingerprint, dimension) VALUES (?, ?)",
                (fingerprint, self._dimension),
            )
        (number,) = connection.execute(
            "SELECT id FROM models WHERE fingerprint = ? AND dimension = ?",
            (fingerprint, self._dimension),
        ).fetchone()
        return int(number)

    def get(self, hashes: Collection[bytes]) -> dict[bytes, npt.NDArray[np.float32]]:
        """Return the vectors, float32, (dimension,), of those texts that have one."""
        if self._connection is None:
            return {}
        today = _today()
        found: dict[bytes, npt.NDArray[np.float32]] = {}
        old: list[tuple[int, int, bytes]] = []
        try:
            for key, day, scale, data in self._rows(self._connection, list(hashes)):
                if len(data) == self._dimension:
                    found[key] = _vector(scale, data)
                if day < today:
                    old.append((today, self._model, key))
            if old:
                with self._connection as connection:
                    connection.executemany(
                        "UPDATE vectors SET day = ? WHERE model = ? AND hash = ?", old
                    )
        except sqlite3.Error as error:
            self._give_up(error)
        return found

    def _rows(
        self, connection: sqlite3.Connection, hashes: list[bytes]
    ) -> Iterator[tuple[bytes, int, float, bytes]]:
        for start in range(0, len(hashes), _VARIABLES):
            part = hashes[start : start + _VARIABLES]
            marks = ",".join("?" * len(part))
            yield from connection.execute(
                f"SELECT hash, day, scale, data FROM vectors WHERE model = ? AND hash IN ({marks})",
                (self._model, *part),
            )

    def put(self, vectors: Mapping[bytes, npt.NDArray[np.float32]]) -> None:
        """Keep vectors: a process that is killed after this returns loses none of them."""
        if self._connection is None or not vectors:
            return
        rows = [(self._model, key, _today(), *_quantised(v)) for key, v in vectors.items()]
        try:
            with self._connection as connection:
                connection.executemany(
                    "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?)", rows
                )
            if self._puts % CHECKED_EVERY == 0:
                self._bound(self._connection)
            self._puts += 1
        except sqlite3.Error as error:
            self._give_up(error)

    def _bound(self, connection: sqlite3.Connection) -> None:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        if pages * size <= self._limit:
            return
        (count,) = connection.execute("SELECT count(*) FROM vectors").fetchone()
        surplus = int(count * (1 - KEPT_SHARE * self._limit / (pages * size)))
        with connection:
            connection.execute(
                "DELETE FROM vectors WHERE (model, hash) IN"
                " (SELECT model, hash FROM vectors ORDER BY day, hash LIMIT ?)",
                (surplus,),
            )
        connection.executescript("PRAGMA incremental_vacuum")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _quantised(vector: npt.NDArray[np.float32]) -> tuple[float, bytes]:
    """Return the scale and the int8 codes of a vector, (dimension,)."""
    import numpy as np

    scale = float(np.abs(vector).max()) / 127 or 1.0
    return scale, np.rint(vector / scale).astype(np.int8).tobytes()


def _today() -> int:
    return int(time.time() // 86_400)


def _vector(scale: float, data: bytes) -> npt.NDArray[np.float32]:
    import numpy as np

    vector: npt.NDArray[np.float32] = np.frombuffer(data, dtype=np.int8).astype(np.float32)
    vector *= np.float32(scale)
    return vector


def _opened(path: Path) -> sqlite3.Connection:
    """Open the cache; make it when there is none, and anew when it is damaged or another's."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        return _open(path)
    except sqlite3.OperationalError:
        raise  # busy, full or of a later version: nothing is wrong with the file
    except sqlite3.DatabaseError:
        for suffix in ("", "-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
    return _open(path)


def _open(path: Path) -> sqlite3.Connection:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS)
    try:
        _make_ready(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _make_ready(connection: sqlite3.Connection) -> None:
    """Make the tables in an empty file. Raises: `DatabaseError` for what is not ours."""
    (number,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if (number, version) == (0, 0):
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("PRAGMA journal_mode = WAL")
        with suppress(sqlite3.OperationalError):  # another process has just made them
            connection.executescript(
                f"BEGIN IMMEDIATE; {TABLES} PRAGMA application_id = {APPLICATION_ID};"
                f" PRAGMA user_version = {VERSION}; COMMIT;"
            )
        if connection.in_transaction:
            connection.rollback()
    elif number == APPLICATION_ID and version > VERSION:
        raise sqlite3.OperationalError("a later version made it")
    elif (number, version) != (APPLICATION_ID, VERSION):
        raise sqlite3.DatabaseError("not a cache of ours")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("SELECT count(*) FROM models").fetchone()


def faults(home: Path) -> list[str]:
    """Return what is wrong with the cache, in words; empty when all is well or there is none."""
    path = home / NAME
    if not path.exists():
        return []
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
            found = [str(row[0]) for row in db.execute("PRAGMA quick_check(5)") if row[0] != "ok"]
            (odd,) = db.execute(
                "SELECT count(*) FROM vectors v LEFT JOIN models m ON m.id = v.model"
                " WHERE m.dimension IS NULL OR length(v.data) <> m.dimension"
            ).fetchone()
    except sqlite3.Error as error:
        return [str(error)]
    return [*found, *([f"{odd} vectors are of another length than their model's"] if odd else [])]
