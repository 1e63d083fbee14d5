"""A missing path, looked at for a few milliseconds: same names elsewhere, near names beside it.

What a hook does where no server runs. It knows no index: it walks the repository for a bounded
number of entries and finds nothing rather than something unconvincing.
"""

# pathlib would cost a sixth of the time that a hook has
# ruff: noqa: PTH110, PTH118, PTH119, PTH120

from __future__ import annotations

import os
import time
from collections.abc import Iterator

MAX_ENTRIES = 20_000
"""Directory entries looked at, at most."""
MAX_CPU_SECONDS = 0.031
"""Time of the whole process after which no further directory is looked into."""
LEAST_ENTRIES = 1_000
LEAST_SIBLINGS = 100
"""Looked at and compared however slow the machine is."""
MAX_SHOWN = 3
NEAR = 0.5
"""Dice similarity of letter pairs from which a sibling's name counts as meant."""
_SKIPPED = frozenset({"node_modules", "__pycache__", "venv", "target", "dist", "build"})
_SECRET_ENDINGS = (".pem", ".key")
_SECRET_STARTS = (".env", "id_", ".netrc", ".npmrc")


def nearby(path: str, cwd: str) -> list[str]:
    """Return absolute paths that a missing one may have meant, best first; empty when it is there.

    `path`: as the agent wrote it, absolute or relative to `cwd`.
    """
    if "\0" in path or len(path) > 4_096:
        return []
    full = os.path.normpath(os.path.join(cwd, path))
    if os.path.lexists(full):
        return []
    root = _repository(os.path.normpath(cwd))
    if not (full + "/").startswith(root + "/"):
        return []
    return (_same_name(full, root) or _siblings(full))[:MAX_SHOWN]


def sentence(path: str, found: list[str], cwd: str, *, kind: str = "") -> str:
    """Return one line for a path that failed and those that may have been meant (absolute).

    `kind`: `is_a_directory` when it is there, but no file.
    """
    shown = ", ".join(_shown(item, cwd) for item in found[:MAX_SHOWN])
    what = "is a directory" if kind == "is_a_directory" else "does not exist"
    return f"{_printable(path)} {what}. Did you mean: {shown}?"


def _repository(cwd: str) -> str:
    directory = cwd
    while True:
        if os.path.exists(os.path.join(directory, ".git")):
            return directory
        parent = os.path.dirname(directory)
        if parent == directory:
            return cwd
        directory = parent


def _same_name(full: str, root: str) -> list[str]:
    """Return files and directories of the same name, those that share most of the path first."""
    name = os.path.basename(full)
    if _is_secret(name):
        return []
    wanted = full.split("/")
    found: list[tuple[int, str]] = []
    for path in _walk(root, name):
        parts = set(path.split("/"))
        found.append((-sum(part in parts for part in wanted), path))
    return [path for _, path in sorted(found)]


def _walk(root: str, wanted: str) -> Iterator[str]:
    """Yield the paths of one name breadth first, without what is hidden or generated.

    Ends after so many entries, or when the process has had its time: a look that is too short
    finds nothing, and a hook that is too long is felt.
    """
    seen = 0
    level = [root]
    while level:
        below: list[str] = []
        for directory in level:
            if seen > MAX_ENTRIES or (
                seen > LEAST_ENTRIES and time.process_time() > MAX_CPU_SECONDS
            ):
                return
            try:
                with os.scandir(directory) as entries:
                    for entry in entries:
                        seen += 1
                        name = entry.name
                        is_directory = entry.is_dir(follow_symlinks=False)
                        if is_directory and (name[0] == "." or name in _SKIPPED):
                            continue
                        if name == wanted:
                            yield f"{directory}/{name}"
                        if is_directory:
                            below.append(f"{directory}/{name}")
            except OSError:
                continue
        level = below


def _is_secret(name: str) -> bool:
    return name.startswith(_SECRET_STARTS) or name.endswith(_SECRET_ENDINGS)


def _names(directory: str) -> list[str]:
    """Return what lies in a directory, without what is hidden, generated or secret."""
    found: list[str] = []
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                name = entry.name
                if _is_secret(name):
                    continue
                hidden = name.startswith(".") or name in _SKIPPED
                if not (hidden and entry.is_dir(follow_symlinks=False)):
                    found.append(name)
                if len(found) >= MAX_ENTRIES:
                    break
    except OSError:
        pass
    return found


def _siblings(full: str) -> list[str]:
    """Return near names in the directory that was meant, when it exists."""
    directory, name = os.path.split(full)
    pairs = _pairs(name)
    near: list[tuple[float, str]] = []
    for number, sibling in enumerate(_names(directory)):
        if number > LEAST_SIBLINGS and time.process_time() > MAX_CPU_SECONDS:
            break
        score = _dice(pairs, _pairs(sibling))
        if score >= NEAR:
            near.append((-score, f"{directory}/{sibling}"))
    return [path for _, path in sorted(near)]


def _pairs(name: str) -> list[str]:
    """Return the letter pairs of a name without its ending, case folded."""
    stem = "^" + (name.rpartition(".")[0] or name).lower() + "$"
    return [stem[i : i + 2] for i in range(len(stem) - 1)]


def _dice(one: list[str], other: list[str]) -> float:
    """Dice 1945: twice the common pairs over all pairs."""
    rest = list(other)
    common = 0
    for pair in one:
        if pair in rest:
            rest.remove(pair)
            common += 1
    return 2 * common / (len(one) + len(other))


def _shown(path: str, cwd: str) -> str:
    inside = path.startswith(cwd.rstrip("/") + "/")
    return _printable(os.path.relpath(path, cwd) if inside else path)


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)
