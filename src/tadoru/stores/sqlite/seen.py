"""Imports as one access set sees them, in a store with access labels.

What an import means depends on which files there are, so it is worked out again over the visible
ones: a hidden file neither is a target, nor hides the one that would be meant without it, nor says
by its content what a name means. Kept for a few access sets, as it costs a look at all imports.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from typing import Protocol

from tadoru.stores.sqlite.catalogue import Catalogue, stamp_of
from tadoru.stores.sqlite.rows import meta
from tadoru.stores.sqlite.structure import edges
from tadoru.types import Access, Import

KEPT = 4
"""Access sets whose imports are kept."""


class Resolver(Protocol):
    """Gives imports their targets; made for one set of paths."""

    def resolve(self, edges: Iterable[Import], language: str) -> tuple[Import, ...]: ...


MakeResolver = Callable[[Collection[str], Callable[[str], str | None]], Resolver]
"""From the visible paths, and what reads the text of one, to their resolver."""


class SeenImports:
    """All imports among the files that one access set admits."""

    def __init__(self, found: Iterable[tuple[str, Import]], resolver: Resolver) -> None:
        """`found`: language and edge of the imports of visible files, file by file."""
        self._by_path: dict[str, list[Import]] = {}
        self._by_target: dict[str, list[Import]] = {}
        merged: dict[tuple[str, int, str], tuple[str, set[str]]] = {}
        for language, edge in found:
            # one statement that names several modules is kept as one edge for each target
            key = (edge.path, edge.line, edge.module)
            merged.setdefault(key, (language, set()))[1].update(edge.names)
        for (path, line, module), (language, names) in merged.items():
            whole = Import(path=path, module=module, line=line, names=tuple(sorted(names)))
            for edge in resolver.resolve([whole], language):
                self._by_path.setdefault(path, []).append(edge)
                if edge.target:
                    self._by_target.setdefault(edge.target, []).append(edge)

    def imports(self, path: str) -> list[Import]:
        return list(self._by_path.get(path, ()))

    def importers(self, path: str) -> list[Import]:
        return sorted(self._by_target.get(path, ()), key=lambda edge: edge.path)

    def counts(self) -> dict[str, int]:
        pairs = {(t, edge.path) for t, found in self._by_target.items() for edge in found}
        return dict(sorted(Counter(target for target, _ in pairs).items()))


class SeenCache:
    """The imports of the newest state, for the access sets that asked last."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._lock = threading.Lock()
        self._kept: dict[tuple[int, Access], SeenImports] = {}

    def of(
        self,
        connection: sqlite3.Connection,
        access: Access,
        make: MakeResolver | None,
        read: Callable[[str], str | None],
    ) -> SeenImports | None:
        """Return the imports of the state that `connection` sees; None where all see the same.

        `read`: the text of a visible file.
        """
        if make is None or not meta(connection, "labelled"):
            return None
        key = (stamp_of(connection), access)
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                entries = self._catalogue.entries_in(connection)
                paths = frozenset(entry.path for entry in entries if entry.access_id in access)
                mine = (each for each in edges(connection, None, ()) if each[1].path in paths)
                found = SeenImports(mine, make(paths, read))
                now = [(k, v) for k, v in self._kept.items() if k[0] == key[0]]
                self._kept = {**dict(now[1 - KEPT :]), key: found}
            return found
