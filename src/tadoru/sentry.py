"""Vouches that nothing below a root can have changed since it was looked at, without a look.

Every directory in which a change could show is watched through inotify; what decides about the
tree from outside (git's index, exclude and configuration files, ignore files above the root, other
names of the same files, mounts) is compared by `stat`. Whatever is in doubt counts as changed: a
network file system, used-up watches, lost events, a new directory, a forked process. Writing
through a memory map after the file was closed is seen by nobody, so a look is due every
`LOOK_ANYWAY_SECONDS` all the same.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from errno import ENOSPC
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from weakref import WeakSet

from tadoru import git, inotify
from tadoru.config import IndexConfig
from tadoru.indexing.ignored import RULE_FILES, Ignored
from tadoru.indexing.overlay import overlay_rules
from tadoru.indexing.patterns import RuleStack
from tadoru.indexing.repositories import repository_of

if TYPE_CHECKING:
    from tadoru.indexing.walk import Walk

LOOK_ANYWAY_SECONDS = 30.0
FIRST_LOOKS = 2
"""Looks before it pays to watch: a command line has one, and ends."""
MAX_DIRECTORIES = 20_000
"""Watches of one root; each takes about 1 KB of the kernel's memory, and the user's limit is
shared with his editors."""
MAX_SENTRIES = 32
"""Roots that one process watches; a user may have 128 queues, and his editors want some."""
MAX_LINKED = 5_000
"""Files with several names: each is looked at every time."""
REPORTING = frozenset(
    "bcachefs btrfs ext2 ext3 ext4 f2fs jfs overlay ramfs reiserfs tmpfs xfs zfs".split()  # noqa: SIM905
)
"""File systems on which nothing changes but through this kernel."""
_MOUNTS = Path("/proc/self/mountinfo")
_STRUCTURE = inotify.OVERFLOW | inotify.IGNORED | inotify.UNMOUNT | inotify.DELETE_SELF
_STRUCTURE |= inotify.MOVE_SELF | inotify.IS_DIRECTORY
"""After such an event other directories may need to be watched."""
_RULES = frozenset({*(name.encode() for name in RULE_FILES), b".git"})

Stamp = tuple[int, int, int, int] | None


class Unwatchable(Exception):
    """The root cannot be watched; whoever asks has to look."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a look showed that matters to the next one."""

    directories: frozenset[str]
    """Those that hold files of the tree, root-relative, the root as `""`."""
    repositories: tuple[str, ...]
    linked: Mapping[str, Stamp]
    """Files with several names."""
    brings_back: bool
    """Whether rules bring back what git ignores: then ignored directories count too."""

    @classmethod
    def of(cls, walk: Walk, config: IndexConfig) -> Seen:
        names = [os.fsdecode(walk.raw[path]) if path in walk.raw else path for path in walk.stats]
        linked = {
            name: _stamp_of(found)
            for name, found in zip(names, walk.stats.values(), strict=True)
            if found.st_nlink > 1
        }
        brings_back = RuleStack(list(overlay_rules(walk.root, names, config))).includes
        return cls(_directories(names), tuple(walk.repositories), linked, bool(brings_back))


def _directories(names: Iterable[str]) -> frozenset[str]:
    found = {""}
    for name in names:
        above = name.rpartition("/")[0]
        while above not in found:
            found.add(above)
            above = above.rpartition("/")[0]
    return frozenset(found)


class _Found(Protocol):
    """What `lstat` said, in whatever form."""

    @property
    def st_ino(self) -> int: ...
    @property
    def st_size(self) -> int: ...
    @property
    def st_mtime_ns(self) -> int: ...
    @property
    def st_ctime_ns(self) -> int: ...


def _stamp_of(found: _Found) -> Stamp:
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _stamp(path: str) -> Stamp:
    try:
        return _stamp_of(os.lstat(path))
    except (OSError, ValueError):
        return None


class Sentry:
    """Watches one root from the moment it is made. Not for two threads at once."""

    def __init__(self, root: str, config: IndexConfig, seen: Seen) -> None:
        """`seen`: what the last look showed. Raises: `Unwatchable`."""
        if len(seen.linked) > MAX_LINKED:
            raise Unwatchable("too many files with several names")
        if len(_standing) >= MAX_SENTRIES:
            raise Unwatchable("too many roots are watched")
        self._root = root.rstrip("/")
        self._config = config
        self._seen = seen
        self._process = os.getpid()
        self._queue: inotify.Queue | None = None
        self._watched: set[str] = set()
        self._outside = tuple(_outside(self._root, seen.repositories))
        self._before = self._around()
        _check_mounts(self._before[0], self._root)
        self._until = 0.0
        self._stale = False
        try:
            self._queue = inotify.Queue()
            self._post()
            _standing.add(self)
        except OSError as error:
            self.close()
            raise Unwatchable(str(error)) from None

    # -- posting -------------------------------------------------------------------------------

    def _post(self) -> None:
        """Watch directories from the top down, each before its entries are listed."""
        waiting = [""]
        while waiting:
            unknown: list[str] = []
            while waiting:
                directory = waiting.pop()
                for child in self._enter(directory):
                    known = self._seen.brings_back or child in self._seen.directories
                    (waiting if known else unknown).append(child)
            waiting = self._live(unknown)

    def _enter(self, directory: str) -> list[str]:
        """Watch a directory and return those in it."""
        path = f"{self._root}/{directory}"
        if len(self._watched) >= MAX_DIRECTORIES:
            raise OSError(ENOSPC, "too many directories to watch")
        if self._queue is None:
            return []
        try:
            self._queue.add(os.fsencode(path))
            with os.scandir(path) as entries:
                inner = [e.name for e in entries if e.is_dir(follow_symlinks=False)]
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            return []  # gone, or closed: its return is an event above it
        self._watched.add(directory)
        prefix = f"{directory}/" if directory else ""
        return [prefix + name for name in inner if name != ".git"]

    def _live(self, directories: list[str]) -> list[str]:
        """Return those that are not ignored, by halves: most often all of them are."""
        if not directories or not Ignored(self._root, self._config).wakes(directories):
            return []
        if len(directories) == 1:
            return directories
        half = len(directories) // 2
        return self._live(directories[:half]) + self._live(directories[half:])

    def _around(self) -> tuple[bytes, int, tuple[Stamp, ...]]:
        """Return what lies outside of the watched directories and decides about the tree: also
        which directory the root is, for one above it may be another by now."""
        try:
            mounts = _MOUNTS.read_bytes()
            which = Path(self._root or "/").stat().st_ino
        except OSError:
            mounts, which = b"", 0
        return mounts, which, tuple(map(_stamp, self._outside))

    # -- answering -----------------------------------------------------------------------------

    def quiet(self) -> bool:
        """Tell whether nothing can have changed since the look that was confirmed last."""
        if self._process != os.getpid() or time.monotonic() >= self._until:
            return False
        if self._around() != self._before or self._happened():
            self._until = 0.0
            return False
        if any(_stamp(f"{self._root}/{name}") != at for name, at in self._seen.linked.items()):
            self._until = 0.0
            return False
        return True

    def _happened(self) -> bool:
        events = self._queue.drain() if self._queue is not None else []
        for event in events:
            self._stale |= bool(event.mask & _STRUCTURE) or event.name in _RULES
        return bool(events)

    @property
    def stale(self) -> bool:
        """Whether another one has to be made before the next look."""
        return self._stale or self._process != os.getpid()

    def look_begins(self) -> None:
        """Forget what happened so far: the look that begins now will see it."""
        self._until = 0.0
        now = self._around()
        self._stale |= now != self._before
        self._before = now
        self._happened()

    def confirm(self, seen: Seen) -> None:
        """Vouch from the last `look_begins` on for what that look has shown."""
        same = seen.repositories == self._seen.repositories
        same &= seen.brings_back == self._seen.brings_back
        if not same or not seen.directories <= self._watched or len(seen.linked) > MAX_LINKED:
            self._stale = True
        if self.stale:
            return
        self._seen = seen
        self._until = time.monotonic() + LOOK_ANYWAY_SECONDS

    def close(self) -> None:
        _standing.discard(self)
        if self._queue is not None:
            self._queue.close()
            self._queue = None


_standing: WeakSet[Sentry] = WeakSet()
"""Sentries of this process that watch."""


def _outside(root: str, repositories: Iterable[str]) -> Iterable[str]:
    """Yield files that decide about a tree and lie in none of its own directories."""
    top = repository_of(root)
    above = Path(root)
    for parent in above.parents:
        # a repository that begins, or ends, above the root
        yield f"{parent}/.git/HEAD"
        if top and (str(parent) == top or str(parent).startswith(f"{top}/")):
            yield f"{parent}/.gitignore"
    inside = [f"{root}/{name}" for name in repositories]
    for repository in [top, *inside] if top else inside:
        yield from _files_of_git(repository)
    home = os.path.expanduser("~")  # noqa: PTH111 - may fail to expand, which is no error here
    settings = os.environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
    yield from (f"{home}/.gitconfig", f"{settings}/git/config", f"{settings}/git/ignore")
    yield "/etc/gitconfig"


def _files_of_git(repository: str) -> Iterable[str]:
    """Yield index, exclude file and every configuration file of a repository."""
    places = ("index", "info/exclude", "config", "config.worktree")
    asked = [word for place in places for word in ("--git-path", place)]
    for line in (git.run(repository, "rev-parse", *asked) or b"").splitlines():
        yield (
            os.path.normpath(f"{repository}/{os.fsdecode(line)}")
            if line[:1] != b"/"
            else (os.fsdecode(line))
        )
    listed = git.run(repository, "config", "--list", "--show-origin", "-z") or b""
    for field in set(listed.split(b"\0")):
        if field.startswith(b"file:"):
            path = os.fsdecode(field.removeprefix(b"file:"))
            yield path if path.startswith("/") else f"{repository}/{path}"
    excludes = git.run(repository, "config", "--type=path", "--get", "core.excludesFile")
    if excludes:
        yield os.fsdecode(excludes).removesuffix("\n")


def _check_mounts(mountinfo: bytes, root: str) -> None:
    """Raise Unwatchable unless the root, and all that is mounted in it, reports its changes."""
    holder, kind = "", ""
    for line in os.fsdecode(mountinfo).splitlines():
        before, _, after = line.partition(" - ")
        fields, name = before.split(" "), after.partition(" ")[0]
        place = _unescaped(fields[4]).rstrip("/") if len(fields) > 4 else ""
        if place.startswith(f"{root}/") and name not in REPORTING:
            raise Unwatchable(f"{place} is of the kind {name}")
        if (root == place or root.startswith(f"{place}/")) and len(place) >= len(holder):
            holder, kind = place, name
    if kind not in REPORTING:
        raise Unwatchable(f"file system of the kind {kind or 'unknown'}")


def _unescaped(place: str) -> str:
    for code, letter in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        place = place.replace(code, letter)
    return place


class Lookout:
    """The sentry of one source: posted once looks are seen to repeat, replaced when directories
    have come or gone, and given up where the root cannot be watched."""

    def __init__(self, root: str, config: IndexConfig) -> None:
        self._root = root
        self._config = config
        self._looks = 0
        self._seen: Seen | None = None
        self._sentry: Sentry | None = None
        self._stamp = 0
        self.why_not = ""
        """Why every call has to look."""

    def holds(self, stamp: int) -> bool:
        """Tell whether the last look still holds, for a store with this stamp."""
        return self._sentry is not None and stamp == self._stamp and self._sentry.quiet()

    def look_begins(self) -> None:
        """Be called before a look, so that what changes during it is noticed by the next call."""
        if self._seen is None or self.why_not:
            return
        if self._sentry is not None and self._sentry.stale:
            self.close()
        if self._sentry is None:
            try:
                self._sentry = Sentry(self._root, self._config, self._seen)
            except Unwatchable as error:
                self.why_not = str(error)
                return
        self._sentry.look_begins()

    def look_ends(self, walk: Walk | None, stamp: int) -> None:
        """Be called after a look that found the store, at this stamp, to be like the source."""
        self._looks += 1
        if walk is None or self._looks < FIRST_LOOKS or self.why_not:
            return
        self._seen = Seen.of(walk, self._config)
        self._stamp = stamp
        if self._sentry is not None:
            self._sentry.confirm(self._seen)

    def close(self) -> None:
        if self._sentry is not None:
            self._sentry.close()
            self._sentry = None
