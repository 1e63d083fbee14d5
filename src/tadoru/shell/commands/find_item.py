"""One name on the walk of `find`, knowing as little as its tests need."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from tadoru.shell.space import Space
from tadoru.types import Entry, Kind


class Item:
    """A name: how it is shown, where it lies, how deep. The entry is looked up when asked for."""

    def __init__(
        self,
        space: Space,
        shown: str,
        path: str,
        depth: int,
        start: str,
        *,
        follow: bool,
        parent: Item | None = None,
    ) -> None:
        self.space = space
        self.shown = shown
        self.path = path
        self.depth = depth
        self.start = start
        """The operand below which it was found."""
        self.follow = follow
        self._parent = parent

    @cached_property
    def entry(self) -> Entry:
        """The entry; of the link itself unless links are followed."""
        return self.space.lookup(self.path, follow=self.follow)

    @cached_property
    def is_dir(self) -> bool:
        tree = self.space.tree
        return tree.is_dir(self.path) or (
            (self.follow or self.path not in tree) and self.entry.kind is Kind.DIRECTORY
        )

    @property
    def name(self) -> str:
        """The last component, as `-name` and `%f` see it."""
        return self.shown.rstrip("/").rpartition("/")[2] or "/"

    def children(self, *, follow: bool) -> Iterator[Item]:
        base = self.shown if self.shown.endswith("/") else self.shown + "/"
        inner = self.path if self.space.tree.is_dir(self.path) else self.entry.path
        prefix = inner + "/" if inner else ""
        space, depth, start = self.space, self.depth + 1, self.start
        for name in space.children(inner):
            yield Item(space, base + name, prefix + name, depth, start, follow=follow, parent=self)

    def loops(self) -> bool:
        """Tell whether this directory is one of its own parents, reached through a link."""
        here = self.entry.path
        parent = self._parent
        while parent is not None:
            if parent.entry.path == here:
                return True
            parent = parent._parent
        return False
