"""The tree of one store as one access set sees it: names, kinds and sizes, without content.

Built once per (store, generation, access set) and shared by every session that has the same one.
A directory exists because something visible lies below it, so pruning needs no second pass, and
a link exists only when what it leads to does. Decides nothing about who may see what: it is
given the visible rows only.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from tadoru.types import Entry, Kind

MAX_LINK_HOPS = 40
"""Links followed for one path before it counts as a loop (Linux: 40)."""


class Tree:
    """Entries by path, with the directories that they imply.

    `entries`: files and links with store-relative paths; directories in it are kept too (a store
    may know of empty ones). Order does not matter.
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._entries: dict[str, Entry] = {}
        links: list[Entry] = []
        for entry in entries:
            self._entries[entry.path] = entry
            if entry.kind is Kind.LINK:
                links.append(entry)
        self._children: dict[str, list[str]] = {"": []}
        for path in self._entries:
            self._add_to_parent(path)
        self._drop_dangling(links)
        for names in self._children.values():
            names.sort()

    def _add_to_parent(self, path: str) -> None:
        parent, _, name = path.rpartition("/")
        siblings = self._children.get(parent)
        while siblings is None:
            self._children[parent] = [name]
            parent, _, name = parent.rpartition("/")
            siblings = self._children.get(parent)
        siblings.append(name)

    def _drop_dangling(self, links: list[Entry]) -> None:
        """Remove links whose target is not here, until nothing changes (links to links)."""
        alive = links
        while True:
            gone = [link for link in alive if self.resolve(link.path) is None]
            if not gone:
                return
            for link in gone:
                self._remove(link.path)
            gone_paths = {link.path for link in gone}
            alive = [link for link in alive if link.path not in gone_paths]

    def _remove(self, path: str) -> None:
        self._entries.pop(path, None)
        parent, _, name = path.rpartition("/")
        siblings = self._children[parent]
        siblings.remove(name)
        if not siblings and parent and parent not in self._entries:
            del self._children[parent]
            self._remove(parent)

    def __contains__(self, path: str) -> bool:
        return path in self._entries or path in self._children

    def __len__(self) -> int:
        """Count files and links; directories do not count."""
        return len(self.files)

    def get(self, path: str) -> Entry | None:
        """Return the entry at exactly this path, without following links; None when absent."""
        entry = self._entries.get(path)
        if entry is None and path in self._children:
            return Entry(path=path, kind=Kind.DIRECTORY, mtime_ns=self.newest)
        return entry

    def resolve(self, path: str) -> Entry | None:
        """Return the entry that a path leads to, following links; None when absent."""
        for _ in range(MAX_LINK_HOPS):
            entry = self.get(path)
            if entry is not None and entry.kind is not Kind.LINK:
                return entry
            replaced = self._follow_first_link(path)
            if replaced is None:
                return None
            path = replaced
        return None

    def _follow_first_link(self, path: str) -> str | None:
        end = path.find("/")
        while True:
            prefix = path if end < 0 else path[:end]
            entry = self._entries.get(prefix)
            if entry is not None and entry.kind is Kind.LINK:
                rest = "" if end < 0 else path[end:]
                return (entry.target + rest).strip("/")
            if end < 0 or (entry is None and prefix not in self._children):
                return None
            end = path.find("/", end + 1)

    def children(self, directory: str) -> list[str]:
        """Return the sorted names in a directory; empty when it is not one."""
        return self._children.get(directory, [])

    def is_dir(self, path: str) -> bool:
        return path in self._children

    @cached_property
    def files(self) -> list[str]:
        """All files and links, sorted by path."""
        return sorted(p for p, e in self._entries.items() if e.kind is not Kind.DIRECTORY)

    @cached_property
    def directories(self) -> list[str]:
        """All directories but the root, sorted."""
        return sorted(d for d in self._children if d)

    @cached_property
    def newest(self) -> int:
        """The youngest modification time in the tree, in nanoseconds: that of every directory."""
        return max((e.mtime_ns for e in self._entries.values()), default=0)

    def below(self, directory: str) -> Iterator[str]:
        """Yield the files and links below a directory, sorted by path."""
        if not directory:
            yield from self.files
            return
        prefix = directory + "/"
        for position in range(bisect_left(self.files, prefix), len(self.files)):
            path = self.files[position]
            if not path.startswith(prefix):
                return
            yield path

    def entries(self) -> Iterator[Entry]:
        """Yield the entries of all files and links, sorted by path."""
        return (self._entries[path] for path in self.files)


def mounted(parts: Mapping[str, Tree]) -> Tree:
    """Put several trees under one root, each below its mount name (`""` is the root itself)."""
    if len(parts) == 1 and "" in parts:
        return parts[""]
    return Tree(_moved(entry, prefix) for prefix, tree in parts.items() for entry in tree.entries())


def _moved(entry: Entry, prefix: str) -> Entry:
    if not prefix:
        return entry
    target = f"{prefix}/{entry.target}" if entry.target else ""
    return entry.moved(f"{prefix}/{entry.path}", target)
