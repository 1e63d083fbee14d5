"""How the source differs from what a store knows, without changing anything.

A file is unchanged when kind, size, mtime, ctime and inode are; when it is so young that an edit
within the clock's resolution could hide, its content decides.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tadoru.config import Config
from tadoru.indexing.labels import ensure
from tadoru.indexing.walk import Walk, listed

if TYPE_CHECKING:
    from tadoru.stores.sqlite import SqliteStore
    from tadoru.stores.sqlite.rows import Known

RACY_NS = 100_000_000
"""File systems stamp with the kernel's tick (1 to 10 ms); some round to 10 ms or more."""
_LARGEST = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class Changes:
    """Paths by what became of them."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    """Known, with another state or another content than what is stored; or never read."""
    deleted: tuple[str, ...] = ()
    unchanged: int = 0
    verified: int = 0
    """Of the unchanged ones, those whose content was compared."""
    unfinished: bool = False
    """Whether the run before this one has not ended; what it still had to do, nobody knows."""
    walk: Walk | None = field(default=None, repr=False, compare=False)
    """The walk that was compared, for an index run that follows at once."""
    known: Mapping[str, Known] | None = field(default=None, repr=False, compare=False)
    """What it was compared with, and the store's stamp at that time."""
    stamp: int = 0

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.deleted or self.unfinished)


def scan(store: SqliteStore, root: Path | str, config: Config) -> Changes:
    """Tell how the source differs from the store. Only labels that are wrong are put right at once.

    Raises: `BadInput` when the root cannot be listed, `StoreBusy` when labels cannot be put right.
    """
    ensure(store, config)
    found = listed(root, config.index)
    stamp = store.stamp  # first: what is younger makes the rest worthless, never wrong
    known = store.known()
    changes = compare(found, known, store.last_scan_ns, config.index.max_file_bytes)
    return replace(changes, known=known, stamp=stamp, unfinished=store.unfinished)


def compare(walk: Walk, known: Mapping[str, Known], last_scan_ns: int, limit: int) -> Changes:
    """Compare a walk with what a store knows. `limit`: bytes of a file that is indexed."""
    added: list[str] = []
    changed: list[str] = []
    young: list[str] = []
    unchanged = 0
    racy_from = last_scan_ns - RACY_NS
    now = time.time_ns()
    targets = walk.targets
    for path, found in walk.stats.items():
        row = known.get(path)
        if row is None:
            added.append(path)
            continue
        size, mtime, ctime, inode, digest, indexed, kind = row
        if not (
            indexed
            and found.st_size == size
            and found.st_ino == inode
            and (found.st_mtime_ns == mtime or _fitted(found.st_mtime_ns) == mtime)
            and (found.st_ctime_ns == ctime or _fitted(found.st_ctime_ns) == ctime)
            and (kind == "link") == (path in targets)
        ):
            changed.append(path)
        elif digest and (ctime >= racy_from or racy_from <= mtime <= now):
            young.append(path)
        else:
            unchanged += 1
    root = os.fsencode(walk.root)
    edited = [p for p in young if _differs(root, walk, p, known[p].digest, limit)]
    return Changes(
        added=tuple(added),
        changed=(*changed, *edited),
        deleted=tuple(path for path in known if path not in walk.stats),
        unchanged=unchanged + len(young) - len(edited),
        verified=len(young),
        walk=walk,
    )


def _fitted(nanoseconds: int) -> int:
    """Return a time as a store keeps it: a file may claim to be from the year 2400."""
    return min(max(nanoseconds, -_LARGEST), _LARGEST)


def _differs(root: bytes, walk: Walk, path: str, digest: bytes, limit: int) -> bool:
    from tadoru.indexing.read import digest_of  # brings the parsers: few scans have young files

    try:
        return digest_of(root, walk.file_stat(path), limit) != digest
    except OSError:
        return True
