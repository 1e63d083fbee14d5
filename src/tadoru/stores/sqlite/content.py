"""The bytes of files: from the store, or from the source where the store has none.

A file of the source is opened one component at a time without following any link, so that what is
read always lies inside the root, whatever has changed there since the walk. Hot text is kept in
memory up to a fixed number of bytes. Who may see a row is decided before anything is read.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from tadoru.errors import LimitExceeded, Unavailable
from tadoru.stores.sqlite.access import admitted
from tadoru.stores.sqlite.codec import Blob, content_of
from tadoru.stores.sqlite.pool import Pool
from tadoru.types import Access

HOT_BYTES = 64 * 1024 * 1024
"""Decompressed text kept in memory, per store."""
MAX_READ_BYTES = 256 * 1024 * 1024
"""The most that one read returns; larger files are read by ranges."""
BATCH_FILES = 256
"""Names asked for in one statement of a bulk read."""
BATCH_BYTES = 8 * 1024 * 1024
"""Bytes held at once by a bulk read, beside one file."""

_GONE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENXIO})


@dataclass(frozen=True, slots=True)
class Row:
    """What a read needs to know of a visible file."""

    id: int
    rev: int
    path: str
    raw: bytes
    size: int
    stored: bool
    encoding: str


_COLUMNS = "id, rev, path, raw, size, stored, encoding"


class Content:
    """Reads for one store."""

    def __init__(self, pool: Pool, root: bytes) -> None:
        self._pool = pool
        self._root = root
        self._hot = HotBytes(HOT_BYTES)

    def read(self, path: str, access: Access, start: int, size: int) -> bytes | None:
        data = self._whole(path, access, start, size)
        return None if data is None else data[0]

    def text(self, path: str, access: Access) -> str | None:
        from tadoru.text.decode import decode, decode_as

        found = self._whole(path, access, 0, -1)
        if found is None:
            return None
        data, row = found
        if row.stored:
            return decode_as(data, row.encoding).text
        decoded = decode(data)
        return None if decoded is None else decoded.text

    def _whole(self, path: str, access: Access, start: int, size: int) -> tuple[bytes, Row] | None:
        if not access:
            return None
        start = max(0, start)
        with self._pool.read() as connection:
            found = _rows(connection, [path], access)
            if not found:
                return None
            row = found[path]
            if row.stored:
                data = self._stored(connection, row)
                end = None if size < 0 else start + size
                return (data if start == 0 and end is None else data[start:end]), row
        source = read_source(self._root, row, start, size)
        return None if source is None else (source, row)

    def _stored(self, connection: sqlite3.Connection, row: Row) -> bytes:
        data = self._hot.get((row.id, row.rev))
        if data is None:
            found = connection.execute(
                "SELECT data, content, chunks FROM texts WHERE file_id = ?", (row.id,)
            ).fetchone()
            data = content_of(Blob(*found))
            self._hot.put((row.id, row.rev), data)
        return data

    def read_many(self, paths: Iterable[str], access: Access) -> Iterator[tuple[str, bytes]]:
        """Yield visible files in the order of `paths`; those of the source that are gone or may not
        be read are left out."""
        if not access:
            return
        names = iter(paths)
        while batch := list(islice(names, BATCH_FILES)):
            with self._pool.read() as connection:
                rows = _rows(connection, batch, access)
            part: list[Row] = []
            weight = 0
            for name in batch:
                row = rows.get(name)
                if row is None:
                    continue
                part.append(row)
                weight += row.size
                if weight >= BATCH_BYTES:
                    yield from self._part(part, access)
                    part, weight = [], 0
            yield from self._part(part, access)

    def _part(self, rows: list[Row], access: Access) -> Iterator[tuple[str, bytes]]:
        ready: dict[str, bytes] = {}
        cold: list[Row] = []
        for row in rows:
            data = self._hot.get((row.id, row.rev)) if row.stored else None
            if data is not None:
                ready[row.path] = data
            elif row.stored:
                cold.append(row)
        if cold:
            ready.update(self._load(cold, access))
        for row in rows:
            if row.stored:
                data = ready.get(row.path)
            else:
                try:
                    data = read_source(self._root, row, 0, -1)
                except Unavailable:
                    continue
            if data is not None:
                yield row.path, data

    def _load(self, rows: list[Row], access: Access) -> Iterator[tuple[str, bytes]]:
        ids = ",".join(str(row.id) for row in rows)
        with self._pool.read() as connection:
            # The label is asked again: it may have changed since the names were looked up.
            blobs = connection.execute(
                "SELECT f.id, f.rev, f.path, t.data, t.content, t.chunks"
                " FROM files f JOIN texts t ON t.file_id = f.id"
                f" WHERE f.id IN ({ids}) AND f.stored AND f.access_id {admitted(access)}"
            ).fetchall()
        wanted = {row.path for row in rows}
        for number, rev, path, *blob in blobs:
            if path in wanted:
                data = content_of(Blob(*blob))
                self._hot.put_if_room((number, rev), data)
                yield path, data


def _rows(connection: sqlite3.Connection, paths: list[str], access: Access) -> dict[str, Row]:
    sayable = [path for path in paths if is_sayable(path)]
    marks = ",".join("?" * len(sayable))
    return {
        row[2]: Row(*row)
        for row in connection.execute(
            f"SELECT {_COLUMNS} FROM files WHERE path IN ({marks}) AND kind = 'file'"
            f" AND access_id {admitted(access)}",
            sayable,
        )
    }


def is_sayable(path: str) -> bool:
    """Tell whether SQLite can be asked for a path: a lone surrogate names nothing here."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def read_source(root: bytes, row: Row, start: int, size: int) -> bytes | None:
    """Read a regular file below `root` without following links; None when it is not there.

    Raises: `LimitExceeded` above 256 MiB, `Unavailable` when the system refuses.
    """
    try:
        descriptor = _open_below(root, row.raw or row.path.encode("utf-8", "surrogatepass"))
    except OSError as error:
        if error.errno in _GONE:
            return None
        raise Unavailable(f"{row.path}: {error.strerror}", hint="check its permissions") from error
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return None
        length = max(0, status.st_size - start)
        if size >= 0:
            length = min(length, size)
        if length > MAX_READ_BYTES:
            raise LimitExceeded(
                f"{row.path} has {status.st_size} bytes, one read returns {MAX_READ_BYTES}",
                hint="read a range of it (head, tail, sed -n)",
            )
        try:
            file.seek(start)
            return file.read(length)
        except OSError as error:
            raise Unavailable(f"{row.path}: {error.strerror}", hint="try again") from error


def _open_below(root: bytes, name: bytes) -> int:
    parts = name.split(b"/")
    if not root or any(part in (b"", b".", b"..") for part in parts) or b"\0" in name:
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts[:-1]:
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
            below = os.open(part, flags, dir_fd=folder)
            os.close(folder)
            folder = below
        # O_NONBLOCK: a FIFO that took the file's place must not hold up the reader.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        return os.open(parts[-1], flags, dir_fd=folder)
    finally:
        os.close(folder)


class HotBytes:
    """Least recently used bytes, bounded by their sum."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._items: OrderedDict[tuple[int, int], bytes] = OrderedDict()
        self._total = 0

    def get(self, key: tuple[int, int]) -> bytes | None:
        with self._lock:
            data = self._items.get(key)
            if data is not None:
                self._items.move_to_end(key)
            return data

    def put(self, key: tuple[int, int], data: bytes) -> None:
        with self._lock:
            if len(data) > self._limit // 4 or key in self._items:
                return
            self._items[key] = data
            self._total += len(data)
            while self._total > self._limit:
                _, old = self._items.popitem(last=False)
                self._total -= len(old)

    def put_if_room(self, key: tuple[int, int], data: bytes) -> None:
        """Keep it if nothing has to go for it: a scan of a large tree must not empty the cache."""
        if self._total + len(data) <= self._limit:
            self.put(key, data)
