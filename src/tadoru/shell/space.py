"""What a path means inside the shell: the visible tree, a scratch `/tmp`, a few devices.

Paths in here have no leading slash and the root is `""`, as everywhere else. The tree always wins:
where it has an entry, neither scratch nor devices exist, so a hidden entry and a missing one give
the same answers. Scratch and devices are reachable by name but never listed at the root. Writes
succeed below `/tmp` and on devices, and are refused as read-only everywhere else.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Iterator
from dataclasses import replace

from tadoru.errors import (
    IsADirectoryHere,
    NotADirectoryHere,
    PathNotFound,
    TadoruError,
)
from tadoru.shell.scratch import Scratch
from tadoru.tree import MAX_LINK_HOPS
from tadoru.types import Entry, Kind
from tadoru.views import View

STRERROR = {
    "ENOENT": "No such file or directory",
    "ENOTDIR": "Not a directory",
    "EISDIR": "Is a directory",
    "EROFS": "Read-only file system",
    "EEXIST": "File exists",
    "ENOTEMPTY": "Directory not empty",
    "ENOSPC": "No space left on device",
    "EACCES": "Permission denied",
    "EINVAL": "Invalid argument",
    "EFBIG": "File too large",
    "ENAMETOOLONG": "File name too long",
    "ELOOP": "Too many levels of symbolic links",
    "EXDEV": "Invalid cross-device link",
}
"""The words of the C library for the errno names of our errors."""

SINKS = frozenset({"dev/null", "dev/zero", "dev/full", "dev/random", "dev/urandom", "dev/tty"})
"""Character devices. `/dev/fd` holds what bashkit puts there for process substitution."""
ENDLESS = SINKS - {"dev/null", "dev/tty"}
DEVICE_BYTES = 1 << 20
"""How much a read of an endless device gives: bashkit reads whole files."""
PROC_FILES = {
    "proc/self/status": b"Name:\tbash\nState:\tR (running)\nPid:\t1\nPPid:\t0\n",
    "proc/version": b"tadoru shell (read-only tree)\n",
    "proc/mounts": b"tadoru / tadoru ro 0 0\ntmpfs /tmp tmpfs rw 0 0\n",
}
"""The little of `/proc` that scripts probe. Nothing of the host is in it."""
MAX_NAME_BYTES = 255


_WITH_PATH = re.compile(r"^[^:\s]+: ")


def strerror(error: TadoruError) -> str:
    """Return the C library's words for one of our errors; of others, the message without the path
    at its beginning, which whoever complains names himself."""
    words = STRERROR.get(error.errno_name)
    return words if words is not None else _WITH_PATH.sub("", error.message)


class NameTooLong(TadoruError):
    """A component of a path is longer than 255 bytes."""

    code = "bad_input"
    errno_name = "ENAMETOOLONG"


class FileTooLarge(TadoruError):
    """A file has more bytes than one read returns."""

    code = "too_large"
    errno_name = "EFBIG"


def normalize(path: str, cwd: str) -> str:
    """Return the tree path for a path as it is written, relative to `cwd` (`/` or `/a/b`).

    Lexical, as a shell's own `cd` is: `..` drops the component before it, and never leaves `/`.
    """
    parts: list[str] = []
    full = path if path.startswith("/") else f"{cwd}/{path}"
    for part in full.split("/"):
        if part == "..":
            if parts:
                parts.pop()
        elif part and part != ".":
            parts.append(part)
    return "/".join(parts)


class Space:
    """The file names of one command line: a view's tree, and the session's scratch."""

    def __init__(self, view: View, scratch: Scratch, *, raw: bool = False) -> None:
        self.view = view
        self.raw = raw
        """Whether an interpreter over it sees bytes as they are (see `lossless`)."""
        self.tree = view.tree
        self.scratch = scratch
        self.started_ns = time.time_ns()
        self.notes: set[str] = set()
        """What was cut on the way, for the end of stderr."""

    # -- names ---------------------------------------------------------------------------------

    def find(self, path: str, *, follow: bool = True) -> Entry | None:
        """Return the entry at a path, or None. `follow`: also through a link at the very end."""
        tree = self.tree
        entry = tree.get(path)
        if entry is not None and (entry.kind is not Kind.LINK or not follow):
            return entry
        if entry is None and not follow:
            parent, _, name = path.rpartition("/")
            holder = tree.resolve(parent)
            inner = f"{holder.path}/{name}" if holder is not None and holder.path else name
            if holder is not None and (found := tree.get(inner)) is not None:
                return found
        resolved = tree.resolve(path)
        if resolved is not None:
            return resolved
        for _ in range(MAX_LINK_HOPS):
            further = self.scratch.followed(path, last=follow)
            if further == path:
                return self._virtual(path)
            path = further
            if (found := self.tree.resolve(path)) is not None:
                return found
        return None

    def _virtual(self, path: str) -> Entry | None:
        first = path.partition("/")[0]
        if first == "tmp" or path.startswith("dev/fd/"):
            return self.scratch.entry(path)
        if path in SINKS or path in PROC_FILES:
            size = len(PROC_FILES.get(path, b""))
            return Entry(path=path, kind=Kind.FILE, size=size, mtime_ns=self.started_ns)
        if path in ("dev", "dev/fd", "proc", "proc/self"):
            return Entry(path=path, kind=Kind.DIRECTORY, mtime_ns=self.started_ns)
        return None

    def lookup(self, path: str, *, follow: bool = True) -> Entry:
        """Return the entry at a path; raises PathNotFound or NotADirectoryHere as the OS would."""
        entry = self.find(path, follow=follow)
        if entry is not None:
            return entry
        parent = path
        while parent:
            if len(parent.rpartition("/")[2].encode("utf-8", "surrogatepass")) > MAX_NAME_BYTES:
                raise NameTooLong(f"{path}: file name too long")
            parent = parent.rpartition("/")[0]
            holder = self.find(parent)
            if holder is not None:
                if holder.kind is Kind.FILE:
                    raise NotADirectoryHere(f"{path}: not a directory")
                break
        raise PathNotFound(f"{path}: no such file or directory")

    def is_directory(self, path: str) -> bool:
        entry = self.find(path)
        return entry is not None and entry.kind is Kind.DIRECTORY

    def children(self, path: str) -> list[str]:
        """Return the sorted names in a directory (links to it followed); empty when it is none."""
        if self.tree.is_dir(path) and not path.startswith("tmp"):
            return self.tree.children(path)
        entry = self.find(path)
        if entry is None or entry.kind is not Kind.DIRECTORY:
            return []
        names = list(self.tree.children(entry.path))
        first = entry.path.partition("/")[0]
        if first == "tmp" or entry.path == "dev/fd":
            names = sorted({*names, *self.scratch.children(entry.path)})
        elif entry.path in ("dev", "proc", "proc/self") and not self.tree.is_dir(entry.path):
            prefix = entry.path + "/"
            known = (*SINKS, *PROC_FILES)
            names = sorted({p[len(prefix) :].partition("/")[0] for p in known if prefix in p})
        return names

    def entries(self, path: str) -> Iterator[Entry]:
        """Yield what lies in a directory, sorted by name, links not followed, under `path`."""
        tree = self.tree
        if tree.is_dir(path) and path.partition("/")[0] != "tmp":
            prefix = path + "/" if path else ""
            for name in tree.children(path):
                child = tree.get(prefix + name)
                if child is not None:
                    yield child
            return
        entry = self.find(path)
        base = entry.path if entry is not None else path
        for name in self.children(path):
            inner = f"{base}/{name}" if base else name
            found = self.find(inner, follow=False)
            if found is not None:
                outer = f"{path}/{name}" if path else name
                yield found if found.path == outer else replace(found, path=outer)

    # -- content -------------------------------------------------------------------------------

    def read(self, path: str, *, start: int = 0, size: int = -1) -> bytes:
        """Return bytes of a file, links followed.

        Raises PathNotFound, NotADirectoryHere, IsADirectoryHere.
        """
        entry = self.lookup(path)
        if entry.kind is Kind.DIRECTORY:
            raise IsADirectoryHere(f"{path}: is a directory")
        if entry.path in self.tree:
            data = self.view.read(entry.path, start=start, size=size)
            if data is None:
                raise PathNotFound(f"{path}: no such file or directory")
            return data
        if entry.path in SINKS:
            if size < 0 and entry.path in ENDLESS:
                self.notes.add(f"tadoru: /{entry.path} ends after {DEVICE_BYTES >> 20} MiB here\n")
            return self._device_bytes(entry.path, size)
        data = PROC_FILES.get(entry.path)
        if data is None:
            data = self.scratch.read(entry.path)
        return data[start:] if size < 0 else data[start : start + size]

    @staticmethod
    def _device_bytes(path: str, size: int) -> bytes:
        count = DEVICE_BYTES if size < 0 else min(size, DEVICE_BYTES)
        if path in ("dev/zero", "dev/full"):
            return bytes(count)
        return secrets.token_bytes(count) if path.endswith("random") else b""

    def link_text(self, path: str) -> str:
        """Return what a link leads to, relative to its own directory as `readlink` shows it.

        Raises PathNotFound when there is no such link.
        """
        entry = self.find(path, follow=False)
        if entry is None or entry.kind is not Kind.LINK:
            raise PathNotFound(f"{path}: not a symbolic link")
        return self.scratch.link(entry.path) or link_text(entry)


def link_text(link: Entry) -> str:
    """Return a link's target relative to the directory in which the link lies."""
    here = link.path.split("/")[:-1]
    there = link.target.split("/") if link.target else []
    shared = 0
    while shared < min(len(here), len(there)) and here[shared] == there[shared]:
        shared += 1
    return "/".join([".."] * (len(here) - shared) + there[shared:]) or "."
