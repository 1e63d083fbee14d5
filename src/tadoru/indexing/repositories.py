"""Where a git repository begins, and which checkouts share one. Reads `.git` entries only."""

from __future__ import annotations

import os
from pathlib import Path

from tadoru import git

_POINTER_BYTES = 8 * 1024
"""A `.git` file holds one path."""


def repository_of(directory: str) -> str:
    """Return the nearest directory at or above `directory` that holds `.git`; else empty."""
    current = directory.rstrip("/") or "/"
    while True:
        if os.path.lexists(f"{current.rstrip('/')}/.git"):
            return current
        parent = os.path.dirname(current)  # noqa: PTH120 - names may not be UTF-8
        if parent == current:
            return ""
        current = parent


def in_repository(directory: str) -> bool:
    return bool(repository_of(directory))


def works_here(directory: str) -> bool:
    """Tell whether git takes the directory's repository for its work tree.

    A repository's configuration can point `core.worktree` anywhere.
    """
    top = git.run(directory, "rev-parse", "--show-toplevel")
    return top is not None and os.fsdecode(top).removesuffix("\n") == repository_of(directory)


def common_directory(directory: str) -> str:
    """Return the git directory that all worktrees of a checkout share; empty outside git."""
    top = repository_of(directory)
    if not top:
        return ""
    entry = Path(top) / ".git"
    if entry.is_dir():
        return os.path.realpath(entry)
    pointer = _first_line(entry).removeprefix("gitdir:").strip()
    own = Path(top) / pointer
    shared = _first_line(own / "commondir")
    return os.path.realpath(own / shared if shared else own)


def _first_line(path: Path) -> str:
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as stream:
            data = stream.read(_POINTER_BYTES)
    except OSError:
        return ""
    return os.fsdecode(data).partition("\n")[0].strip()
