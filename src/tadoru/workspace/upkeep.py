"""The index: made, watched, and told of."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tadoru.errors import BadInput
from tadoru.reading import statistics
from tadoru.sources import Progress
from tadoru.types import IndexReport, IndexState
from tadoru.workspace.core import Core
from tadoru.workspace.groups import indexing_group, search_group, warnings_of

if TYPE_CHECKING:
    from tadoru.publishing import PublishReport


class Upkeep(Core):
    """The index is kept, and says how it is."""

    def index(
        self, *, rebuild: bool = False, dry_run: bool = False, progress: Progress | None = None
    ) -> IndexReport:
        """Bring the index of every root up to date; `rebuild` makes it anew.

        `progress(done, total, path)` is called now and then. Returns the report of the first root,
        with the counts of all. Raises: `StoreError` and what else the run raised.
        """
        report = self._mounts.index(
            rebuild=rebuild, dry_run=dry_run, progress=progress, principal=self.principal
        )
        if dry_run:
            return report
        self._usage.ran(
            seconds=round(report.seconds, 3),
            added=report.added,
            changed=report.changed,
            deleted=report.deleted,
            unchanged=report.unchanged,
            skipped=sum(len(paths) for paths in report.skipped.values()),
            errors=len(report.errors),
            chunks=report.chunks,
        )
        return replace(report, index=self._state(self._view()))

    def writing(self) -> bool:
        """Tell whether another process writes an index of this workspace right now."""
        return any(source.writing() for source in self._mounts.local.values())

    def reindex(self) -> IndexReport:
        """Make the index of every root anew."""
        return self.index(rebuild=True)

    def embed(self, *, progress: Progress | None = None) -> IndexReport:
        """Make the vectors that are missing, and nothing else; the report's `embedding` tells.

        Raises: `StoreError`; never for a model that fails.
        """
        report = self._mounts.index(progress=progress, vectors="only", principal=self.principal)
        return replace(report, index=self._state(self._view()))

    def agree(self) -> None:
        """Agree, for good, that text of every root is sent to the configured hosts.

        Raises: `StoreError` when that cannot be remembered.
        """
        for source in self._mounts.local.values():
            source.vectors.agree()

    def publish(
        self,
        address: str,
        *,
        labels: Sequence[str] = (),
        public: bool = False,
        links: Mapping[str, str] | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> PublishReport:
        """Make the collection at an address (`chroma://host:port/name`) hold what the root holds.

        `labels`: rules as `GLOB=GROUP,GROUP`, instead of those of the configuration; `public`: what
        no rule matches is public; `links`: path -> URL of an object in an object store that the
        path points to. Raises: `BadInput` without labels or for a collection of others,
        `StoreError` when the check before the switch fails, `Unavailable`.
        """
        from tadoru.publishing import publish_root

        local = list(self._mounts.local.values())
        if len(local) != 1:
            raise BadInput("one root is published at a time", hint="name it: --root DIR")
        return publish_root(
            local[0],
            address,
            labels=labels,
            public=public,
            links=links,
            dry_run=dry_run,
            progress=progress,
        )

    def watch(
        self,
        on_change: Callable[[IndexReport], None] | None = None,
        *,
        stop: threading.Event | None = None,
        debounce_ms: int | None = None,
    ) -> None:
        """Index changes as they happen, until `stop` is set; blocks."""
        self._mounts.watch(
            on_change or (lambda report: None),
            stop or threading.Event(),
            debounce_ms,
            self.principal,
        )

    def status(self) -> IndexState:
        """Return the state of the index, after bringing it up to date as far as is cheap."""
        return self._state(self._view())

    def stats(self) -> dict[str, Any]:
        """Return counts of what the asker sees and did: files, languages and roles; the groups
        `indexing`, `search` (with latency by tool) and, without access labels, `health`.
        """
        view = self._view()
        state = self._state(view)
        semantic = self._models.statistics(self._mounts.local.values(), self.principal)
        health = {f"/{place}": each.health() for place, each in self._mounts.local.items()}
        told = {"health": health} if all(health.values()) else {}
        used = self._usage.report()
        return {
            **statistics(view, state),
            "semantic": semantic,
            "indexing": indexing_group(used, state),
            "search": search_group(used),
            **told,
            "warnings": warnings_of(state, self.config.warnings if self._local else ()),
        }
