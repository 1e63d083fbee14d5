"""Makes the directory and database of a store where there is none or one of an earlier version."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from tadoru.errors import NotIndexed, StoreError
from tadoru.stores.sqlite.faults import translated
from tadoru.stores.sqlite.lock import LOCK, writer_lock
from tadoru.stores.sqlite.pool import connect
from tadoru.stores.sqlite.schema import DATABASE, create, verify

CREATE_SECONDS = 10.0
"""How long opening waits for another process that is making or removing the same index."""
TRIES = 5


def _is_old(path: Path) -> bool:
    """Tell whether a database was made by an earlier version, and is to be made anew."""
    try:
        with closing(connect(path)) as connection:
            verify(connection, path)
    except NotIndexed:
        return True
    except (sqlite3.Error, StoreError):
        return False  # opening it says what is wrong
    return False


def make(directory: Path, root: Path) -> None:
    """Create the directory and the database unless they are there, or leave nothing behind."""
    for _ in range(TRIES):
        if (directory / DATABASE).exists() and not _is_old(directory / DATABASE):
            return
        with suppress(NotIndexed):  # another process was just removing the directory
            _make(directory, root)


def _make(directory: Path, root: Path) -> None:
    made: list[Path] = []
    with translated(directory):
        for folder in (*reversed(directory.parents), directory):
            if not folder.exists():
                folder.mkdir(mode=0o700, exist_ok=True)
                made.append(folder)
    try:
        with writer_lock(directory, CREATE_SECONDS):
            if not (directory / DATABASE).exists() or _is_old(directory / DATABASE):
                try:
                    create(directory, root)
                except BaseException:
                    if directory in made:
                        (directory / LOCK).unlink(missing_ok=True)
                    raise
    except BaseException:
        with suppress(OSError):
            for folder in reversed(made):
                folder.rmdir()  # only when nobody has put anything there
        raise
