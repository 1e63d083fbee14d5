"""Bulk index work in a process of its own.

So that it gives its memory back, outlives a short command, and needs no `__main__` guard in the
program that uses the library. The parent writes one pickled `Request` to the child's standard
input and may read pickled messages from its standard output: ("progress", done, total, path) any
number of times, then ("report", IndexReport) or ("error", TadoruError). Both ends are tadoru, and
nothing else may write there, so pickle is safe here.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, BinaryIO, Literal

from tadoru.config import Config
from tadoru.errors import StoreBusy, StoreError, StoreFull, TadoruError
from tadoru.types import LACKING, IndexReport, Principal

if TYPE_CHECKING:
    from tadoru.stores.sqlite import SqliteStore

FULL_BYTES = 128 * 1024
"""Less free space than that is a full disk: one page of the log may need more."""

Progress = Callable[[int, int, str], None]


FRUGAL = {"MALLOC_MMAP_THRESHOLD_": "262144", "MALLOC_ARENA_MAX": "2"}
"""Large arrays go back to the system when they are freed: mallopt(3), M_MMAP_THRESHOLD."""


@dataclass(frozen=True, slots=True)
class Request:
    """What one run is to do."""

    root: Path
    directory: Path
    """Where the index lies."""
    config: Config
    rebuild: bool = False
    principal: Principal | None = None
    """Who reads the report: it tells of what he may see. None: of everything."""
    patience: float = 10.0
    """Seconds to wait for another process that writes."""
    vectors: Literal["wait", "later", "only", "background"] = "wait"
    """Whether the run also makes vectors, leaves that to another process, or does nothing else;
    `background`: and not even that when another one does it already."""


def perform(request: Request, progress: Progress | None = None) -> IndexReport:
    """Run the request in this process, with a pool of workers when there is much to do.

    A first index that fails is removed: half of one is of no use. Raises: `StoreError`, `BadInput`.
    """
    from tadoru.stores.sqlite.schema import DATABASE

    first = not (request.directory / DATABASE).exists()
    try:
        return _perform(request, progress)
    except StoreBusy:
        raise
    except StoreError as error:
        full = _is_full(request.directory)
        if first:
            _remove(request.directory)
        if full and not isinstance(error, StoreFull):
            # SQLite calls a database malformed whose log no longer fits
            raise StoreFull(
                f"no space is left for the index {request.directory}",
                hint="free some space, or set TADORU_HOME to another disk",
            ) from error
        raise


def _perform(request: Request, progress: Progress | None) -> IndexReport:
    from tadoru.indexing.sync import index
    from tadoru.stores.sqlite import SqliteStore
    from tadoru.stores.sqlite.lock import writer_lock

    if request.rebuild:
        if request.directory.is_dir():
            with writer_lock(request.directory, request.patience):
                pass  # a run that is under way ends first
        SqliteStore.reset(request.directory, root=request.root)
    store = SqliteStore.open(request.directory, root=request.root, create=True)
    try:
        if request.vectors in ("only", "background"):
            report = IndexReport(str(request.root))
        else:
            report = index(
                store,
                request.root,
                request.config,
                progress=progress,
                patience=request.patience,
                principal=request.principal,
                thorough=request.vectors == "wait",
            )
        return _with_vectors(request, store, report, progress)
    finally:
        store.close()


def _is_full(directory: Path) -> bool:
    try:
        status = os.statvfs(directory)
    except OSError:
        return False
    return status.f_bavail * status.f_frsize < FULL_BYTES


def _remove(directory: Path) -> None:
    """Remove a first index that failed: it must not keep a full disk full, nor look like one."""
    from tadoru.stores.sqlite import SqliteStore

    try:
        SqliteStore.remove(directory)
    except StoreError:  # not even the lock can be written
        rmtree(directory, ignore_errors=True)


def _with_vectors(
    request: Request, store: SqliteStore, report: IndexReport, progress: Progress | None
) -> IndexReport:
    """Make the vectors, or see to it that they are made; what goes wrong there is in the report."""
    from tadoru.indexing.reporting import shown_to
    from tadoru.indexing.vectors import RootVectors

    home = request.directory.parents[1]
    vectors = RootVectors(request.root, request.directory, home, request.config)
    if request.vectors == "later" and not vectors.instant:
        vectors.soon(store)
        return report
    made = vectors.run(store, progress, patient=request.vectors != "background")
    if made and request.principal and shown_to(request.config, request.principal):
        made = vectors.as_seen(store, made, request.principal)
    if made is None or not made.reason:
        return replace(report, embedding=made)
    line = f"{LACKING}: {made.reason}"
    if made.waiting:
        chunks = f"{made.waiting_files} of {made.files} files ({made.waiting} chunks)"
        line = f"{LACKING}: {chunks} wait for vectors: {made.reason}"
    if made.needs_consent:
        return replace(report, embedding=made, notes=(*report.notes, line))
    return replace(report, embedding=made, errors=(*report.errors, line), complete=False)


class Job(subprocess.Popen[bytes]):
    """A running child. It may outlive this process, so nobody has to wait for it."""

    def __init__(self, request: Request, *, watched: bool) -> None:
        """Start it. `watched`: its messages will be read by `result`; else they go nowhere."""
        try:
            request.directory.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise StoreError(
                f"{request.directory.parent}: {error.strerror}, so there is no place for the index",
                hint="set TADORU_HOME to a directory that can be written",
            ) from error
        super().__init__(
            # -P: a module of the indexed repository must not shadow one of ours
            [sys.executable, "-P", "-m", "tadoru.indexing"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE if watched else subprocess.DEVNULL,
            stderr=None if os.environ.get("TADORU_DEBUG") else subprocess.DEVNULL,
            cwd=request.directory.parent,
            env={**os.environ, **FRUGAL},
            start_new_session=not watched,
        )
        if self.stdin is not None:
            pickle.dump(request, self.stdin)
            self.stdin.close()

    def __del__(self) -> None:
        """Popen would warn that the child still runs; it is meant to."""

    def result(self, progress: Progress | None = None) -> IndexReport:
        """Read messages to the end and return the report. Raises: what the child raised."""
        if self.stdout is None:
            raise StoreError("this job was started without anybody to report to")
        with self.stdout:
            while True:
                try:
                    kind, *rest = pickle.load(self.stdout)
                except (EOFError, pickle.UnpicklingError):
                    raise StoreError(
                        "the index run ended before it was done",
                        hint="run it again: what was finished is kept",
                    ) from None
                if kind == "progress" and progress is not None:
                    progress(*rest)
                elif kind == "error":
                    raise rest[0]
                elif kind == "report":
                    self.wait()
                    report: IndexReport = rest[0]
                    return report


def child() -> int:
    """Serve one request from standard input; the entry point of the process."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not reach the messages
    request: Request = pickle.load(sys.stdin.buffer)
    try:
        report = perform(request, progress=lambda *step: _send(output, ("progress", *step)))
    except TadoruError as error:
        _send(output, ("error", error))
        return error.exit_code
    except Exception as error:
        hint = "please report it; TADORU_DEBUG=1 shows the traceback"
        _send(output, ("error", StoreError(f"the index run failed: {error!r}", hint=hint)))
        raise
    _send(output, ("report", report))
    return 0


def _send(output: BinaryIO, message: tuple[object, ...]) -> None:
    try:
        pickle.dump(message, output)
        output.flush()
    except OSError:
        return  # nobody listens any more; the work goes on
