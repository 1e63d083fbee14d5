"""A store over files in memory, and the same files on disk for the GNU tools to read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tadoru.types import (
    PUBLIC,
    Access,
    AccessRow,
    Entry,
    IndexState,
    Kind,
    Principal,
)
from tadoru.views import View

_counter = iter(range(1, 1_000_000))


class FilesStore:
    """Serves bytes and names, and nothing else: what the shell reads of a store."""

    host_root = ""
    generation = 1

    def __init__(
        self,
        files: Mapping[str, bytes],
        *,
        links: Mapping[str, str] | None = None,
        labels: Mapping[str, int] | None = None,
        rows: tuple[AccessRow, ...] = (PUBLIC,),
        stats: Mapping[str, tuple[int, bool]] | None = None,
    ) -> None:
        self.id = f"files-{next(_counter)}"
        self.files = dict(files)
        self.links = dict(links or {})
        self.labels = dict(labels or {})
        self.rows = rows
        self.stats = dict(stats or {})
        self.reads: list[str] = []

    @property
    def literals(self) -> FilesStore:
        return self

    def candidates(self, literals: Any, *, access: Access) -> set[str] | None:
        return None

    def access_rows(self) -> tuple[AccessRow, ...]:
        return self.rows

    def entries(self, *, access: Access) -> Iterator[Entry]:
        for path, data in self.files.items():
            label = self.labels.get(path, PUBLIC.id)
            if label in access:
                mtime, executable = self.stats.get(path, (1_700_000_000_000_000_000, False))
                yield Entry(path, Kind.FILE, len(data), mtime, label, id=1, executable=executable)
        for path, target in self.links.items():
            yield Entry(path, Kind.LINK, len(target), 1_700_000_000_000_000_000, target=target)

    def read(self, path: str, *, access: Access, start: int = 0, size: int = -1) -> bytes | None:
        if path not in self.files or self.labels.get(path, PUBLIC.id) not in access:
            return None
        self.reads.append(path)
        data = self.files[path]
        return data[start:] if size < 0 else data[start : start + size]

    def read_many(self, paths: Iterable[str], *, access: Access) -> Iterator[tuple[str, bytes]]:
        for path in paths:
            data = self.read(path, access=access)
            if data is not None:
                yield path, data

    def state(self, *, access: Access) -> IndexState:
        return IndexState(files=len(self.files))

    def ignored(self, path: str, *, access: Access) -> str:
        return ""


def view_of(store: FilesStore, *groups: str) -> View:
    return View({"": store}, Principal(frozenset(groups)))  # type: ignore[dict-item]


def load_tree(root: Path) -> FilesStore:
    """Make a store with the files below a directory, times and modes included."""
    files: dict[str, bytes] = {}
    links: dict[str, str] = {}
    stats: dict[str, tuple[int, bool]] = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_symlink():
            target = (path.parent / path.readlink()).resolve()
            links[name] = target.relative_to(root.resolve()).as_posix()
        elif path.is_file():
            files[name] = path.read_bytes()
            stat = path.stat()
            stats[name] = (stat.st_mtime_ns, bool(stat.st_mode & 0o111))
    return FilesStore(files, links=links, stats=stats)
