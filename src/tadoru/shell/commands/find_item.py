"""One name on the walk of `find`, knowing as little as its tests need."""

from __future__ import annotations

from collections.abc import Iterator

from tadoru.shell.space import Space
from tadoru.types import Entry, Kind


class Item:
    """A name: how it is shown, where it lies, how deep. The entry is looked up when asked for.

    Ten thousand of them are made for one walk, so that nothing is computed before it is needed.
    """

    __slots__ = (
        "_entry",
        "depth",
        "follow",
        "is_dir",
        "name",
        "parent",
        "path",
        "shown",
        "space",
        "start",
    )

    def __init__(
        self,
        space: Space,
        shown: str,
        path: str,
        name: str,
        depth: int,
        start: str,
        follow: bool,
        parent: Item | None,
    ) -> None:
        self.space = space
        self.shown = shown
        self.path = path
        self.name = name
        """The last component, as `-name` and `%f` see it."""
        self.depth = depth
        self.start = start
        """The operand below which it was found."""
        self.follow = follow
        self.parent = parent
        self._entry: Entry | None = None
        self.is_dir = space.tree.is_dir(path)
        if not self.is_dir and (follow or path not in space.tree):
            self.is_dir = self.entry.kind is Kind.DIRECTORY

    @classmethod
    def operand(cls, space: Space, shown: str, path: str, *, follow: bool) -> Item:
        """Return the item of a starting point."""
        name = shown.rstrip("/").rpartition("/")[2] or "/"
        return cls(space, shown, path, name, 0, shown, follow, None)

    @property
    def entry(self) -> Entry:
        """The entry; of the link itself unless links are followed."""
        if self._entry is None:
            self._entry = self.space.lookup(self.path, follow=self.follow)
        return self._entry

    def children(self, follow: bool) -> Iterator[Item]:
        """Yield what lies in the directory. One object stands for one file after the other: keep
        none of them."""
        base = self.shown if self.shown.endswith("/") else self.shown + "/"
        space, depth, start = self.space, self.depth + 1, self.start
        is_dir = space.tree.is_dir
        inner = self.path if is_dir(self.path) else self.entry.path
        prefix = inner + "/" if inner else ""
        leaf = None
        if is_dir(inner) and not follow and inner.partition("/")[0] != "tmp":
            leaf = self._leaf(depth, follow)
        for name in space.children(inner):
            path = prefix + name
            if leaf is None or is_dir(path):
                yield Item(space, base + name, path, name, depth, start, follow, self)
            else:
                leaf.shown = base + name
                leaf.path = path
                leaf.name = name
                leaf._entry = None
                yield leaf

    def _leaf(self, depth: int, follow: bool) -> Item:
        """Return an item that is to become each file of this directory in turn."""
        leaf = Item.__new__(Item)
        leaf.space, leaf.start, leaf.parent = self.space, self.start, self
        leaf.depth, leaf.follow, leaf.is_dir = depth, follow, False
        return leaf

    def loops(self) -> bool:
        """Tell whether this directory is one of its own parents, reached through a link."""
        here = self.entry.path
        parent = self.parent
        while parent is not None:
            if parent.entry.path == here:
                return True
            parent = parent.parent
        return False
