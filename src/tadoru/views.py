"""View: stores as one principal sees them, under one root. The only door for capabilities.

A view turns a principal into the set of access ids that he may read, once per generation, and
passes it to every call. Without a matching label nothing is visible: it fails closed. Paths that
go in and out are paths of the mounted tree; the store's own stay inside.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from tadoru import deadline
from tadoru.stores.base import Admit, ChunkRef, FieldWeight, Store
from tadoru.tree import Tree, mounted
from tadoru.types import (
    Access,
    Chunk,
    Entry,
    Freshness,
    Import,
    IndexState,
    Kind,
    Principal,
    Symbol,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from tadoru.text.terms import Field

__all__ = ["Admit", "ChunkRef", "FieldWeight", "Tree", "View"]

TREES_KEPT = 64
"""Pruned trees kept in this process: one per (stores, generations, access sets)."""

_EVERYTHING = 1 << 31
_SEVERITY = (Freshness.FRESH, Freshness.UPDATING, Freshness.PARTIAL, Freshness.STALE)

Key = tuple[tuple[str, str, int, Access], ...]


@dataclass(frozen=True, slots=True)
class _Part:
    prefix: str
    store: Store
    generation: int
    access: Access
    covered: tuple[str, ...] = ()
    """Directories of this store that other mounts lie on, as mounts cover what was there."""

    def owns(self, path: str) -> bool:
        """Tell whether a path of the store is seen in the tree, not covered by another mount."""
        return not any(path == c or path.startswith(c + "/") for c in self.covered)

    def inner(self, path: str) -> str | None:
        """Return the store's path for a path of the tree; None when it lies elsewhere."""
        if not self.prefix:
            return path
        if path == self.prefix:
            return ""
        if path.startswith(self.prefix + "/"):
            return path[len(self.prefix) + 1 :]
        return None

    def outer(self, path: str) -> str:
        if not self.prefix:
            return path
        return f"{self.prefix}/{path}" if path else self.prefix


class View:
    """Stores by place in the tree (`""` is the root itself), as `principal` sees them now.

    A mount covers what a shallower one has at its place. A view is a snapshot of labels and
    generations: make a new one for each call, it is cheap. It is held to the deadline of the call
    that made it: whatever asks it for more raises `TimeUp` after that.
    """

    local = True
    """Whether who asks may know where on this machine the stores lie."""

    def __init__(self, stores: Mapping[str, Store], principal: Principal) -> None:
        self.principal = principal
        self.deadline = deadline.current()
        places = {prefix.strip("/"): store for prefix, store in stores.items()}
        self._parts = tuple(
            _Part(
                prefix=prefix,
                store=store,
                generation=store.generation,
                access=frozenset(row.id for row in store.access_rows() if row.admits(principal)),
                covered=tuple(_below(prefix, places)),
            )
            for prefix, store in sorted(places.items(), key=lambda item: -len(item[0]))
        )

    @cached_property
    def key(self) -> Key:
        """Identifies what this view shows: caches of answers are keyed by it, never by a name."""
        return tuple((p.prefix, p.store.id, p.generation, p.access) for p in self._parts)

    def _in_time(self) -> None:
        """Raises: `TimeUp` after the deadline of the call."""
        if self.deadline is not None:
            self.deadline.check()

    # -- names ---------------------------------------------------------------------------------

    @cached_property
    def tree(self) -> Tree:
        """The visible tree, shared by all views with the same key."""
        self._in_time()
        return _trees.get(self.key, self._build_tree)

    def _build_tree(self) -> Tree:
        return mounted(
            {
                p.prefix: Tree(e for e in p.store.entries(access=p.access) if p.owns(e.path))
                for p in self._parts
            }
        )

    def entry(self, path: str) -> Entry | None:
        """Return the entry at a path, links followed; None when it does not exist here."""
        return self.tree.resolve(path)

    def host_path(self, path: str) -> str:
        """Return where a visible path lies on this machine; empty when it is not local."""
        found = self._locate(path) if self.local else None
        if found is None or not found[0].store.host_root:
            return ""
        part, inner = found
        root = part.store.host_root
        return f"{root.rstrip('/')}/{inner}" if inner else root

    def from_host(self, host_path: str) -> str | None:
        """Return the tree's path for an absolute path on this machine; None when outside."""
        for part in self._parts if self.local else ():
            root = part.store.host_root.rstrip("/")
            if root and host_path.rstrip("/") == root:
                return part.prefix
            if root and host_path.startswith(root + "/"):
                return part.outer(host_path[len(root) + 1 :].strip("/"))
        return None

    @property
    def roots(self) -> dict[str, str]:
        """Mount name -> directory on this machine (empty when the mount is not local)."""
        return {p.prefix: p.store.host_root if self.local else "" for p in self._parts}

    def ignored(self, path: str) -> str:
        """Return the ignore rule that keeps a path out of the tree; else empty."""
        for part in self._parts:
            inner = part.inner(path)
            if inner:
                return part.store.ignored(inner, access=part.access)
        return ""

    def _locate(self, path: str) -> tuple[_Part, str] | None:
        for part in self._parts:
            inner = part.inner(path)
            if inner is not None:
                return part, inner
        return None

    def _file(self, path: str) -> tuple[_Part, str] | None:
        """Return the part and inner path of a visible file, links followed."""
        self._in_time()
        entry = self.tree.resolve(path)
        if entry is None or entry.kind is not Kind.FILE:
            return None
        return self._locate(entry.path)

    # -- content -------------------------------------------------------------------------------

    def read(self, path: str, *, start: int = 0, size: int = -1) -> bytes | None:
        """Return bytes of a file as they are in its source; None when there is no such file."""
        found = self._file(path)
        if found is None:
            return None
        part, inner = found
        return part.store.read(inner, access=part.access, start=start, size=size)

    def read_many(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Yield (path, bytes) of the visible files among `paths`, in their order, in bulk."""
        self._in_time()
        if len(self._parts) == 1 and not self._parts[0].prefix:
            part = self._parts[0]
            for row in part.store.read_many(paths, access=part.access):
                self._in_time()
                yield row
            return
        batch: list[str] = []
        owner: _Part | None = None
        for path in paths:
            found = self._locate(path)
            if found is None:
                continue
            part, inner = found
            if owner is not part and owner is not None:
                yield from self._read_batch(owner, batch)
                batch = []
            owner = part
            batch.append(inner)
        if owner is not None:
            yield from self._read_batch(owner, batch)

    def _read_batch(self, part: _Part, inner: list[str]) -> Iterator[tuple[str, bytes]]:
        for path, data in part.store.read_many(inner, access=part.access):
            self._in_time()
            yield part.outer(path), data

    def text(self, path: str) -> str | None:
        """Return the decoded text of a file; None when it has none or does not exist here."""
        found = self._file(path)
        if found is None:
            return None
        part, inner = found
        return part.store.text(inner, access=part.access)

    def chunks(self, path: str) -> tuple[Chunk, ...]:
        """Return the chunks of one file in order."""
        found = self._file(path)
        if found is None:
            return ()
        part, inner = found
        chunks = part.store.chunks(inner, access=part.access)
        return tuple(replace(c, path=part.outer(c.path)) for c in chunks) if part.prefix else chunks

    # -- finding -------------------------------------------------------------------------------

    def candidates(self, literals: Sequence[Sequence[bytes]]) -> set[str] | None:
        """Return the paths that can contain the literals (see `LiteralIndex`); None for all."""
        self._in_time()
        result: set[str] = set()
        for part in self._parts:
            paths = part.store.literals.candidates(literals, access=part.access)
            if paths is None:
                if len(self._parts) == 1:
                    return None
                paths = {entry.path for entry in part.store.entries(access=part.access)}
            result.update(part.outer(path) for path in paths if part.owns(path))
        return result

    def lexical(
        self,
        terms: Sequence[tuple[str, float]],
        *,
        k: int,
        fields: dict[Field, FieldWeight] | None = None,
        admit: Admit | None = None,
    ) -> list[ChunkRef]:
        """Return the `k` best chunks by BM25F over all mounts, best first."""
        self._in_time()
        return self._merge(
            (
                part.store.postings.search(
                    terms, access=part.access, k=k, fields=fields, admit=_moved(admit, part)
                )
                for part in self._parts
            ),
            k,
        )

    def frequencies(self, terms: Sequence[str]) -> list[int]:
        """Return in how many visible chunks each term occurs."""
        self._in_time()
        counts = [p.store.postings.frequencies(terms, access=p.access) for p in self._parts]
        return [sum(column) for column in zip(*counts, strict=True)] if counts else [0] * len(terms)

    def nearest(
        self,
        vector: npt.NDArray[np.float32],
        *,
        fingerprint: str,
        k: int,
        admit: Admit | None = None,
    ) -> list[ChunkRef]:
        """Return the `k` chunks nearest to a unit vector of shape (d,) over all mounts."""
        self._in_time()
        return self._merge(
            (
                part.store.nearest(
                    vector,
                    fingerprint=fingerprint,
                    access=part.access,
                    k=k,
                    admit=_moved(admit, part),
                )
                for part in self._parts
            ),
            k,
        )

    def _merge(self, results: Iterable[list[ChunkRef]], k: int) -> list[ChunkRef]:
        merged = [
            ChunkRef(part.outer(ref.path), ref.index, ref.score) if part.prefix else ref
            for part, refs in zip(self._parts, results, strict=True)
            for ref in refs
        ]
        if len(self._parts) > 1:
            merged.sort(key=lambda ref: (-ref.score, ref.path, ref.index))
        return merged[:k]

    # -- structure -----------------------------------------------------------------------------

    def symbols(
        self,
        *,
        name: str | None = None,
        folded: str | None = None,
        path: str | None = None,
        under: str | None = None,
        kinds: Sequence[str] = (),
        offset: int = 0,
        limit: int = 1_000,
    ) -> tuple[list[Symbol], int]:
        """Return visible definitions and their true total (see `Store.symbols`)."""
        self._in_time()
        found: list[Symbol] = []
        total = 0
        for part in self._parts:
            inner_path = part.inner(path) if path is not None else None
            inner_under = part.inner(under) if under else None
            elsewhere = (path is not None and inner_path is None) or (
                under and inner_under is None and not part.prefix.startswith(under + "/")
            )
            if elsewhere:
                continue
            skip, left = max(0, offset - total), limit - len(found)
            symbols, count = part.store.symbols(
                access=part.access,
                name=name,
                folded=folded,
                path=inner_path,
                under=inner_under or None,
                kinds=kinds,
                offset=0 if part.covered else skip,
                limit=_EVERYTHING if part.covered else left,
            )
            if part.covered:
                seen = [symbol for symbol in symbols if part.owns(symbol.path)]
                symbols, count = seen[skip : skip + left], len(seen)
            total += count
            found.extend(replace(s, path=part.outer(s.path)) if part.prefix else s for s in symbols)
        return found, total

    def imports(self, path: str) -> list[Import]:
        """Return what a visible file imports."""
        return self._edges(path, incoming=False)

    def importers(self, path: str) -> list[Import]:
        """Return the visible edges that lead to a visible file."""
        return self._edges(path, incoming=True)

    def _edges(self, path: str, *, incoming: bool) -> list[Import]:
        found = self._file(path)
        if found is None:
            return []
        part, inner = found
        ask = part.store.importers if incoming else part.store.imports
        edges = ask(inner, access=part.access)
        if not part.prefix and not part.covered:
            return edges
        return [
            replace(
                edge,
                path=part.outer(edge.path),
                target=part.outer(edge.target) if edge.target and part.owns(edge.target) else "",
            )
            for edge in edges
            if part.owns(edge.path)
        ]

    def import_counts(self) -> dict[str, int]:
        """Return, for each visible file that is imported, how many visible files import it."""
        self._in_time()
        return {
            part.outer(path): count
            for part in self._parts
            for path, count in part.store.import_counts(access=part.access).items()
            if part.owns(path)
        }

    def vectors(
        self, refs: Sequence[tuple[str, int]], *, fingerprint: str
    ) -> npt.NDArray[np.float32] | None:
        """Return unit vectors for (path, chunk index) pairs of one store; None when it has none."""
        self._in_time()
        if len(self._parts) != 1:
            return None  # several mounts may hold vectors of different models
        part = self._parts[0]
        inner = [(part.inner(path) or "", index) for path, index in refs]
        return part.store.vectors(inner, fingerprint=fingerprint, access=part.access)

    # -- health --------------------------------------------------------------------------------

    def state(self) -> IndexState:
        """Return the state of the index, counted over the tree; the worst part names it."""
        states = [part.store.state(access=part.access) for part in self._parts]
        if not states:
            return IndexState()
        worst = max(states, key=lambda s: _SEVERITY.index(s.status))
        return IndexState(
            status=worst.status,
            detail=worst.detail,
            generation=max(s.generation for s in states),
            files=len(self.tree),
            pending=sum(s.pending for s in states),
        )


def _moved(admit: Admit | None, part: _Part) -> Admit | None:
    """Let a filter on tree paths see the store's entries under their mounted path."""
    if part.covered:
        return lambda entry: (
            part.owns(entry.path)
            and (admit is None or admit(entry.moved(part.outer(entry.path), entry.target)))
        )
    if admit is None or not part.prefix:
        return admit
    return lambda entry: admit(entry.moved(part.outer(entry.path), entry.target))


def _below(prefix: str, places: Iterable[str]) -> Iterator[str]:
    """Yield the places below a prefix, relative to it."""
    for place in places:
        if place != prefix and (not prefix or place.startswith(prefix + "/")):
            yield place[len(prefix) + 1 :] if prefix else place


class _TreeCache:
    """Least recently used trees, shared by all threads; each is built once."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.RLock()
        self._trees: OrderedDict[Key, Tree] = OrderedDict()

    def get(self, key: Key, build: Callable[[], Tree]) -> Tree:
        with self._lock:
            tree = self._trees.get(key)
            if tree is None:
                tree = self._trees[key] = build()
                while len(self._trees) > self._limit:
                    self._trees.popitem(last=False)
            else:
                self._trees.move_to_end(key)
            return tree


_trees = _TreeCache(TREES_KEPT)
