"""History: the last paths that each principal touched, newest first, bounded.

Decides what is remembered and what a remembered path is called in the tree. Below local roots each
touch also goes into a journal, from which other processes learn how often and lately a path was
touched. Refuses to share a memory between principals: what one touched must not weigh on another's
answer.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Mapping, Sequence

from tadoru.resolve.normalize import Base, Place
from tadoru.touched import Touched, who
from tadoru.types import Principal

PRINCIPALS_KEPT = 1_024
"""Memories kept in one process; the least recently used one is forgotten first."""


class History:
    """A ring of recent paths per principal. Safe to share between threads."""

    def __init__(self, size: int = 5, journals: Mapping[str, Touched] | None = None) -> None:
        """`size`: paths kept of each principal, 0 to keep nothing at all, journals included;
        `journals`: of local roots, by mount name (`""` for the root itself)."""
        self._size = max(0, size)
        self._journals = sorted((journals or {}).items(), key=lambda row: -len(row[0]))
        self._lock = threading.Lock()
        self._rings: OrderedDict[Principal, deque[str]] = OrderedDict()

    def add(self, principal: Principal, *paths: str) -> None:
        """Remember paths, the last one as the newest; older mentions of them are dropped."""
        kept = [path for path in paths if path]
        if not kept or not self._size:
            return
        with self._lock:
            ring = self._rings.setdefault(principal, deque(maxlen=self._size))
            self._rings.move_to_end(principal)
            for path in kept:
                if path in ring:
                    ring.remove(path)
                ring.appendleft(path)
            while len(self._rings) > PRINCIPALS_KEPT:
                self._rings.popitem(last=False)
        self._note(principal, kept)  # outside: it may wait for another process

    def _note(self, principal: Principal, paths: Sequence[str]) -> None:
        left = list(paths)
        for mount, journal in self._journals:
            prefix = mount + "/" if mount else ""
            inside = [path for path in left if path.startswith(prefix)]
            if inside:
                journal.add(who(principal.groups), [path[len(prefix) :] for path in inside])
                left = [path for path in left if path not in inside]

    def touched(self, principal: Principal) -> dict[str, float]:
        """Return path -> how often and lately a principal touched it, in all processes."""
        weights: dict[str, float] = {}
        if self._size:
            for mount, journal in self._journals:
                prefix = mount + "/" if mount else ""
                for path, weight in journal.weights(who(principal.groups)).items():
                    weights.setdefault(prefix + path, weight)
        return weights

    def paths(self, principal: Principal) -> tuple[str, ...]:
        """Return what a principal touched, newest first."""
        with self._lock:
            return tuple(self._rings.get(principal, ()))


def in_tree(place: Place, paths: Sequence[str], base: Base) -> tuple[str, ...]:
    """Return remembered paths as paths of the tree; those that do not exist in it are dropped."""
    kept: dict[str, None] = {}
    for path in paths:
        found = _find(place, path.strip(), base)
        if found:
            kept[found] = None
    return tuple(kept)


def _find(place: Place, path: str, base: Base) -> str:
    if path.startswith("/"):
        inner = place.from_host(path.rstrip("/"))
        if inner is None and base.foreign_root and path.startswith(base.foreign_root + "/"):
            inner = path[len(base.foreign_root) + 1 :]
        if inner is not None:
            inner = inner.strip("/")
            return inner if inner in place.tree else ""
    plain = path.strip("/")
    joined = f"{base.path}/{plain}" if base.path else plain
    for candidate in (joined, plain):
        if candidate and candidate in place.tree:
            return candidate
    while "/" in plain and path.startswith("/"):
        plain = plain.partition("/")[2]
        if "/" in plain and plain in place.tree:
            return plain
    return ""
