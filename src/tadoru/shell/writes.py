"""Every change that the shell allows: below `/tmp`, and into devices that swallow it.

Everything else is a read-only file system, and says so in the error that the C library has for it.
The checks come in the order in which the kernel makes them, because scripts look at the words.
"""

from __future__ import annotations

from tadoru.errors import IsADirectoryHere, NotADirectoryHere, ReadOnly, TadoruError
from tadoru.shell.scratch import Exists
from tadoru.shell.space import SINKS, Space
from tadoru.types import Kind


class CrossDevice(TadoruError):
    """A second name would lie on another file system."""

    errno_name = "EXDEV"


def writable(space: Space, path: str) -> bool:
    """Tell whether a write may go there at all."""
    if path in space.tree:
        return False
    if path in SINKS or path.startswith("dev/fd/"):
        return True
    parent = path.rpartition("/")[0]
    return path.startswith("tmp/") and (parent == "tmp" or parent not in space.tree)


def require_writable(space: Space, path: str) -> None:
    """Raise ReadOnly unless a write may go there."""
    if not writable(space, path):
        raise ReadOnly(f"{path}: read-only file system")


def _require_parent(space: Space, path: str) -> None:
    parent = space.lookup(path.rpartition("/")[0])
    if parent.kind is not Kind.DIRECTORY:
        raise NotADirectoryHere(f"{path}: not a directory")


def write(space: Space, path: str, data: bytes, *, append: bool = False) -> None:
    """Write a file. Raises ReadOnly, IsADirectoryHere, PathNotFound, StoreFull."""
    entry = space.find(path)
    target = entry.path if entry is not None else path
    if target in SINKS and target not in space.tree:
        return
    if entry is not None and entry.kind is Kind.DIRECTORY:
        raise IsADirectoryHere(f"{path}: is a directory")
    if entry is None:
        _require_parent(space, path)
    require_writable(space, target)
    space.scratch.write(target, data, append=append)


def make_directory(space: Space, path: str, *, parents: bool = False) -> None:
    """Make a directory. `parents`: also those above it, and no error when it is there."""
    entry = space.find(path)
    if entry is not None:
        if parents and entry.kind is Kind.DIRECTORY:
            return
        raise Exists(f"{path}: file exists")
    if parents:
        above = path.rpartition("/")[0]
        make_directory(space, above, parents=True)
    _require_parent(space, path)
    require_writable(space, path)
    space.scratch.make_directory(path)


def remove(space: Space, path: str, *, recursive: bool = False) -> None:
    """Remove a file or directory. Raises PathNotFound, ReadOnly, NotEmpty."""
    entry = space.lookup(path, follow=False)
    require_writable(space, entry.path)
    if entry.path in SINKS:
        raise ReadOnly(f"{path}: read-only file system")
    space.scratch.remove(entry.path, recursive=recursive)


def rename(space: Space, source: str, target: str) -> None:
    """Move a scratch file or directory to another scratch name."""
    entry = space.lookup(source, follow=False)
    require_writable(space, entry.path)
    _require_parent(space, target)
    require_writable(space, target)
    space.scratch.rename(entry.path, target)


def change_mode(space: Space, path: str, mode: int) -> None:
    """Change the permission bits of a scratch file."""
    entry = space.lookup(path)
    require_writable(space, entry.path)
    space.scratch.change_mode(entry.path, mode)


def make_link(space: Space, path: str, text: str) -> None:
    """Make a symbolic link that says `text`."""
    _new_name(space, path)
    space.scratch.make_link(path, text)


def make_name(space: Space, source: str, path: str) -> None:
    """Give a scratch file another name. Raises PathNotFound, ReadOnly, CrossDevice."""
    entry = space.lookup(source, follow=False)
    _new_name(space, path)
    if not writable(space, entry.path):
        raise CrossDevice(f"{path}: not on the file system of {source}")
    space.scratch.make_name(path, entry.path)


def _new_name(space: Space, path: str) -> None:
    if space.find(path, follow=False) is not None:
        raise Exists(f"{path}: file exists")
    _require_parent(space, path)
    require_writable(space, path)
