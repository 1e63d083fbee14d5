"""Processes that read and take apart files, with bounded work in flight.

A worker that dies or hangs on a file costs that file alone: its results arrive one by one, so the
first one that is missing names the culprit, and a new worker takes the rest. Where no worker can be
started, and for few files, the work is done in this process. Results come in any order.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import ForkingPickler
from operator import attrgetter
from typing import Any

from tadoru.config import ModelConfig
from tadoru.indexing.instant import instant_embedder
from tadoru.indexing.read import Outcome, Task, look
from tadoru.types import Chunk, Import, Span, Symbol

WORKER = ("-P", "-m", "tadoru.indexing.worker")
"""Arguments of the interpreter. -P: no module of the indexed repository shadows one of ours."""
READY = "ready"
IN_PROCESS = 40
"""Up to so many files no process is started: two workers take 0.3 s to begin."""
BATCH = 16
"""Files handed over at once."""
BATCH_BYTES = 4 * 1024 * 1024
FILE_SECONDS = 60.0
"""A worker that is silent for so long is ended, and its file reported."""


def _sent_as_arguments(kind: type[Any]) -> None:
    """Send values of a dataclass as the arguments that make it.

    Its own way, state by state, takes four times as long, and a run sends a quarter of a million.
    """
    values = attrgetter(*kind.__slots__)
    ForkingPickler.register(kind, lambda value: (kind, values(value)))


for _kind in (Span, Chunk, Symbol, Import):
    _sent_as_arguments(_kind)


def looked_at(
    root: str,
    tasks: Iterable[Task],
    count: int,
    *,
    limit: int,
    workers: int = 0,
    models: ModelConfig | None = None,
) -> Iterator[Outcome]:
    """Yield the outcome of every task.

    `tasks`: taken as they are needed; `count`: how many there are; `workers`: processes, 0 for as
    many as there are cores; `models`: what gives vectors right away, `instant.instant_part`.
    """
    if count <= IN_PROCESS:
        base = os.fsencode(root)
        embedder = instant_embedder(models) if count else None
        for task in tasks:
            yield look(base, task, limit, embedder)
        return
    size = min(workers or available_cores(), max(1, count // BATCH))
    crew = _Crew(root, limit, size, models)
    try:
        yield from crew.work(_Queue(batches(tasks)))
    finally:
        crew.end()


def available_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def batches(tasks: Iterable[Task]) -> Iterator[list[Task]]:
    """Cut tasks into batches of bounded number and size."""
    batch: list[Task] = []
    size = 0
    for task in tasks:
        if batch and (len(batch) >= BATCH or size + task.stat.size > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(task)
        size += min(task.stat.size, BATCH_BYTES)
    if batch:
        yield batch


class _Queue:
    """Batches to be handed out; those that came back go first."""

    def __init__(self, new: Iterator[list[Task]]) -> None:
        self._new = new
        self._returned: list[list[Task]] = []

    def take(self) -> list[Task]:
        """Return the next batch; an empty one when there is none."""
        return self._returned.pop() if self._returned else next(self._new, [])

    def give_back(self, batch: list[Task]) -> None:
        self._returned.append(batch)


class _Worker:
    """One process and what it was given."""

    def __init__(self, root: bytes, limit: int, models: ModelConfig | None) -> None:
        self.connection, theirs = Pipe()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, *WORKER, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )
        self.open: deque[Task] = deque()
        self.heard = time.monotonic()
        self.ready = False
        self._send((root, limit, models))

    def give(self, batch: list[Task]) -> None:
        if not self.open:
            self.heard = time.monotonic()
        self.open.extend(batch)
        self._send(batch)

    def _send(self, message: object) -> None:
        try:
            self.connection.send(message)
        except OSError:
            return  # dead; listening to it finds out, and what it was given is still in `open`

    def end(self) -> None:
        self.connection.close()
        self._process.kill()  # it holds nothing that could be lost
        self._process.wait()


class _Crew:
    def __init__(self, root: str, limit: int, size: int, models: ModelConfig | None) -> None:
        self._root = os.fsencode(root)
        self._limit = limit
        self._models = models
        self._workers: list[_Worker] = []
        for _ in range(size):
            self._hire()

    def _hire(self) -> None:
        try:
            self._workers.append(_Worker(self._root, self._limit, self._models))
        except OSError:
            return  # no memory or no interpreter: fewer workers, or none

    def work(self, queue: _Queue) -> Iterator[Outcome]:
        while self._workers:
            for worker in self._workers:
                while len(worker.open) < BATCH and (batch := queue.take()):
                    worker.give(batch)
            busy = {worker.connection: worker for worker in self._workers if worker.open}
            if not busy:
                return
            for connection in wait(list(busy), timeout=1.0):
                assert isinstance(connection, Connection)
                yield from self._hear(busy[connection], queue)
            now = time.monotonic()
            for worker in list(self._workers):
                if worker.open and now - worker.heard > FILE_SECONDS:
                    yield from self._replace(worker, queue, f"took longer than {FILE_SECONDS:g} s")
        embedder = None
        while batch := queue.take():  # no worker is left
            embedder = embedder or instant_embedder(self._models)
            for task in batch:
                yield look(self._root, task, self._limit, embedder)

    def _hear(self, worker: _Worker, queue: _Queue) -> Iterator[Outcome]:
        try:
            message = worker.connection.recv()
        except (EOFError, OSError):
            yield from self._replace(worker, queue, "the process that read it died")
            return
        worker.heard = time.monotonic()
        if message == READY:
            worker.ready = True
        else:
            worker.open.popleft()
            yield message

    def _replace(self, worker: _Worker, queue: _Queue, reason: str) -> Iterator[Outcome]:
        """End a worker, give up the file it was at, and put the rest back.

        One that never began is no file's fault, and another one would not begin either.
        """
        worker.end()
        self._workers.remove(worker)
        culprit = worker.open.popleft() if worker.ready else None
        if worker.open:
            queue.give_back(list(worker.open))
        if culprit is not None:
            self._hire()
            yield failed(culprit, reason)

    def end(self) -> None:
        for worker in self._workers:
            worker.end()


def failed(task: Task, reason: str) -> Outcome:
    """Return the outcome of a file that could not be taken apart."""
    from tadoru.stores.sqlite.records import FileRecord
    from tadoru.types import Role

    record = FileRecord(task.stat, b"", role=Role.BINARY, note=f"not indexed: {reason}")
    return Outcome(task.stat.path, "unreadable", record=record, reason=reason)


def serve(connection: Connection) -> None:
    """Look at what arrives until the other end closes. Runs in the worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    try:
        root, limit, models = connection.recv()
        embedder = instant_embedder(models)
        connection.send(READY)
        while True:
            for task in connection.recv():
                try:
                    outcome = look(root, task, limit, embedder)
                except Exception as error:  # one file must not end the run
                    outcome = failed(task, f"{type(error).__name__}: {error}"[:200])
                connection.send(outcome)
    except (EOFError, OSError):
        return
