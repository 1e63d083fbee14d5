"""The index: made, watched, and told of."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tadoru.reading import statistics
from tadoru.sources import Progress
from tadoru.types import IndexReport, IndexState
from tadoru.workspace.core import Core
from tadoru.workspace.groups import indexing_group, search_group, warnings_of


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
            "warnings": warnings_of(state, self.config.warnings),
        }
