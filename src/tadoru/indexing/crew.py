"""Processes that read and take apart files, with bounded work in flight.

A worker that dies or hangs on a file costs that file alone: its results arrive one by one, so the
first one that is missing names the culprit; a new worker takes the rest. Few files are looked at in
this process. Order of results is not that of the tasks.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from operator import attrgetter
from typing import Any

from tadoru.indexing.read import Outcome, Task, look
from tadoru.types import Chunk, Import, Span, Symbol

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
    root: str, tasks: Sequence[Task], *, limit: int, workers: int = 0
) -> Iterator[Outcome]:
    """Yield the outcome of every task. `workers`: processes, 0 for as many as there are cores."""
    if len(tasks) <= IN_PROCESS:
        base = os.fsencode(root)
        for task in tasks:
            yield look(base, task, limit)
        return
    count = workers or available_cores()
    crew = _Crew(root, limit, min(count, max(1, len(tasks) // BATCH)))
    try:
        yield from crew.work(deque(batches(tasks)))
    finally:
        crew.end()


def available_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def batches(tasks: Sequence[Task]) -> Iterator[list[Task]]:
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


class _Worker:
    """One process and what it was given."""

    def __init__(self, root: str, limit: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process: BaseProcess = context.Process(
            target=serve, args=(theirs, root, limit), daemon=True
        )
        self.process.start()
        theirs.close()
        self.open: deque[Task] = deque()
        self.heard = time.monotonic()

    def give(self, batch: list[Task]) -> None:
        if not self.open:
            self.heard = time.monotonic()
        self.open.extend(batch)
        self.connection.send(batch)

    def end(self) -> None:
        self.connection.close()
        if self.process.is_alive():
            self.process.terminate()
        self.process.join(2)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


class _Crew:
    def __init__(self, root: str, limit: int, size: int) -> None:
        self._root = root
        self._limit = limit
        self._workers = [_Worker(root, limit) for _ in range(size)]

    def work(self, queue: deque[list[Task]]) -> Iterator[Outcome]:
        while True:
            for worker in self._workers:
                while queue and len(worker.open) < BATCH:
                    self._give(worker, queue)
            busy = {worker.connection: worker for worker in self._workers if worker.open}
            if not busy:
                if queue:
                    continue  # a worker died on receiving; it was replaced
                return
            for connection in wait(list(busy), timeout=1.0):
                assert isinstance(connection, Connection)
                yield from self._hear(busy[connection], queue)
            now = time.monotonic()
            for worker in list(self._workers):
                if worker.open and now - worker.heard > FILE_SECONDS:
                    yield self._replace(worker, queue, f"took longer than {FILE_SECONDS:.0f} s")

    @staticmethod
    def _give(worker: _Worker, queue: deque[list[Task]]) -> None:
        batch = queue.popleft()
        try:
            worker.give(batch)
        except OSError:
            return  # dead; `_hear` finds out, and the batch is among what was open

    def _hear(self, worker: _Worker, queue: deque[list[Task]]) -> Iterator[Outcome]:
        try:
            outcome = worker.connection.recv()
        except (EOFError, OSError):
            yield self._replace(worker, queue, "the process that read it died")
            return
        worker.open.popleft()
        worker.heard = time.monotonic()
        yield outcome

    def _replace(self, worker: _Worker, queue: deque[list[Task]], reason: str) -> Outcome:
        """End a worker, give up its current file, and put the rest back."""
        culprit = worker.open.popleft()
        if worker.open:
            queue.appendleft(list(worker.open))
        worker.end()
        self._workers[self._workers.index(worker)] = _Worker(self._root, self._limit)
        return failed(culprit, reason)

    def end(self) -> None:
        for worker in self._workers:
            worker.end()


def failed(task: Task, reason: str) -> Outcome:
    """Return the outcome of a file that could not be taken apart."""
    from tadoru.stores.sqlite.records import FileRecord
    from tadoru.types import Role

    record = FileRecord(task.stat, b"", role=Role.BINARY, note=f"not indexed: {reason}")
    return Outcome(task.stat.path, "unreadable", record=record, reason=reason)


def serve(connection: Connection, root: str, limit: int) -> None:
    """Look at what arrives until the other end closes. Runs in the worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    base = os.fsencode(root)
    try:
        while True:
            for task in connection.recv():
                try:
                    outcome = look(base, task, limit)
                except Exception as error:  # one file must not end the run
                    outcome = failed(task, f"{type(error).__name__}: {error}"[:200])
                connection.send(outcome)
    except (EOFError, OSError):
        return
