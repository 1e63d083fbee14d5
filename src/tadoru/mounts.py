"""Mounts: the sources of a workspace as one, whoever asks.

Opens views, says how fresh they are, and runs the index of every local root. Answers nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeVar, overload

from tadoru import git
from tadoru.documents import ChromaSource
from tadoru.errors import BadInput, NotIndexed, StoreError, TadoruError, Unavailable
from tadoru.reading import total
from tadoru.sources import LocalSource, Progress, Source
from tadoru.types import IndexReport, IndexState, Principal
from tadoru.views import View

if TYPE_CHECKING:
    from tadoru.models.base import Embedder
    from tadoru.stores.base import Store
    from tadoru.touched import Touched

V = TypeVar("V", bound=View)

PATIENCE_SECONDS = 600.0
"""So long a run that was asked for waits for one that is under way; a dead one holds no lock."""


class Mounts:
    """Sources by place in the tree (`""` for the root itself)."""

    def __init__(self, sources: Mapping[str, Source]) -> None:
        self._sources = dict(sources)

    @property
    def places(self) -> dict[str, str]:
        """Place in the tree -> directory on this machine, or address of the document store."""
        return {f"/{name}": source.place for name, source in self._sources.items()}

    @property
    def local(self) -> dict[str, LocalSource]:
        """The directories among the sources, the longest name first."""
        names = sorted(self._sources, key=len, reverse=True)
        found = {name: self._sources[name] for name in names}
        return {n: source for n, source in found.items() if isinstance(source, LocalSource)}

    @property
    def journals(self) -> dict[str, Touched]:
        """What was touched below each local root."""
        return {name: source.touched for name, source in self.local.items()}

    @overload
    def view(self, principal: Principal, *, catch_up: bool = True) -> View: ...
    @overload
    def view(self, principal: Principal, *, catch_up: bool = True, kind: type[V]) -> V: ...
    def view(self, principal: Principal, *, catch_up: bool = True, kind: type[View] = View) -> View:
        """Return what a principal sees now; `catch_up`: after a look at the sources."""
        if catch_up:
            for source in self._sources.values():
                source.freshen()
        return kind(self._stores(), principal)

    def _stores(self) -> dict[str, Store]:
        """Return the stores by place; one that cannot be read costs its own place only.

        Raises: why it cannot, where there is no other.
        """
        stores: dict[str, Store] = {}
        failure: TadoruError | None = None
        for name, source in self._sources.items():
            try:
                store: Store = source.store
                if isinstance(source, ChromaSource):
                    source.away = ""
                    _ = store.generation
            except (Unavailable, StoreError, NotIndexed) as error:
                if not isinstance(source, ChromaSource):
                    raise
                source.away = f"/{name} is left out: {error.message}"
                failure = error
            else:
                stores[name] = store
        if failure is not None and not stores:
            raise failure
        return stores

    def state(self, view: View) -> IndexState:
        """Return the state of the index as far as the view's principal may know."""
        state = view.state()
        for source in self._sources.values():
            state = source.state(state, view.principal)
        return state

    def lacking(self, embedder: Embedder) -> tuple[str, ...]:
        """Return a line for each document store whose vectors are not of this model."""
        lines = []
        for name, source in self._sources.items():
            if isinstance(source, ChromaSource) and not source.away:
                why = source.store.lacking(embedder.fingerprint, embedder.dimension)
                if why:
                    lines.append(f"/{name} is searched by words alone: {why}")
        return tuple(lines)

    def renames(self, path: str) -> Sequence[str]:
        """Return the paths that a path has now, by version control."""
        from tadoru.resolve import renames

        for name, source in self.local.items():
            if not name:
                return renames(source.place, path)
            if path.startswith(f"{name}/"):
                inner = path.removeprefix(f"{name}/")
                return [f"{name}/{found}" for found in renames(source.place, inner)]
        return ()

    def changed_since(self, revision: str) -> frozenset[str]:
        """Return the paths that differ from a git revision. Raises: `BadInput` for no revision."""
        changed: set[str] = set()
        for name, source in self.local.items():
            paths = git.changed_since(source.root, revision)
            if paths is None:
                raise BadInput(
                    f"{source.root}: git knows no revision {revision!r} there",
                    hint="give a branch, a tag or a commit",
                )
            changed.update(f"{name}/{path}" if name else path for path in paths)
        return frozenset(changed)

    def index(
        self,
        *,
        rebuild: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
        vectors: Literal["wait", "later", "only"] = "wait",
        principal: Principal | None = None,
    ) -> IndexReport:
        """Run the index of every local root; return their reports as one, as `principal` may read
        them. A run that is under way in another process is waited for.

        Raises: `BadInput` without a local root, and what the run raised.
        """
        if not self.local:
            raise BadInput("no local root is mounted", hint="a document store is read as it is")
        return total(
            [
                source.index(
                    rebuild=rebuild,
                    dry_run=dry_run,
                    progress=progress,
                    vectors=vectors,
                    principal=principal,
                    patience=PATIENCE_SECONDS,
                )
                for source in reversed(self.local.values())
            ]
        )

    def watch(
        self,
        on_change: Callable[[IndexReport], None],
        stop: threading.Event,
        debounce_ms: int | None = None,
        principal: Principal | None = None,
    ) -> None:
        """Index changes of every local root as they happen, until `stop` is set; blocks."""
        sources = list(self.local.values())
        if debounce_ms is not None:
            sources = [source.with_debounce(debounce_ms) for source in sources]
        threads = [
            threading.Thread(target=source.watch, args=(on_change, stop, principal), daemon=True)
            for source in sources[1:]
        ]
        for thread in threads:
            thread.start()
        if sources:
            sources[0].watch(on_change, stop, principal)

    def close(self) -> None:
        for source in self._sources.values():
            source.close()
