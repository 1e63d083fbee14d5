"""What SQLite and the operating system complain of, said in tadoru's own errors.

Decides which error a fault becomes and what the reader can do about it; handles nothing itself.
"""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tadoru.errors import CorruptStore, StoreBusy, StoreError, StoreFull

REBUILD = "rebuild it with `tadoru index --rebuild`"
_NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT})
_FORBIDDEN = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


def of_sqlite(error: sqlite3.Error, path: Path) -> StoreError:
    """Return the error of tadoru that a fault of SQLite stands for.

    Primary result codes: https://www.sqlite.org/rescode.html
    """
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_FULL:
        return StoreFull(
            f"no space is left for the index {path}",
            hint="free some space, or set TADORU_HOME to another disk",
        )
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreBusy(f"the index {path} is locked by another process", hint="try again")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return CorruptStore(f"the index {path} is damaged: {error}", hint=REBUILD)
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return StoreError(
            f"the index {path} cannot be opened or written: {error}",
            hint="check the permissions, or set TADORU_HOME to a directory of your own",
        )
    if code in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH):
        return CorruptStore(f"the index {path} is not as it should be: {error}", hint=REBUILD)
    return StoreError(f"the index {path} failed: {error}", hint="run `tadoru doctor`")


def of_system(error: OSError, path: Path) -> StoreError:
    """Return the error of tadoru for a system call that failed on the index."""
    if error.errno in _NO_SPACE:
        return StoreFull(
            f"no space is left for the index {path}",
            hint="free some space, or set TADORU_HOME to another disk",
        )
    reason = error.strerror or str(error)
    if error.errno in _FORBIDDEN:
        return StoreError(
            f"the index {path} cannot be written: {reason}",
            hint="check the permissions, or set TADORU_HOME to a directory of your own",
        )
    return StoreError(f"the index {path} failed: {reason}", hint="run `tadoru doctor`")


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn every fault of the block into an error of tadoru about `path`."""
    try:
        yield
    except sqlite3.Error as error:
        raise of_sqlite(error, path) from error
    except OSError as error:
        raise of_system(error, path) from error
