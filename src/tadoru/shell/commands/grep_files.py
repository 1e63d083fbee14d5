"""Which files one call of grep reads, in which order, and under which names.

Operands are read as they are written; directories are entered with `-r`, entry by entry in order
of names, as a sorted walk of the disk would. Within a directory the store proposes the files that
can match (`View.candidates`), so that the others are not even listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from weakref import WeakKeyDictionary

from tadoru.shell.commands.context import Context
from tadoru.shell.commands.grep_options import GlobRule
from tadoru.shell.globs import compile_glob
from tadoru.tree import Tree
from tadoru.types import Entry, Kind

MAX_DEPTH = 300
"""Directories below each other through links; a loop ends here."""

_walked: WeakKeyDictionary[Tree, list[str]] = WeakKeyDictionary()


def skipped(rules: Sequence[GlobRule], name: str, *, operand: bool) -> bool:
    """Tell whether `--include` and `--exclude` leave a name out.

    The last rule that matches decides; when none does, the kind of the first one. In recursion
    `name` is the entry's own; an operand may match from any of its components on.
    """
    if not rules:
        return False
    names = [name]
    if operand:
        parts = name.split("/")
        names += ["/".join(parts[at:]) for at in range(1, len(parts))]
    for rule in reversed(rules):
        matches = compile_glob(rule.glob)
        if any(matches(candidate) for candidate in names):
            return not rule.include
    return rules[0].include


MAX_FILE_BYTES = 256 * 1024 * 1024
"""A larger file is named and passed over: one read does not return it."""


def readable(tree: Tree, paths: Iterable[str], too_large: Callable[[str], None]) -> Iterator[str]:
    """Yield the paths that one read returns whole; the others go to `too_large`."""
    for path in paths:
        entry = tree.get(path)
        if entry is not None and entry.size > MAX_FILE_BYTES:
            too_large(path)
        else:
            yield path


class Walk:
    """Files below a directory in the order of a sorted walk."""

    def __init__(self, ctx: Context, files: Sequence[GlobRule], dirs: Sequence[GlobRule]) -> None:
        self._ctx = ctx
        self._files = files
        self._dirs = dirs

    def below(self, directory: str, proposed: set[str] | None) -> Iterator[str]:
        """Yield tree paths of files below a directory, links not followed.

        `proposed`: the only files that can match; None for all of them.
        """
        tree = self._ctx.tree
        prefix = f"{directory}/" if directory else ""
        if not tree.is_dir(directory):
            yield from (path for path, _ in self.following(directory, directory))
            return
        if proposed is not None and len(proposed) * 4 < len(tree.files):
            paths = sorted((p for p in proposed if p.startswith(prefix)), key=_components)
        else:
            paths = [path for path in _in_order(tree) if path.startswith(prefix)]
        for path in paths:
            if proposed is not None and path not in proposed:
                continue
            entry = tree.get(path)
            if entry is None or entry.kind is not Kind.FILE:
                continue
            if not self._left_out(path[len(prefix) :]):
                yield path

    def _left_out(self, inner: str) -> bool:
        if not (self._files or self._dirs):
            return False
        *folders, name = inner.split("/")
        if self._dirs and any(skipped(self._dirs, folder, operand=False) for folder in folders):
            return True
        return skipped(self._files, name, operand=False)

    def following(self, directory: str, shown: str) -> Iterator[tuple[str, str]]:
        """Yield (tree path, path below `shown`) of files below a directory, links followed."""
        stack = [self._listing(directory, shown)]
        while stack:
            found = next(stack[-1], None)
            if found is None:
                stack.pop()
                continue
            entry, name = found
            target = self._ctx.space.find(entry.path)
            if target is None:
                continue
            if not target.is_dir:
                if not skipped(self._files, entry.name, operand=False):
                    yield target.path, name
            elif len(stack) < MAX_DEPTH and not skipped(self._dirs, entry.name, operand=False):
                if entry.kind is Kind.LINK and _holds(target.path, entry.path):
                    continue
                stack.append(self._listing(entry.path, name))

    def _listing(self, directory: str, shown: str) -> Iterator[tuple[Entry, str]]:
        prefix = f"{shown}/" if shown else ""
        for entry in self._ctx.space.entries(directory):
            yield entry, prefix + entry.name


def _holds(directory: str, path: str) -> bool:
    """Tell whether a path lies in a directory: a link from there leads back up."""
    return not directory or path == directory or path.startswith(directory + "/")


def _components(path: str) -> list[str]:
    return path.split("/")


def _in_order(tree: Tree) -> list[str]:
    """Return all files of a tree in the order of a sorted walk; kept as long as the tree is."""
    order = _walked.get(tree)
    if order is None:
        order = _walked[tree] = sorted(tree.files, key=_components)
    return order
