"""Answers that need no capability: the lines of a file, counts of a view, sums of reports."""

from __future__ import annotations

import os
import posixpath
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from tadoru.errors import BadInput, IsADirectoryHere, OutsideRoots, PathNotFound
from tadoru.models.base import TokenCounter
from tadoru.types import EmbeddingReport, IndexReport, IndexState, ReadAnswer, Resolution, to_json
from tadoru.views import View

MAX_PATH = 4_096
"""Characters of a path (PATH_MAX of Linux)."""


def inside(view: View, path: str) -> str:
    """Turn a path as people write it into one of the tree; whether it exists is not asked.

    Raises: `BadInput` for what cannot be a path, `OutsideRoots` for what leads out of the tree.
    """
    if not path or "\0" in path or len(path) > MAX_PATH:
        raise BadInput("a path must have 1 to 4,096 characters and no NUL byte")
    if path.startswith("/"):
        local = view.from_host(posixpath.normpath(path))
        if local is not None:
            return local
    clean = posixpath.normpath(path.lstrip("/"))
    if clean == ".." or clean.startswith("../"):
        raise OutsideRoots(f"{path}: leads outside the tree", hint="paths start at its root")
    clean = "" if clean == "." else clean
    if path.startswith("/") and clean.partition("/")[0] not in view.tree:
        hint = "served: " + ", ".join(root or "/" for root in view.roots.values())
        raise OutsideRoots(f"{path}: outside all roots", hint=hint)
    return clean


def read(
    view: View,
    path: str,
    *,
    counter: TokenCounter,
    start: int = 1,
    end: int | None = None,
    budget: int | None = None,
) -> ReadAnswer:
    """Read lines of a file of the view (see `window`).

    Raises: `PathNotFound`, `IsADirectoryHere`, `BadInput` when it is not text.
    """
    entry = view.entry(path)
    if entry is None:
        raise PathNotFound(f"{path}: no such file or directory")
    if entry.is_dir:
        raise IsADirectoryHere(f"{path or '/'}: is a directory", hint="list it instead")
    text = view.text(entry.path)
    if text is None:
        raise BadInput(f"{path}: not a text file", hint="the shell's `cat` gives its bytes")
    piece = window(text, start=start, end=end, budget=budget, counter=counter)
    return replace(piece, path=path, host_path=view.host_path(entry.path))


def seen(view: View, paths: Iterable[str]) -> list[str]:
    """Return those of the paths that the tree shows, as it calls them."""
    inner = (view.from_host(p) if p.startswith("/") else p.strip("/") for p in paths)
    return [path for path in inner if path and path in view.tree]


def exists_now(view: View, path: str) -> bool:
    """Tell whether a path of the tree exists at this moment, not only when it was indexed."""
    host = view.host_path(path)
    return os.path.lexists(host) if host else view.entry(path) is not None


def with_host_paths(answer: Resolution, view: View) -> Resolution:
    """Return a resolution that also says where its paths lie on this machine."""
    return replace(
        answer,
        host_path=view.host_path(answer.path) if answer.status == "resolved" else "",
        candidates=tuple(replace(c, host_path=view.host_path(c.path)) for c in answer.candidates),
    )


def not_found(path: str, resolution: Resolution | None) -> PathNotFound:
    """Return the error for a path that no resolution could save, with what it found."""
    if resolution is None or not resolution.candidates:
        reason = resolution.reason if resolution is not None else ""
        return PathNotFound(f"{path}: no such file or directory", hint=reason)
    names = ", ".join(candidate.path for candidate in resolution.candidates)
    return PathNotFound(f"{path}: no such file or directory", hint=f"did you mean {names}?")


def window(
    text: str, *, start: int, end: int | None, budget: int | None, counter: TokenCounter
) -> ReadAnswer:
    """Return the lines `start` to `end` of a text (1-based, included), cut at `budget` tokens.

    A line that alone is over the budget is cut too, and shown.
    Raises: `BadInput` for a window that cannot be one.
    """
    lines = _lines(text)
    last = len(lines) if end is None else min(end, len(lines))
    if start < 1 or (end is not None and end < start):
        raise BadInput(f"lines {start} to {end} are no window", hint="lines count from 1")
    kept: list[str] = []
    left = budget if budget is not None else -1
    for line in lines[start - 1 : last]:
        if budget is not None:
            left -= counter.count(line)
            if left < 0:
                break
        kept.append(line)
    wanted = max(0, last - start + 1)
    if not kept and wanted and budget is not None:
        kept = [_beginning(lines[start - 1], budget, counter)]
    cut = len(kept) < wanted or (wanted == 1 and kept[0] != lines[start - 1])
    return ReadAnswer(
        path="",
        text="".join(kept),
        start_line=start,
        end_line=start + len(kept) - 1,
        total_lines=len(lines),
        truncated=cut,
    )


def _beginning(line: str, budget: int, counter: TokenCounter) -> str:
    """Return as much of a line as a budget holds, to within a sixteenth."""
    low, high = 0, len(line)
    while high - low > max(1, low // 16):
        middle = (low + high) // 2
        low, high = (middle, high) if counter.count(line[:middle]) <= budget else (low, middle)
    return line[:low]


def _lines(text: str) -> list[str]:
    """Split at LF alone, as git, grep and the index count lines."""
    lines = text.split("\n")
    tail = lines.pop()
    result = [line + "\n" for line in lines]
    return [*result, tail] if tail else result


def total(reports: Sequence[IndexReport]) -> IndexReport:
    """Add the counts of several reports; names and lists are put one after the other."""
    first, *rest = reports
    for other in rest:
        first = replace(
            first,
            root=f"{first.root}, {other.root}",
            added=first.added + other.added,
            changed=first.changed + other.changed,
            deleted=first.deleted + other.deleted,
            unchanged=first.unchanged + other.unchanged,
            languages=dict(Counter(first.languages) + Counter(other.languages)),
            skipped=_joined(first.skipped, other.skipped),
            notes=(*first.notes, *other.notes),
            errors=(*first.errors, *other.errors),
            chunks=first.chunks + other.chunks,
            symbols=first.symbols + other.symbols,
            seconds=first.seconds + other.seconds,
            source_bytes=first.source_bytes + other.source_bytes,
            index_bytes=first.index_bytes + other.index_bytes,
            complete=first.complete and other.complete,
            embedding=_embedded(first.embedding, other.embedding),
        )
    return first


def _embedded(
    first: EmbeddingReport | None, other: EmbeddingReport | None
) -> EmbeddingReport | None:
    if first is None or other is None:
        return first or other
    return replace(
        first,
        made=first.made + other.made,
        reused=first.reused + other.reused,
        refused=first.refused + other.refused,
        waiting=first.waiting + other.waiting,
        waiting_files=first.waiting_files + other.waiting_files,
        files=first.files + other.files,
        bytes=first.bytes + other.bytes,
        tokens=first.tokens + other.tokens,
        reason=first.reason or other.reason,
        needs_consent=first.needs_consent or other.needs_consent,
        notes=(*first.notes, *other.notes),
    )


def _joined(one: Any, other: Any) -> dict[str, list[str]]:
    return {key: [*one.get(key, ()), *other.get(key, ())] for key in {**one, **other}}


def statistics(view: View, state: IndexState) -> dict[str, Any]:
    """Return counts of what the asker sees, and the state of the index."""
    languages: Counter[str] = Counter()
    roles: Counter[str] = Counter()
    size = pending = 0
    for entry in view.tree.entries():
        languages[entry.language or "other"] += 1
        roles[entry.role.value] += 1
        size += entry.size
        pending += not entry.indexed
    _, symbols = view.symbols(limit=0)
    return {
        "files": len(view.tree),
        "directories": len(view.tree.directories),
        "bytes": size,
        "symbols": symbols,
        "not_indexed": pending,
        "languages": dict(languages.most_common()),
        "roles": dict(roles.most_common()),
        "roots": {f"/{place}": root for place, root in view.roots.items()},
        "index": to_json(state),
    }
