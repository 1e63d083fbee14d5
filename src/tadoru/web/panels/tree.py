"""The tree as sizes: what each directory and file would cost a model that reads it whole.

Decides how much of a large tree is told at once: the directories that weigh most are opened, the
others are sums, and of a long directory the small files are one. Sizes come from the index, so that
nothing is read for them.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tadoru.types import TEXTLESS, Entry
from tadoru.web.panels.base import Panel, Parameter, in_tree, plain

if TYPE_CHECKING:
    from tadoru.workspace import Workspace

BYTES_PER_TOKEN = 4
"""Measured with the default counter: Python 3.9 to 4.2, reStructuredText 4.0, JavaScript 3.4,
markup and data 2.5 to 3."""
NODES = 1_500
"""Told of one tree, about; a picture has no room for more."""
CHILDREN = 400
"""Of one directory; the smaller ones beyond that are one node."""


@dataclass(slots=True)
class _Node:
    """A file with its weight, or a directory with the sums of what lies below."""

    name: str
    path: str
    tokens: int = 0
    bytes: int = 0
    files: int = 0
    newest: int = 0
    language: str = ""
    """Of a file."""
    languages: Counter[str] | None = None
    """Of a directory: tokens by language."""
    children: list[_Node] = field(default_factory=list)

    @property
    def directory(self) -> bool:
        return self.languages is not None

    def add(self, child: _Node) -> None:
        self.children.append(child)
        self.tokens += child.tokens
        self.bytes += child.bytes
        self.files += child.files
        self.newest = max(self.newest, child.newest)
        assert self.languages is not None
        if child.languages is None:
            self.languages[child.language] += child.tokens or 1
        else:
            self.languages.update(child.languages)

    def told(self) -> dict[str, Any]:
        most = self.languages.most_common(1) if self.languages else []
        return {
            "name": self.name,
            "path": self.path,
            "kind": "directory" if self.directory else "file",
            "tokens": self.tokens,
            "bytes": self.bytes,
            "files": self.files,
            "modified": self.newest,
            "language": most[0][0] if most else self.language or "other",
        }


def _ask(workspace: Workspace, given: Mapping[str, str]) -> dict[str, Any]:
    survey = workspace.survey(in_tree(given["path"]))
    root = grown(survey.path, survey.entries)
    languages = [
        {"language": name, "tokens": count}
        for name, count in (root.languages or Counter()).most_common()
    ]
    return {
        "tree": opened(root, NODES),
        "languages": languages,
        "bytes_per_token": BYTES_PER_TOKEN,
        "index": plain(survey.index),
    }


def grown(path: str, entries: Iterable[Entry]) -> _Node:
    """Return the tree of entries that lie below a path, with sums at each directory."""
    files = [_file(entry) for entry in entries]
    if len(files) == 1 and files[0].path == path:
        return files[0]
    directories = {path: _Node(path.rpartition("/")[2], path, languages=Counter())}
    inside: dict[str, list[_Node]] = {}
    for file in files:
        inside.setdefault(file.path.rpartition("/")[0], []).append(file)
    for parent in inside:
        _make(directories, parent)
    for place, node in reversed(directories.items()):  # what lies deeper was made later
        for file in inside.get(place, ()):
            node.add(file)
        if place != path:
            directories[place.rpartition("/")[0]].add(node)
    return directories[path]


def _file(entry: Entry) -> _Node:
    return _Node(
        entry.name,
        entry.path,
        tokens=0 if entry.role in TEXTLESS else -(-entry.size // BYTES_PER_TOKEN),
        bytes=entry.size,
        files=1,
        newest=entry.mtime_ns // 1_000_000_000,
        language=entry.language or "other",
    )


def _make(directories: dict[str, _Node], path: str) -> None:
    """Add a directory and those above it that are missing, the outer ones first."""
    missing = []
    while path not in directories:
        missing.append(path)
        path = path.rpartition("/")[0]
    for place in reversed(missing):
        directories[place] = _Node(place.rpartition("/")[2], place, languages=Counter())


def opened(root: _Node, most: int) -> dict[str, Any]:
    """Return the tree as plain data, the heaviest directories opened, with about `most` nodes.

    A directory that is not opened has no `children`; what is folded is a node of kind `rest`.
    """
    told = root.told()
    heap = [(-root.tokens, root.path, root, told)] if root.directory else []
    left = most
    while heap and left > 0:
        _, _, node, row = heapq.heappop(heap)
        children = sorted(node.children, key=lambda c: (-c.tokens, -c.bytes, c.name))
        shown = children[: min(CHILDREN, max(left, 1))]
        row["children"] = []
        for child in shown:
            inner = child.told()
            row["children"].append(inner)
            if child.directory:
                heapq.heappush(heap, (-child.tokens, child.path, child, inner))
        if len(children) > len(shown):
            row["children"].append(_rest(children[len(shown) :]))
        left -= len(shown)
    return told


def _rest(folded: list[_Node]) -> dict[str, Any]:
    files = sum(node.files for node in folded)
    return {
        "name": f"{len(folded)} smaller ones",
        "path": "",
        "kind": "rest",
        "tokens": sum(node.tokens for node in folded),
        "bytes": sum(node.bytes for node in folded),
        "files": files,
        "modified": max(node.newest for node in folded),
        "language": "other",
    }


TREE = Panel(
    "tree",
    "Directories and files with what they weigh in tokens, their language and their age.",
    (Parameter("path", "a directory of the tree"),),
    _ask,
)
