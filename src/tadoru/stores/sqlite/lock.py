"""One writer at a time, between threads and between processes.

A POSIX record lock: the kernel gives it up with its owner's death, and forked workers do not
inherit it, so a dead writer is never waited for. The file names the owner for those who wait.
Closing any descriptor of the file would drop the lock: nobody else opens it in this process.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tadoru.errors import NotIndexed, StoreBusy
from tadoru.stores.sqlite.faults import of_system

LOCK = "writer.lock"
_POLL_SECONDS = 0.02

_threads: dict[str, threading.Lock] = {}
_guard = threading.Lock()


@contextmanager
def writer_lock(directory: Path, deadline_seconds: float) -> Iterator[None]:
    """Hold the writer's lock of a store.

    Raises: `StoreBusy` naming the owner when the lock is not free within `deadline_seconds`,
    `NotIndexed` when the directory is gone.
    """
    path = directory / LOCK
    deadline = time.monotonic() + max(0.0, deadline_seconds)
    with _guard:
        thread_lock = _threads.setdefault(f"{os.getpid()}:{path}", threading.Lock())
    if not thread_lock.acquire(timeout=max(0.0, deadline_seconds)):
        raise _busy(path, f"{os.getpid()}")
    try:
        descriptor = _acquire(path, deadline)
        try:
            yield
        finally:
            os.close(descriptor)
    finally:
        thread_lock.release()


def _acquire(path: Path, deadline: float) -> int:
    while True:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except FileNotFoundError:
            raise NotIndexed(
                f"the index {path.parent} was removed", hint="run `tadoru index`"
            ) from None
        except OSError as error:
            raise of_system(error, path.parent) from error
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            owner = os.read(descriptor, 200).decode("ascii", "replace").strip()
            os.close(descriptor)
            if time.monotonic() >= deadline:
                raise _busy(path, owner) from None
            time.sleep(_POLL_SECONDS)
            continue
        except OSError as error:
            os.close(descriptor)
            raise of_system(error, path.parent) from error
        if _still_there(descriptor, path):
            os.truncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()} {started(os.getpid())}\n".encode(), 0)
            return descriptor
        os.close(descriptor)  # the store was removed while this process waited


def _still_there(descriptor: int, path: Path) -> bool:
    mine = os.fstat(descriptor)
    try:
        current = path.stat()
    except FileNotFoundError:
        return False
    return (mine.st_dev, mine.st_ino) == (current.st_dev, current.st_ino)


def _busy(path: Path, owner: str) -> StoreBusy:
    pid = owner.split(" ")[0] if owner else "unknown"
    return StoreBusy(
        f"another writer (process {pid}) is updating the index {path.parent}",
        hint="wait for it to finish, or end that process",
    )


def started(pid: int) -> int:
    """Return when a process started, in clock ticks since boot; 0 when it is dead or a zombie, and
    where that is not known.

    Source: proc(5), fields 3 and 22 of /proc/<pid>/stat.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return 0
    return 0 if fields[0] in (b"Z", b"X") else int(fields[19])
