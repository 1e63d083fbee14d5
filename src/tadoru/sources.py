"""Sources of the trees: opens the store of each root, and keeps it fresh.

Decides when a question updates the index by itself, when a process of its own does it, and what an
answer has to say meanwhile.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from tadoru.config import Config
from tadoru.errors import BadInput, NotIndexed, StoreBusy, StoreError
from tadoru.indexing.vectors import RootVectors
from tadoru.roots import home, without_home
from tadoru.sentry import Lookout
from tadoru.touched import Touched, journal_path
from tadoru.types import PUBLIC, Freshness, IndexReport, IndexState, Principal

if TYPE_CHECKING:
    from tadoru.indexing.changes import Changes
    from tadoru.indexing.job import Job
    from tadoru.indexing.targets import Targets
    from tadoru.models.base import Embedder
    from tadoru.stores.base import Store
    from tadoru.stores.sqlite import SqliteStore

SMALL_CHANGE = 40
"""Changed files that a question indexes by itself, in this process and without a pool."""
POLL_SECONDS = 0.02
SHORT_PATIENCE_SECONDS = 10.0
"""A question waits so long for another process that writes."""

Progress = Callable[[int, int, str], None]


class Source(Protocol):
    """Where the tree of one mount comes from."""

    @property
    def place(self) -> str:
        """The directory or the address, for people."""
        ...

    @property
    def store(self) -> Store: ...

    def freshen(self) -> None:
        """Bring the store up to date as far as a question may wait for it."""
        ...

    def state(self, stored: IndexState, principal: Principal) -> IndexState:
        """Return what the store says, or what is known to be worse, as far as he may know."""
        ...

    def close(self) -> None: ...


def _resolver(paths: Collection[str], read: Callable[[str], str | None]) -> Targets:
    from tadoru.indexing.targets import Targets

    return Targets(paths, read)


class LocalSource:
    """A directory on this machine and its SQLite store."""

    def __init__(self, root: Path, config: Config, *, indexes: bool = True) -> None:
        """`root`: canonical. `indexes`: whether a question may build or update the index."""
        self.root = root
        self.config = config = without_home(root, config)
        self._indexes = indexes
        key = blake2b(os.fsencode(root), digest_size=8).hexdigest()
        name = "".join(c if c.isalnum() else "-" for c in root.name)[:40] or "root"
        self.directory = home(config) / "stores" / f"{name}-{key}"
        self.touched = Touched(journal_path(str(home(config)), str(root)))
        """What was touched below this root, by every process of this user."""
        self.vectors = RootVectors(root, self.directory, home(config), config)
        self._store: SqliteStore | None = None
        self._job: Job | None = None
        self._lock = threading.RLock()
        self._looked = 0.0
        """Seconds for which the last look counts."""
        self._behind: tuple[str, ...] = ()
        """Paths that the last look found changed and that are not indexed yet."""
        self._why = ""
        self._lookout = Lookout(str(root), config.index)

    @property
    def place(self) -> str:
        return str(self.root)

    @property
    def store(self) -> SqliteStore:
        """The open store. Raises: `NotIndexed` before the first run."""
        with self._lock:
            if self._store is None:
                self._store = self._open()
            return self._store

    def _open(self) -> SqliteStore:
        from tadoru.stores.sqlite import SqliteStore

        store = SqliteStore.open(self.directory, root=self.root, create=False)
        store.ignored_rule = self._ignored
        store.make_resolver = _resolver
        return store

    def _ignored(self, path: str) -> str:
        from tadoru.indexing.ignored import ignored_rule

        return ignored_rule(self.root, self.config.index)(path)

    # -- freshness -----------------------------------------------------------------------------

    def freshen(self) -> None:
        """Bring the index up to date as far as a question may wait for it.

        A missing index is begun in a process of its own, and this returns when it is done or
        `first_answer_seconds` are over; a few changed files are indexed here and now. What remains
        is said by `state`. Raises: `NotIndexed` when there is none and none may be made.
        """
        asked = time.monotonic()
        with self._lock:
            if not self.root.is_dir():
                raise BadInput(
                    f"{self.root} is no directory any more", hint="its index is kept; see --root"
                )
            if self._looked >= asked:
                return  # another call looked meanwhile, and began after this one was made
            self._looked = time.monotonic()
            if self._unchanged():
                return
            if not self._has_store():
                self._begin()
            elif self._job_runs():
                self._wait()
            else:
                self._catch_up()
            if self._indexes and not self._job_runs():
                self.vectors.soon(self.store)

    def _unchanged(self) -> bool:
        """Tell, without a look at the source, whether the last one still holds."""
        if self._store is None or self._behind or self._job_runs():
            return False
        return self._lookout.holds(self._store.stamp)

    def _has_store(self) -> bool:
        """Tell whether a whole index was made at some time, or none may be made now."""
        try:
            return self.store.last_scan_ns > 0 or not self._indexes
        except NotIndexed:
            if self._indexes:
                return False
            raise NotIndexed(
                f"{self.root} is not indexed", hint="run `tadoru index`, or leave out --no-index"
            ) from None

    def _begin(self) -> None:
        from tadoru.indexing.job import Job, Request

        if not self._job_runs():
            request = Request(self.root, self.directory, self.config, vectors="later")
            self._job = Job(request, watched=False)
        self._wait()

    def _job_runs(self) -> bool:
        return self._job is not None and self._job.poll() is None

    def _wait(self) -> None:
        """Wait for the job, no longer than a first answer may take."""
        deadline = time.monotonic() + self.config.index.first_answer_seconds
        while self._job_runs() and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
        while not self._opens():
            if not self._job_runs():
                self._explain_failure()
            time.sleep(POLL_SECONDS)
        if not self._job_runs():
            self._behind = ()

    def _opens(self) -> bool:
        """Tell whether the names are known, which is enough to list, read and resolve."""
        try:
            everybody = frozenset(row.id for row in self.store.access_rows())
            return self.store.last_scan_ns > 0 or self.store.state(access=everybody).files > 0
        except (NotIndexed, StoreBusy):
            return False

    def _explain_failure(self) -> None:
        """The child is gone and left no index: run it again here, so that its error is seen."""
        self.index(vectors="later")

    def _catch_up(self) -> None:
        from tadoru.indexing.changes import scan

        self._lookout.look_begins()
        changes = scan(self.store, self.root, self.config)
        paths = (*changes.added, *changes.changed, *changes.deleted)
        self._behind = paths
        self._why = "changed since the last index"
        if not changes:
            self._lookout.look_ends(changes.walk, changes.stamp)
        if not changes or not self._indexes:
            return
        if len(paths) <= SMALL_CHANGE:
            self._update_here(changes)
        else:
            self._begin()

    def _update_here(self, changes: Changes) -> None:
        from tadoru.indexing.sync import index

        try:
            # Nothing is known to be missing where only the run before has not ended: it may go on.
            patience = self.config.index.catch_up_seconds if self._behind else 0.0
            index(self.store, self.root, self.config, seen=changes, patience=patience)
            self._behind = ()
        except StoreBusy:
            self._why = "changed; another process is indexing"
        except StoreError as error:
            self._why = f"changed, and cannot be indexed: {error.message}"

    def state(self, stored: IndexState, principal: Principal) -> IndexState:
        """Return what the store says, or what is known to be worse, as far as the asker may know.

        A changed file counts only for those who will see it: its label follows from its path.
        """
        if stored.status is Freshness.UPDATING and not self.store.last_scan_ns:
            detail = f"{stored.files - stored.pending} of {stored.files} files indexed so far"
            return replace(stored, status=Freshness.PARTIAL, detail=detail)
        if stored.status is not Freshness.FRESH or not self._behind:
            return stored
        from tadoru.indexing.labels import labels

        rule = labels(self.config)
        rows = [rule(path) if rule is not None else PUBLIC for path in self._behind]
        count = sum(1 for row in rows if row is not None and row.admits(principal))
        if not count:
            return stored
        detail = f"{count} file{'' if count == 1 else 's'} {self._why}"
        return replace(stored, status=Freshness.STALE, detail=detail, pending=count)

    def health(self) -> dict[str, Any]:
        """Return size and age of the index, and what was counted; empty with access labels.

        Numbers about everything would tell an asker of what he may not see.
        """
        store = self.store
        if store.labelled:
            return {}
        return {
            "index_bytes": store.index_bytes(),
            "seconds_since_scan": max(0, time.time_ns() - store.last_scan_ns) // 10**9,
            **store.counters(),
        }

    def make_vectors(self, embedder: Embedder) -> None:
        """See to it that vectors that a question misses are made, in a process of its own."""
        with self._lock:
            if self._indexes and not self._job_runs():
                self.vectors.soon(self.store, embedder)

    # -- work on demand ------------------------------------------------------------------------

    def index(
        self,
        *,
        rebuild: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
        vectors: Literal["wait", "later", "only", "background"] = "wait",
        principal: Principal | None = None,
        patience: float = SHORT_PATIENCE_SECONDS,
    ) -> IndexReport:
        """Bring the index up to date and report; the rest as in `indexing.job.Request`.

        Raises: what the run raised.
        """
        from tadoru.indexing.job import Job, Request

        if dry_run:
            from tadoru.indexing.sync import dry_run as estimate

            store = None if rebuild else self._store_if_any()
            return estimate(self.root, self.config, store=store, principal=principal)
        request = Request(
            self.root,
            self.directory,
            self.config,
            rebuild=rebuild,
            principal=principal,
            patience=patience,
            vectors=vectors,
        )
        report = Job(request, watched=True).result(progress)
        with self._lock:
            self._behind = ()
        return report

    def writing(self) -> bool:
        """Tell whether somebody writes this index right now."""
        from tadoru.stores.sqlite.lock import writer_lock

        if not self.directory.is_dir():
            return False
        try:
            with writer_lock(self.directory, 0):
                return False
        except StoreBusy:
            return True

    def _store_if_any(self) -> SqliteStore | None:
        try:
            return self.store
        except NotIndexed:
            return None

    def with_debounce(self, milliseconds: int) -> LocalSource:
        """Return the same source with another quiet time before the watcher works."""
        index = replace(self.config.index, debounce_ms=milliseconds)
        return LocalSource(self.root, replace(self.config, index=index), indexes=self._indexes)

    def watch(
        self,
        on_change: Callable[[IndexReport], None],
        stop: threading.Event,
        principal: Principal | None = None,
    ) -> None:
        """Index changes as they happen, until `stop` is set; blocks. Reports: as in `index`."""
        from tadoru.indexing.watch import watch

        def changed() -> None:
            report = self._refresh(principal)
            if report.added or report.changed or report.deleted:
                on_change(report)

        watch([self.root], self.config.index, changed, stop)

    def _refresh(self, principal: Principal | None) -> IndexReport:
        """Bring the index up to date: here when few files changed, else in another process."""
        from tadoru.indexing.changes import scan
        from tadoru.indexing.sync import index

        changes = scan(self.store, self.root, self.config)
        if len(changes.added) + len(changes.changed) + len(changes.deleted) > SMALL_CHANGE:
            return self.index(vectors="later", principal=principal)
        report = index(self.store, self.root, self.config, seen=changes, principal=principal)
        self.vectors.soon(self.store)
        return report

    def close(self) -> None:
        with self._lock:
            self._lookout.close()
            if self._store is not None:
                self._store.close()
                self._store = None
