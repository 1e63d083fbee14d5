"""What is told of a tree beyond its files: estimates before a run, and what may surprise in it."""

from __future__ import annotations

import os
import stat
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tadoru.config import Config
from tadoru.indexing.changes import Changes, compare
from tadoru.indexing.crew import available_cores
from tadoru.indexing.ignored import ignored_by_git
from tadoru.indexing.labels import labels
from tadoru.indexing.read import size_name
from tadoru.indexing.walk import SPECIAL, Walk, display, listed
from tadoru.text.languages import language_of
from tadoru.types import IndexReport, IndexState, Principal

if TYPE_CHECKING:
    from tadoru.stores.sqlite import SqliteStore

INDEX_RATIO = 1.1
"""Bytes of index per byte of text, for estimates."""
BYTES_PER_SECOND = 1_500_000
"""Text indexed per core and second, for estimates."""


def dry_run(
    root: Path | str,
    config: Config,
    *,
    store: SqliteStore | None = None,
    principal: Principal | None = None,
) -> IndexReport:
    """Report what an index run would do, without doing it.

    `store`: the index that there is; `principal`: the report tells of what he may see.
    """
    began = time.monotonic()
    found = listed(root, config.index)
    shows = shown_to(config, principal)
    known = store.known() if store is not None else {}
    scanned = store.last_scan_ns if store is not None else 0
    changes = compare(found, known, scanned, config.index.max_file_bytes)
    sizes = {
        p: s.st_size
        for p, s in found.stats.items()
        if p not in found.targets and (shows is None or shows(p))
    }
    kept = {p: n for p, n in sizes.items() if n <= config.index.max_file_bytes}
    total = sum(kept.values())
    skipped = {reason: sorted(paths) for reason, paths in sorted(left_out(found).items())}
    large = sorted(sizes.keys() - kept.keys())
    if large:
        skipped[f"larger than {size_name(config.index.max_file_bytes)}"] = large
    cores = config.index.workers or available_cores()
    report = IndexReport(
        root=str(root),
        added=len(changes.added),
        changed=len(changes.changed),
        deleted=len(changes.deleted),
        unchanged=changes.unchanged,
        languages=by_count(language_of(path) for path in kept),
        skipped=skipped,
        notes=tuple(found.notes + curiosities(found)),
        seconds=time.monotonic() - began + total / (BYTES_PER_SECOND * cores),
        source_bytes=total,
        index_bytes=int(total * INDEX_RATIO),
        dry_run=True,
        complete=False,
    )
    if shows is None:
        return report
    seen = as_seen(report, changes, shows)
    visible = sum(1 for path in found.stats if shows(path))
    return replace(seen, unchanged=max(0, visible - seen.added - seen.changed), notes=())


def shown_to(config: Config, principal: Principal | None) -> Callable[[str], bool] | None:
    """Return the function that tells of which paths a report may speak; None: of all."""
    rule = labels(config)
    if rule is None or principal is None:
        return None

    def shows(path: str) -> bool:
        row = rule(path)
        return row is not None and row.admits(principal)

    return shows


def as_seen(report: IndexReport, changes: Changes, shows: Callable[[str], bool]) -> IndexReport:
    """Return a report that names and counts only paths that `shows` allows.

    The size of the index and the state over everything are left out: they tell of hidden files.
    """
    kept = {reason: [p for p in paths if shows(p)] for reason, paths in report.skipped.items()}
    return replace(
        report,
        added=sum(map(shows, changes.added)),
        changed=sum(map(shows, changes.changed)),
        deleted=sum(map(shows, changes.deleted)),
        skipped={reason: paths for reason, paths in kept.items() if paths},
        index_bytes=0,
        index=IndexState(),
    )


def left_out(found: Walk) -> dict[str, list[str]]:
    """Return all that is not in the tree, by reason: also what git's rules leave out."""
    reasons = {reason: list(paths) for reason, paths in found.skipped.items()}
    listed = sorted(found.stats) if found.listed_by_git else []
    for reason, names in ignored_by_git(found.root, found.listed_by_git).items():
        for path in map(display, names):
            inside = listed[bisect_left(listed, path) :][:1] if path.endswith("/") else []
            if path not in found.stats and not (inside and inside[0].startswith(path)):
                reasons.setdefault(reason, []).append(path)
    for path, reason in _special_files(found) if found.listed_by_git else ():
        if path not in reasons.setdefault(reason, []):
            reasons[reason].append(path)
    return reasons


def _special_files(found: Walk) -> Iterator[tuple[str, str]]:
    """Yield path and kind of what git does not even list, in the directories that hold files."""
    raw = (os.fsdecode(found.raw[path]) if path in found.raw else path for path in found.stats)
    for directory in {"", *(path.rpartition("/")[0] for path in raw)}:
        try:
            with os.scandir(f"{found.root}/{directory}") as entries:
                for entry in entries:
                    if entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False):
                        continue
                    kind = stat.S_IFMT(entry.stat(follow_symlinks=False).st_mode)
                    if kind in SPECIAL:
                        path = f"{directory}/{entry.name}" if directory else entry.name
                        yield display(path), SPECIAL[kind]
        except OSError:
            continue


def by_count(names: Iterable[str]) -> dict[str, int]:
    return dict(Counter(name or "other" for name in names).most_common())


def curiosities(found: Walk) -> list[str]:
    """Say what of a tree may surprise: nested repositories, links, names that differ in case."""
    notes: list[str] = []
    if found.repositories:
        notes.append(f"nested repositories, indexed with the tree: {_some(found.repositories)}")
    if found.targets:
        notes.append(f"symbolic links, listed and not followed: {len(found.targets)}")
    hard = sum(1 for s in found.stats.values() if s.st_nlink > 1)
    if hard:
        notes.append(f"files with several hard links, each indexed under its own name: {hard}")
    folded: dict[str, list[str]] = {}
    for path in found.stats:
        folded.setdefault(path.casefold(), []).append(path)
    twins = [" = ".join(sorted(paths)) for paths in folded.values() if len(paths) > 1]
    if twins:
        notes.append(f"names that differ in case alone: {_some(twins)}")
    return notes


def _some(names: list[str], limit: int = 5) -> str:
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(sorted(names)[:limit]) + more


def size_of(directory: Path) -> int:
    total = 0
    for folder, _, names in os.walk(directory):
        for name in names:
            try:
                total += (Path(folder) / name).stat().st_size
            except OSError:
                continue
    return total
