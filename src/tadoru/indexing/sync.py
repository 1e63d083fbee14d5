"""Bring a store up to date with its source: walk, compare, name, read, resolve imports, write.

Names are committed first, so the tree is complete at once; then every batch of files is one
transaction. What an update leaves is what a fresh index would be: imports of untouched files are
resolved again when the tree changed around them. An interrupted run keeps what it finished.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tadoru.config import Config
from tadoru.indexing.changes import Changes, compare, scan
from tadoru.indexing.crew import looked_at
from tadoru.indexing.instant import instant_part
from tadoru.indexing.labels import ensure, everything, labels
from tadoru.indexing.moved import moved
from tadoru.indexing.read import Outcome, Task, read
from tadoru.indexing.reporting import as_seen, curiosities, dry_run, left_out, shown_to, size_of
from tadoru.indexing.roles import urgency
from tadoru.indexing.targets import Targets
from tadoru.indexing.walk import Walk, listed
from tadoru.stores.sqlite.records import FileRecord
from tadoru.text.decode import decode
from tadoru.types import Freshness, IndexReport, Principal

if TYPE_CHECKING:
    from tadoru.stores.sqlite import SqliteStore
    from tadoru.stores.sqlite.rows import Known
    from tadoru.stores.sqlite.writer import Writer

Progress = Callable[[int, int, str], None]
"""Called with files done, files in all, and the path that was done."""

WRITER_SECONDS = 10.0
PUT_FILES = 64
PUT_BYTES = 4 * 1024 * 1024
"""One transaction of the writer: a batch is lost at most when the process is killed."""
PUT_SECONDS = 1.0
"""So long at most until a file that was read can be found."""
FIRST_PUT_SECONDS = 0.1
"""The same of the first ones: somebody may be waiting for an early answer."""
MANIFEST_BYTES = 1024 * 1024

__all__ = ["Changes", "Progress", "dry_run", "index", "scan"]


def index(
    store: SqliteStore,
    root: Path | str,
    config: Config,
    *,
    progress: Progress | None = None,
    force: bool = False,
    seen: Changes | None = None,
    patience: float = WRITER_SECONDS,
    principal: Principal | None = None,
    thorough: bool = False,
) -> IndexReport:
    """Bring the store up to date and report what was done, and what was left out and why.

    `force`: read every file again. `seen`: what a `scan` just before found. `patience`: seconds
    to wait for another process that writes. `principal`: the report tells of what he may see.
    `thorough`: it also names what may surprise in the tree and what the rules of git leave out, for
    which git has to look again; and segments that are damaged are made again.
    Raises: `BadInput` when the root cannot be listed, `StoreBusy` when another process is at it,
    `StoreFull`, `StoreError`.
    """
    began = time.monotonic()
    found = (seen and seen.walk) or listed(root, config.index)
    rules = labels(config)
    with store.writer(labels=rules, deadline_seconds=patience) as writer:
        if seen and seen.known is not None and seen.stamp == store.stamp:
            known, changes = seen.known, seen
        else:
            known = writer.known()
            changes = compare(found, known, store.last_scan_ns, config.index.max_file_bytes)
        changes = replace(changes, unfinished=store.unfinished)
        if force:
            again = [path for path in found.stats if path in known]
            changes = replace(changes, changed=tuple(again), unchanged=0)
        run = _Run(
            store, writer, found, known, config, progress, shown_to(config, principal), thorough
        )
        ensure(store, config, writer)
        if changes or not store.last_scan_ns:
            run.update(changes)
        elif thorough and store.broken_segments():
            store.drop_broken_segments()
            writer.flush()
        if changes or changes.verified or not store.last_scan_ns:
            writer.set_last_scan(found.began_ns)
        run.noted = writer.notes()
    return run.report(changes, time.monotonic() - began)


@dataclass(slots=True)
class _Run:
    """One run of a writer."""

    store: SqliteStore
    writer: Writer
    walk: Walk
    known: Mapping[str, Known]
    config: Config
    progress: Progress | None
    shows: Callable[[str], bool] | None = None
    """Whether the report may tell of a path; None: of all."""
    thorough: bool = False
    noted: Mapping[str, str] = field(default_factory=dict)
    done: int = 0
    total: int = 0
    languages: Counter[str] = field(default_factory=Counter)
    errors: list[tuple[str, str]] = field(default_factory=list)
    notes: Counter[str] = field(default_factory=Counter)
    chunks: int = 0
    symbols: int = 0
    source_bytes: int = 0
    targets: Targets | None = None

    # -- content ---------------------------------------------------------------------------------

    def update(self, changes: Changes) -> None:
        """Name, read and write what changed; then give untouched files their new targets."""
        paths = (*changes.added, *changes.changed)
        self.writer.set_state(Freshness.UPDATING)
        replaced = [p for p in changes.changed if self.known[p].kind != self._kind(p)]
        forgotten = {*changes.deleted, *replaced}  # a link keeps nothing of a file
        self.writer.delete(forgotten)
        left = {p: row for p, row in self.known.items() if p not in forgotten}
        self.writer.names(map(self.walk.file_stat, paths), left if forgotten else self.known)
        files = sorted((p for p in paths if p not in self.walk.targets), key=urgency)
        self.total = len(files)
        self.targets = Targets(self.walk.stats, self._manifest)
        self._work((Task(self.walk.file_stat(p), self._digest(p)) for p in files), len(files))
        if self.known:
            elsewhere = moved(self.store, self.targets, changes)
            self.total += len(elsewhere)
            self._work((Task(self.walk.file_stat(p)) for p in elsewhere), len(elsewhere))
        self.writer.finish()
        self.writer.set_state(Freshness.FRESH)

    def _kind(self, path: str) -> str:
        return "link" if path in self.walk.targets else "file"

    def _digest(self, path: str) -> bytes:
        row = self.known.get(path)
        return row.digest if row and row.kind == self._kind(path) else b""

    def _work(self, tasks: Iterable[Task], count: int) -> None:
        """Read files and write what was found, in batches. Tasks are made as they are needed:
        those of 100,000 files at once would take 30 MB."""
        pending: list[FileRecord] = []
        size = 0
        since = time.monotonic()
        patience = FIRST_PUT_SECONDS
        index = self.config.index
        results = looked_at(
            self.walk.root,
            tasks,
            count,
            limit=index.max_file_bytes,
            workers=index.workers,
            models=instant_part(self.config.models),
        )
        for outcome in results:
            record = self._take(outcome)
            if record is not None:
                pending.append(record)
                size += len(record.content or b"")
            full = len(pending) >= PUT_FILES or size >= PUT_BYTES
            if full or (pending and time.monotonic() - since > patience):
                self.writer.put(pending)
                pending, size, since, patience = [], 0, time.monotonic(), PUT_SECONDS
            self.done += 1
            if self.progress is not None:
                self.progress(self.done, self.total, outcome.path)
        self.writer.put(pending)

    def _take(self, outcome: Outcome) -> FileRecord | None:
        """Count an outcome; return the record to write, with its imports resolved."""
        if outcome.status == "gone":
            self.writer.delete([outcome.path])
        elif outcome.status == "same" and outcome.stat is not None:
            self.writer.touch([outcome.stat])
        elif outcome.status == "unreadable":
            self.errors.append((outcome.path, outcome.reason))
        record = outcome.record
        if record is None:
            return None
        if self.shows is None or self.shows(outcome.path):
            self._count(outcome, record)
        if record.imports and self.targets is not None:
            return replace(record, imports=self.targets.resolve(record.imports, record.language))
        return record

    def _count(self, outcome: Outcome, record: FileRecord) -> None:
        if outcome.reason and outcome.status == "record":
            self.notes[outcome.reason] += 1
        self.languages[record.language or "other"] += 1
        self.chunks += len(record.chunks)
        self.symbols += len(record.symbols)
        self.source_bytes += len(record.content or b"")

    def _manifest(self, path: str) -> str | None:
        try:
            root = os.fsencode(self.walk.root)
            data = read(root, self.walk.file_stat(path), MANIFEST_BYTES).data
        except (OSError, KeyError):
            return None
        decoded = decode(data) if data is not None else None
        return decoded.text if decoded else None

    # -- the report ------------------------------------------------------------------------------

    def report(self, changes: Changes, seconds: float) -> IndexReport:
        state = self.store.state(access=everything(self.store))
        reasons = left_out(self.walk) if self.thorough else self.walk.skipped
        skipped = {reason: list(paths) for reason, paths in reasons.items()}
        for path, reason in self.noted.items():
            skipped.setdefault(reason, []).append(path)
        notes = [*self.walk.notes]
        notes += [f"{count} files {reason}" for reason, count in sorted(self.notes.items())]
        notes += curiosities(self.walk) if changes and (self.thorough or not self.known) else []
        report = IndexReport(
            root=self.walk.root,
            added=len(changes.added),
            changed=len(changes.changed),
            deleted=len(changes.deleted),
            unchanged=changes.unchanged,
            languages=dict(self.languages.most_common()),
            skipped={reason: sorted(paths) for reason, paths in sorted(skipped.items())},
            notes=tuple(notes),
            errors=tuple(f"{path}: {reason}" for path, reason in sorted(self.errors)),
            chunks=self.chunks,
            symbols=self.symbols,
            seconds=seconds,
            source_bytes=self.source_bytes,
            index_bytes=size_of(self.store.directory),
            index=state,
            complete=not self.errors and state.status is Freshness.FRESH,
        )
        return report if self.shows is None else self._seen(report, changes)

    def _seen(self, report: IndexReport, changes: Changes) -> IndexReport:
        """Return the report without what the asker may not see; counts are over the rest."""
        shows = self.shows or bool
        errors = [(path, why) for path, why in sorted(self.errors) if shows(path)]
        visible = sum(1 for path in self.walk.stats if shows(path))
        seen = as_seen(report, changes, shows)
        return replace(
            seen,
            unchanged=max(0, visible - seen.added - seen.changed),
            errors=tuple(f"{path}: {why}" for path, why in errors),
            notes=tuple(f"{count} files {why}" for why, count in sorted(self.notes.items())),
        )
