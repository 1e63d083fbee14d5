"""The one who changes a store: names first, then what is in them, each file whole or not at all.

Every method that changes the catalogue is one transaction and raises the generation once. Decides
nothing about what is indexed or how; that is the indexer's part.
"""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tadoru.stores.sqlite.access import LabelIds, Labels
from tadoru.stores.sqlite.codec import pack
from tadoru.stores.sqlite.faults import translated
from tadoru.stores.sqlite.records import FileRecord, FileStat, FileVectors
from tadoru.stores.sqlite.rows import (
    DETAILS,
    INSERT,
    INSERT_OR_IGNORE,
    STATS,
    Delta,
    Known,
    drop_content,
    is_same,
    known,
    meta,
    name_keys,
    stat_values,
)
from tadoru.stores.sqlite.schema import new_stamp
from tadoru.types import HIDDEN, PUBLIC, Freshness, Kind

__all__ = ["FLUSH_CHUNKS", "Delta", "Known", "Writer"]

if TYPE_CHECKING:
    from pathlib import Path


FLUSH_CHUNKS = 4_096
"""Chunks that wait in the database before a segment is made of them: what a reader that looks in
between has to sort by itself, about 20 ms. In a long run the wait grows with what was written, as
each flush looks at all files."""
FLUSH_LARGEST = 16_384


class Writer:
    """Made by `SqliteStore.writer`, which holds the lock for it."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        labels: Labels | None,
        flush: Callable[[sqlite3.Connection, bool], None],
    ) -> None:
        self._connection = connection
        self._path = path
        self._labels = labels
        self._label_ids = LabelIds(connection)
        self._flush = flush
        self._unflushed = 0
        self._flushed = 0
        self._written = 0
        """Files; of a run that writes most of the index, segments are worth being merged."""

    # -- names ---------------------------------------------------------------------------------

    def known(self) -> dict[str, Known]:
        """Return path -> what is known, of all names."""
        with translated(self._path):
            return known(self._connection)

    def notes(self) -> dict[str, str]:
        """Return path -> why it has no chunks, of all files for which that was noted."""
        with translated(self._path):
            rows = self._connection.execute("SELECT path, note FROM files WHERE note <> ''")
            return dict(rows.fetchall())

    def names(self, stats: Iterable[FileStat], known: Mapping[str, Known] | None = None) -> Delta:
        """Register every name of a walk in one transaction, so that the tree is complete at once.

        New names have no text yet; changed ones keep what is stored until `put` replaces it, and
        count as pending. `known`: what `known()` would say now, if the caller has it. Says which
        are which; deletes nothing.
        """
        before = self.known() if known is None else dict(known)
        new: list[FileStat] = []
        changed: list[FileStat] = []
        same = 0
        for stat in stats:
            row = before.pop(stat.path, None)
            if row is None:
                new.append(stat)
            elif row.indexed and is_same(row, stat):
                same += 1
            else:
                changed.append(stat)
        if new or changed:
            with self._transaction() as connection:
                labelled = self._labelled()
                connection.executemany(INSERT, (self._new_row(stat, labelled) for stat in new))
                self._mark_changed(connection, changed)
        return Delta(
            new=tuple(stat.path for stat in new),
            changed=tuple(stat.path for stat in changed),
            gone=tuple(before),
            same=same,
        )

    @staticmethod
    def _mark_changed(connection: sqlite3.Connection, changed: list[FileStat]) -> None:
        links = [stat for stat in changed if stat.kind is Kind.LINK]
        files = [stat for stat in changed if stat.kind is not Kind.LINK]
        drop_content(connection, [(stat.path,) for stat in links])
        connection.executemany(
            f"UPDATE files SET {STATS}, indexed = 1, dirty = 0, stored = 0, rev = 0,"
            " digest = x'', mark = 0, role = 'source', language = '', encoding = '', note = ''"
            " WHERE path = ?",
            [(*stat_values(stat), stat.path) for stat in links],
        )
        connection.executemany(
            "UPDATE files SET dirty = 1 WHERE path = ? AND indexed",
            [(stat.path,) for stat in files],
        )
        connection.executemany(
            f"UPDATE files SET {STATS} WHERE path = ? AND NOT indexed",
            [(*stat_values(stat), stat.path) for stat in files],
        )

    def touch(self, stats: Iterable[FileStat]) -> None:
        """Take over new stats of files whose content turned out to be the same."""
        rows = [(*stat_values(stat), stat.path) for stat in stats]
        if rows:
            with self._transaction() as connection:
                connection.executemany(f"UPDATE files SET {STATS}, dirty = 0 WHERE path = ?", rows)

    def delete(self, paths: Iterable[str]) -> None:
        """Remove files and all that is known of them."""
        rows = [(path,) for path in paths]
        if not rows:
            return
        with self._transaction() as connection:
            drop_content(connection, rows)
            connection.executemany("DELETE FROM files WHERE path = ?", rows)

    def clear(self) -> None:
        """Forget everything but labels and counters: the store is another one from now on."""
        with self._transaction() as connection:
            for table in ("files", *DETAILS, "models"):
                connection.execute(f"DELETE FROM {table}")
            connection.executemany(
                "UPDATE meta SET value = ? WHERE key = ?",
                [
                    (uuid.uuid4().hex, "id"),
                    (0, "last_scan_ns"),
                    ("fresh", "status"),
                    ("", "detail"),
                ],
            )

    def label(self, labels: Labels) -> None:
        """Give every entry the label that `labels` says, and new entries too from now on."""
        self._labels = labels
        with self._transaction() as connection:
            connection.execute("UPDATE meta SET value = 1 WHERE key = 'labelled'")
            rows = connection.execute("SELECT id, path, access_id FROM files").fetchall()
            changed = [
                (label, number)
                for number, path, access_id in rows
                if (label := self._label_ids.of(labels(path))) != access_id
            ]
            connection.executemany("UPDATE files SET access_id = ? WHERE id = ?", changed)

    def unlabel(self) -> None:
        """Make every entry public: the store has no access labels any more."""
        self._labels = None
        with self._transaction() as connection:
            connection.execute("UPDATE meta SET value = 0 WHERE key = 'labelled'")
            connection.execute("UPDATE files SET access_id = ?", (PUBLIC.id,))

    # -- content -------------------------------------------------------------------------------

    def put(self, records: Sequence[FileRecord]) -> None:
        """Replace all that is known of these files, in one transaction."""
        if not records:
            return
        with self._transaction() as connection:
            labelled = self._labelled()
            for record in records:
                self._put_one(connection, record, labelled)
        self._written += len(records)
        self._unflushed += sum(len(record.chunks) + 1 for record in records)
        if self._unflushed >= min(max(FLUSH_CHUNKS, self._flushed // 4), FLUSH_LARGEST):
            self.flush()

    def _put_one(self, connection: sqlite3.Connection, record: FileRecord, labelled: bool) -> None:
        stat = record.stat
        connection.execute(INSERT_OR_IGNORE, self._new_row(stat, labelled))
        rev = new_stamp()
        (number,) = connection.execute(
            f"UPDATE files SET {STATS}, digest = ?, language = ?, role = ?, encoding = ?,"
            " mark = ?, note = ?, stored = ?, indexed = 1, dirty = 0, rev = ? WHERE path = ?"
            " RETURNING id",
            (
                *stat_values(stat),
                record.digest, record.language, record.role.value, record.encoding, record.mark,
                record.note, int(record.content is not None), rev, stat.path,
            ),
        ).fetchone()  # fmt: skip
        drop_content(connection, [(stat.path,)])
        if record.content is not None:
            blob = pack(record.content, record.chunks, record.symbols)
            connection.execute(
                "INSERT INTO texts VALUES (?, ?, ?, ?)",
                (number, blob.content, blob.chunks, blob.data),
            )
            connection.execute(
                "INSERT INTO pending VALUES (?, ?, ?, ?)",
                (number, rev, record.terms, record.trigrams),
            )
        connection.executemany(
            "INSERT INTO symbols VALUES (?, ?, ?, ?, ?)",
            [
                (number, position, symbol.kind, *name_keys(symbol.name))
                for position, symbol in enumerate(record.symbols)
            ],
        )
        connection.executemany(
            "INSERT INTO imports VALUES (?, ?, ?, ?, ?, ?)",
            [
                (number, position, edge.line, edge.module, edge.target,
                 json.dumps(edge.names, ensure_ascii=False) if edge.names else "")
                for position, edge in enumerate(sorted(record.imports, key=lambda edge: edge.line))
            ],
        )  # fmt: skip
        if record.vectors is not None:
            from tadoru.stores.sqlite import vectors as dense

            dense.put(connection, number, rev, record.vectors)

    # -- vectors -------------------------------------------------------------------------------

    def put_vectors(
        self,
        files: Mapping[str, FileVectors],
    ) -> None:
        """Store the vectors of files, by path, as the files are stored now."""
        from tadoru.stores.sqlite import vectors as dense

        with self._transaction() as connection:
            dense.put_by_path(connection, files)

    def unembedded(self, fingerprint: str) -> list[str]:
        """Return the files that have chunks, and none with a vector of this model."""
        from tadoru.stores.sqlite import vectors as dense

        with translated(self._path):
            return dense.unembedded(self._connection, fingerprint)

    def drop_other_models(self, fingerprint: str) -> None:
        """Delete the vectors of every model but this one."""
        from tadoru.stores.sqlite import vectors as dense

        with translated(self._path):
            others = self._connection.execute(
                "SELECT 1 FROM models WHERE fingerprint <> ? LIMIT 1", (fingerprint,)
            ).fetchone()
        if others:
            with self._transaction() as connection:
                dense.drop_others(connection, fingerprint)

    # -- the whole -----------------------------------------------------------------------------

    def set_state(self, status: Freshness, detail: str = "") -> None:
        """Say how far the catalogue agrees with its source.

        `detail` is shown to everybody: it names no path and counts nothing.
        """
        with translated(self._path):
            before = (meta(self._connection, "status"), meta(self._connection, "detail"))
        if before != (status.value, detail):
            with self._transaction(content=False) as connection:
                connection.execute(
                    "UPDATE meta SET value = ? WHERE key = 'status'", (status.value,)
                )
                connection.execute("UPDATE meta SET value = ? WHERE key = 'detail'", (detail,))

    def set_last_scan(self, nanoseconds: int) -> None:
        """Remember when the last complete walk began: files as young as that may have changed
        without a new mtime. Bookkeeping, hence no new generation."""
        with translated(self._path):
            self._connection.execute(
                "UPDATE meta SET value = ? WHERE key = 'last_scan_ns'", (nanoseconds,)
            )

    def flush(self) -> None:
        """Move what waits in the database into segments."""
        with translated(self._path):
            self._flush(self._connection, False)
        self._flushed += self._unflushed
        self._unflushed = 0

    def finish(self) -> None:
        """Leave everything small and quick to open: segments merged, statistics, WAL emptied."""
        with translated(self._path):
            (stored,) = self._connection.execute("SELECT sum(stored) FROM files").fetchone()
            self._flush(self._connection, 2 * self._written >= (stored or 0) > 0)
            self._unflushed = 0
            self._connection.execute("PRAGMA optimize")
            # What waited in `pending` leaves free pages behind: as much as a small index itself.
            # A script, because `execute` takes one step and so frees one page.
            self._connection.executescript("PRAGMA incremental_vacuum")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    # -- inside --------------------------------------------------------------------------------

    @contextmanager
    def _transaction(self, *, content: bool = True) -> Iterator[sqlite3.Connection]:
        connection = self._connection
        with translated(self._path):
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")
                if content:
                    connection.execute(
                        "UPDATE meta SET value = ? WHERE key = 'stamp'", (new_stamp(),)
                    )
                connection.execute("COMMIT")
            except BaseException:
                self._label_ids.forget()
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def _labelled(self) -> bool:
        return bool(meta(self._connection, "labelled"))

    def _new_row(self, stat: FileStat, labelled: bool) -> tuple[object, ...]:
        if not labelled:
            access_id = PUBLIC.id
        elif self._labels is None:
            access_id = HIDDEN.id
        else:
            access_id = self._label_ids.of(self._labels(stat.path))
        # A link has nothing to read: its name and target are all there is.
        return (*stat_values(stat), stat.path, access_id, int(stat.kind is Kind.LINK))
