"""Where a path went, by the history of a git repository.

Decides how renames and deletions chain. Refuses to fail: without git, without a repository, or
when time runs out, there is no answer. Git runs through `tadoru.git`, so that the repository's own
configuration executes nothing, and only when nothing in the tree fits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from tadoru import git

TIMEOUT_SECONDS = 5.0
"""For the one question that each state of a repository is asked: 0.3 to 0.7 s of CPU."""
COMMITS = 2_000
"""Commits looked through, newest first."""
MAX_BYTES = 8 * 1024 * 1024
FEW_MOVED = 4
"""A directory went elsewhere when at least one file for so many deleted ones did."""
MAX_HOPS = 20
"""Renames followed for one path."""


def renames(root: str, path: str) -> tuple[str, ...]:
    """Return the path that a file or directory below `root` has now, by version control.

    `root`: a directory on this machine, inside a git work tree; `path`: relative to it. The answer
    is `("",)` when the path was deleted, and empty when the history does not know it.
    """
    head = git.run(root, "rev-parse", "--verify", "HEAD", timeout=TIMEOUT_SECONDS)
    return follow(_moves(str(root), head), path) if head else ()


@lru_cache(maxsize=16)
def _moves(root: str, head: bytes) -> Mapping[str, str]:
    log = git.run(
        root,
        "log",
        f"--max-count={COMMITS}",
        "--format=",
        "--name-status",
        "-z",
        "--find-renames",
        "--diff-filter=RD",
        "--relative",
        "--end-of-options",
        head.decode("ascii").strip(),
        timeout=TIMEOUT_SECONDS,
    )
    return parse((log or b"")[:MAX_BYTES])


def parse(log: bytes) -> dict[str, str]:
    """Return old path -> new path, `""` for a deletion, from `--name-status -z`, newest first."""
    moves: dict[str, str] = {}
    fields = iter(field.decode("utf-8", "surrogateescape") for field in log.split(b"\0"))
    for status in fields:
        status = status.strip("\n")
        if status.startswith("R"):
            old, new = next(fields, ""), next(fields, "")
            if old and new:
                moves.setdefault(old, new)
        elif status == "D":
            old = next(fields, "")
            if old:
                moves.setdefault(old, "")
    return moves


def follow(moves: Mapping[str, str], path: str) -> tuple[str, ...]:
    """Return where a path is now; a directory leads to where most of the files right in it went.

    Chains are followed from old to new; a cycle ends where it began to repeat.
    """
    if path in moves:
        return (_chase(moves, path),)
    prefix = path.rstrip("/") + "/"
    inside = [old for old in moves if old.startswith(prefix)]
    if not inside:
        return ()
    inside = [old for old in inside if "/" not in old[len(prefix) :]] or inside
    return _directories((old[len(prefix) :], _chase(moves, old)) for old in inside)


def _chase(moves: Mapping[str, str], path: str) -> str:
    seen = {path}
    for _ in range(MAX_HOPS):
        following = moves.get(path)
        if following is None or following in seen:
            return path
        if not following:
            return ""
        path = following
        seen.add(path)
    return path


def _directories(moved: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    counts: dict[str, int] = {}
    for below, new in moved:
        if not new:
            counts[""] = counts.get("", 0) + 1
        elif new.endswith("/" + below):
            directory = new[: -len(below) - 1]
            counts[directory] = counts.get(directory, 0) + 1
    deleted = counts.pop("", 0)
    best = sorted(counts, key=lambda d: (-counts[d], d))[:1]
    if best and counts[best[0]] * FEW_MOVED >= deleted:
        return tuple(best)
    return ("",) if deleted else ()
