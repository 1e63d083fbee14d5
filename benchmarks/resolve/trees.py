"""Views over plain lists of paths, and the cases that are resolved against them.

The benchmark needs names only: a view of a list answers `tree`, `ignored`, `symbols` and the like
without a store.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tadoru.tree import Tree
from tadoru.types import Entry, IndexState, Kind, Symbol


class ListView:
    """What the resolver asks of a View, over a list of files."""

    def __init__(self, files: Iterable[str], size: int = 0) -> None:
        """`size`: bytes of each file; 0 where nobody knows."""
        self.tree = Tree(Entry(path=path, kind=Kind.FILE, size=size) for path in files if path)
        self.roots = {"": ""}

    def from_host(self, host_path: str) -> str | None:
        return None

    def host_path(self, path: str) -> str:
        return ""

    def entry(self, path: str) -> Entry | None:
        return self.tree.resolve(path)

    def ignored(self, path: str) -> str:
        return ""

    def symbols(self, **_: Any) -> tuple[list[Symbol], int]:
        return [], 0

    def read(self, path: str, *, start: int = 0, size: int = -1) -> bytes | None:
        return None

    def state(self) -> IndexState:
        return IndexState()


@dataclass(frozen=True)
class Case:
    """One wrong path with its right answers; none of them means absent."""

    id: str
    kind: str
    project: str
    path: str
    truth: tuple[str, ...]
    op: str = "read"
    cwd: str = ""
    intent: str = ""
    history: tuple[str, ...] = ()
    weight: float = field(default=1.0, compare=False)


OPS = {
    "read": "read", "open": "read", "bash:cat": "read", "edit": "read",
    "grep": "search", "bash:grep": "search", "search_dir": "search", "find_file": "search",
    "glob": "search", "bash:ls": "list", "ls": "list", "bash:cd": "list", "bash:": "stat",
}  # fmt: skip
"""The operations of the recorded agents in the resolver's words."""


def lines(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").split("\n") if line]


def _exists(row: dict[str, Any], known: set[str]) -> bool:
    return row["failed_path"].removeprefix(row["cwd"].rstrip("/") + "/").strip("/") in known


def real_cases(data: Path, extra: Path | None = None) -> list[tuple[Case, Sequence[str], bool]]:
    """Return (case, file list, has an answer in the tree) for the recorded failures.

    Left out, because the list at hand cannot give the right answer: a case whose answer lies
    outside the workspace or is not in the list, and one without an answer whose path the list has.
    """
    trees = json.loads((data / "real_dev_trees.json").read_text(encoding="utf-8"))
    result = []
    for line in lines(data / "real_dev.jsonl"):
        row = json.loads(line)
        files = trees.get(row["project_commit"] or "") or trees.get(row["project"])
        if files is None:
            name = row["project"].rpartition("/")[2]
            for folder, pattern in ((data, f"real_dev_list_{name}.txt"), (extra, f"{name}.txt")):
                if folder is not None and (folder / pattern).exists():
                    files = lines(folder / pattern)
                    break
        if files is None:
            continue
        known = set(files)
        directories = {f[:i] for f in files for i, c in enumerate(f) if c == "/"}
        truth = tuple(t for t in row["truth"] if t in known or t in directories)
        if row["truth"] and not truth:
            continue
        if not row["truth"] and _exists(row, known | directories):
            continue
        case = Case(
            id=row["id"],
            kind=row["class"],
            project=row["project"],
            path=row["failed_path"],
            truth=truth,
            op=OPS[row["op"]],
            cwd=row["cwd"],
            intent=row["intent"],
            history=tuple(row["history"]),
        )
        result.append((case, files, bool(truth)))
    return result
