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
    """A directory or a file with the sums of what lies below."""

    name: str
    path: str
    directory: bool
    tokens: int = 0
    bytes: int = 0
    files: int = 0
    newest: int = 0
    languages: Counter[str] = field(default_factory=Counter)
    children: dict[str, _Node] = field(default_factory=dict)

    def add(self, entry: Entry, tokens: int) -> None:
        self.tokens += tokens
        self.bytes += entry.size
        self.files += 1
        self.newest = max(self.newest, entry.mtime_ns // 1_000_000_000)
        self.languages[entry.language or "other"] += tokens or 1

    def told(self) -> dict[str, Any]:
        languages = self.languages.most_common(1)
        return {
            "name": self.name,
            "path": self.path,
            "kind": "directory" if self.directory else "file",
            "tokens": self.tokens,
            "bytes": self.bytes,
            "files": self.files,
            "modified": self.newest,
            "language": languages[0][0] if languages else "other",
        }


def _ask(workspace: Workspace, given: Mapping[str, str]) -> dict[str, Any]:
    survey = workspace.survey(in_tree(given["path"]))
    root = grown(survey.path, survey.entries)
    languages = [
        {"language": name, "tokens": count} for name, count in root.languages.most_common()
    ]
    return {
        "tree": opened(root, NODES),
        "languages": languages,
        "bytes_per_token": BYTES_PER_TOKEN,
        "index": plain(survey.index),
    }


def grown(path: str, entries: Iterable[Entry]) -> _Node:
    """Return the tree of entries that lie below a path, with sums at each directory."""
    root = _Node(path.rpartition("/")[2], path, directory=True)
    skip = len(path) + 1 if path else 0
    for entry in entries:
        tokens = 0 if entry.role in TEXTLESS else -(-entry.size // BYTES_PER_TOKEN)
        root.add(entry, tokens)
        if entry.path == path:
            root.directory = False
            continue
        node, end = root, skip
        while end >= 0:
            start, end = end, entry.path.find("/", end)
            name = entry.path[start:] if end < 0 else entry.path[start:end]
            child = node.children.get(name)
            if child is None:
                inner = entry.path if end < 0 else entry.path[:end]
                child = node.children[name] = _Node(name, inner, directory=end >= 0)
            child.add(entry, tokens)
            node, end = child, end + 1 if end >= 0 else -1
    return root


def opened(root: _Node, most: int) -> dict[str, Any]:
    """Return the tree as plain data, the heaviest directories opened, with about `most` nodes.

    A directory that is not opened has no `children`; what is folded is a node of kind `rest`.
    """
    told = root.told()
    heap = [(-root.tokens, root.path, root, told)] if root.directory else []
    left = most
    while heap and left > 0:
        _, _, node, row = heapq.heappop(heap)
        children = sorted(node.children.values(), key=lambda c: (-c.tokens, -c.bytes, c.name))
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
