"""Which files belong to a tree, and what `lstat` says about each.

Inside a git repository git itself is asked (`ls-files -co --exclude-standard`), so the answer is
its own; elsewhere, and where git is missing, `plain` reads the ignore files. `.tadoruignore`, and
`ignore` and `include` of the configuration, overrule both. Nothing outside the root is opened, no
link is followed, `.git` is never part of a tree, and what is left out is named with the reason.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from tadoru import git
from tadoru.config import IndexConfig
from tadoru.errors import BadInput
from tadoru.indexing.defaults import secret_like
from tadoru.indexing.ignored import IGNORED_PLACES, LIST_SECONDS, ignored_rule
from tadoru.indexing.overlay import overlay_rules
from tadoru.indexing.patterns import RuleStack
from tadoru.indexing.plain import PlainWalk, brought_back
from tadoru.indexing.repositories import common_directory, in_repository, works_here
from tadoru.stores.sqlite.records import FileStat
from tadoru.types import Kind

__all__ = ["Walk", "display", "ignored_rule", "walk"]


class Stat(NamedTuple):
    """What counts of an `os.stat_result`, under its names, in a third of the memory."""

    st_mode: int
    st_size: int
    st_mtime_ns: int
    st_ctime_ns: int
    st_ino: int
    st_nlink: int


_fields_of = attrgetter(*Stat._fields)


@dataclass(slots=True)
class Walk:
    """The files and links of a tree, by displayed path."""

    root: str
    began_ns: int = 0
    """When it began, by the clock that stamps files."""
    stats: dict[str, Stat] = field(default_factory=dict)
    raw: dict[str, bytes] = field(default_factory=dict)
    """Bytes of the names that are not UTF-8."""
    targets: dict[str, str] = field(default_factory=dict)
    """Symbolic links: the root-relative path that each leads to."""
    skipped: dict[str, list[str]] = field(default_factory=dict)
    """Reason -> paths."""
    repositories: list[str] = field(default_factory=list)
    """Nested repositories and submodules whose files are part of the tree."""
    listed_by_git: list[str] = field(default_factory=list)
    """Directories, root-relative as the file system spells them, that git has listed."""
    notes: list[str] = field(default_factory=list)

    def file_stat(self, path: str) -> FileStat:
        """Return what the store keeps about one path."""
        found = self.stats[path]
        link = path in self.targets
        return FileStat(
            path=path,
            kind=Kind.LINK if link else Kind.FILE,
            size=found.st_size,
            mtime_ns=found.st_mtime_ns,
            ctime_ns=found.st_ctime_ns,
            inode=found.st_ino,
            executable=not link and bool(found.st_mode & 0o111),
            raw=self.raw.get(path, b""),
            target=self.targets.get(path, ""),
        )

    def skip(self, reason: str, path: str) -> None:
        self.skipped.setdefault(reason, []).append(path)


def display(name: str) -> str:
    """Show a name from the file system: bytes that are not UTF-8 as `\\xNN`."""
    return name if name.isascii() else os.fsencode(name).decode("utf-8", "backslashreplace")


def listed(root: Path | str, config: IndexConfig) -> Walk:
    """Walk a root. Raises: `BadInput` when it cannot be listed."""
    try:
        return walk(os.path.realpath(root), config)
    except OSError as error:
        raise BadInput(
            f"{root}: {error.strerror or error}", hint="give a directory that can be read"
        ) from None


def walk(root: str, config: IndexConfig) -> Walk:
    """List a tree. `root`: an absolute directory, links in it resolved.

    Raises: `OSError` when the root itself cannot be listed.
    """
    os.scandir(root).close()
    found = Walk(root, began_ns=time.time_ns())
    listing = _Listing(found)
    listing.start()
    overlay = RuleStack(list(overlay_rules(root, listing.stats, config)))
    if overlay:
        listing.overrule(overlay)
    listing.name_left_out(overlay)
    _keep(found, listing.stats, config)
    return found


class _Listing:
    """Root-relative names as the file system spells them, with their `lstat`."""

    def __init__(self, found: Walk) -> None:
        self._found = found
        self._root = found.root
        self._common: set[str] = set()
        self._pending: list[str] = []
        self._plain = PlainWalk(
            self._root,
            on_repository=self._nested,
            on_error=lambda path: found.skip("unreadable directory", display(path)),
        )
        self.stats: dict[str, Stat] = {}

    def start(self) -> None:
        if in_repository(self._root):
            self._common.add(common_directory(self._root))
            self._pending.append("")
        else:
            self._take(self._plain.names(""))
        self._drain()

    def _drain(self) -> None:
        """List repositories until no further one turns up inside them."""
        while self._pending:
            prefix = self._pending.pop()
            names = self._ask_git(prefix)
            if names is None:
                self._take(self._plain.names(prefix))
                continue
            self._found.listed_by_git.append(prefix)
            if prefix:
                self._found.repositories.append(display(prefix))
            self._take(names)

    def _ask_git(self, prefix: str) -> list[str] | None:
        directory = self._absolute(prefix)
        output = None
        if works_here(directory):
            output = git.run(
                directory, "ls-files", "-co", "--exclude-standard", "-z", timeout=LIST_SECONDS
            )
        if output is None:
            where = display(prefix) or "the root"
            self._found.notes.append(f"git cannot list {where}; its ignore files were read instead")
            return None
        if not output and not prefix and git.run(directory, "check-ignore", "--", "."):
            return None  # its repository ignores this directory, but it was asked for by name
        names = [name for name in os.fsdecode(output).split("\0") if name]
        return [f"{prefix}/{name}" for name in names] if prefix else names

    def _take(self, names: Iterable[str]) -> None:
        """`lstat` names; git lists a repository inside as `name/`, or as `name` when tracked."""
        lstat, root, stats = os.lstat, self._root, self.stats
        make, fields_of = Stat._make, _fields_of
        for name in names:
            try:
                found = make(fields_of(lstat(f"{root}/{name}")))
            except FileNotFoundError:
                continue  # tracked, and deleted
            except NotADirectoryError:
                continue  # tracked, and a file stands where its directory was
            except OSError as error:
                self._found.skip(f"unreadable: {error.strerror}", display(name))
                continue
            if not stat.S_ISDIR(found.st_mode):
                stats[name] = found
            elif self._holds_git(name.rstrip("/")):
                self._nested(name.rstrip("/"))
            else:
                self._found.skip("a submodule that is not checked out", display(name.rstrip("/")))

    def _nested(self, path: str) -> bool:
        """Take note of a repository inside the tree; False when git is not to be asked about it."""
        common = common_directory(self._absolute(path))
        if common in self._common:
            self._found.skip("another worktree of a repository in this tree", display(path))
        else:
            self._common.add(common)
            self._pending.append(path)
        return True

    def overrule(self, overlay: RuleStack) -> None:
        """Drop what the overlay leaves out, and add what it brings back."""
        for name in [n for n in self.stats if _left_out(overlay, n)]:
            del self.stats[name]
            self._found.skip(f"ignored by {overlay_reason(overlay, name)}", display(name))
        if not overlay.includes:
            return
        by_rules = [(each.path, each.is_dir) for each in self._plain.ignored]
        candidates = [*by_rules, *self._ignored_by_git()]
        listed = set(self.stats)
        self._take(brought_back(self._root, candidates, overlay, on_repository=self._nested))
        self._drain()
        for name in [n for n in self.stats if n not in listed and _left_out(overlay, n)]:
            del self.stats[name]

    def name_left_out(self, overlay: RuleStack) -> None:
        """Name what rules left out where git was not asked; git's own are named on request."""
        for path, is_dir, reason in self._plain.ignored:
            rule = overlay.decide(path, is_dir) if overlay else None
            if rule is None or not rule.negated:
                self._found.skip(reason, display(path) + ("/" if is_dir else ""))

    def _ignored_by_git(self) -> Iterable[tuple[str, bool]]:
        for prefix in self._found.listed_by_git:
            output = git.run(self._absolute(prefix), *IGNORED_PLACES, timeout=LIST_SECONDS)
            for name in os.fsdecode(output or b"").split("\0"):
                if name:
                    path = f"{prefix}/{name}" if prefix else name
                    yield path.rstrip("/"), name.endswith("/")

    def _holds_git(self, path: str) -> bool:
        return os.path.lexists(f"{self._root}/{path}/.git")

    def _absolute(self, path: str) -> str:
        return f"{self._root}/{path}" if path else self._root


def _left_out(overlay: RuleStack, name: str) -> bool:
    rule = overlay.decide(name)
    return rule is not None and not rule.negated


def overlay_reason(overlay: RuleStack, name: str) -> str:
    rule = overlay.decide(name)
    return f"{rule.source}: {rule.text}" if rule else ""


def _keep(found: Walk, stats: dict[str, Stat], config: IndexConfig) -> None:
    """Sort names into files, links and what is not served."""
    regular, link = stat.S_IFREG, stat.S_IFLNK
    for name, result in stats.items():
        path = name
        if not name.isascii():
            path = display(name)
            raw = os.fsencode(name)
            if path.encode() != raw:
                if path in stats:
                    found.skip("a name that reads like that of another file", path)
                    continue
                found.raw[path] = raw
        kind = stat.S_IFMT(result.st_mode)
        if kind == regular:
            if secret_like(path.rpartition("/")[2]) and not config.serve_secrets:
                found.skip("secret-like", path)
            else:
                found.stats[path] = result
        elif kind == link:
            _keep_link(found, name, path, result)
        else:
            found.skip(SPECIAL.get(kind, "not a file"), path)


SPECIAL = {
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def _keep_link(found: Walk, name: str, path: str, result: Stat) -> None:
    """Keep a link that leads to something inside the root."""
    try:
        target = os.path.realpath(f"{found.root}/{name}", strict=True)
    except OSError:
        found.skip("a link that leads nowhere", path)
        return
    inside = target.startswith(f"{found.root.rstrip('/')}/")
    if not inside:
        found.skip("a link that leads out of the root", path)
        return
    found.stats[path] = result
    found.targets[path] = display(target[len(found.root.rstrip("/")) + 1 :])
