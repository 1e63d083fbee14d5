"""A directory with given files, and tadoru asked about it from outside: library or command line."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import tadoru


class Tree:
    """A directory of the test's own, and what tadoru says about it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.root.mkdir(parents=True)
        self._open: dict[str, tadoru.Workspace] = {}

    def write(self, files: Mapping[str, str | bytes]) -> None:
        for name, content in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def git(self, *arguments: str, at: str = "") -> None:
        command = ["git", "-c", "protocol.file.allow=always", *arguments]
        subprocess.run(command, cwd=self.root / at, check=True, capture_output=True)

    def ask(self, at: str = "", **how: Any) -> tadoru.Workspace:
        """A workspace of the tree or a directory in it, closed with the test."""
        key = f"{at}{sorted(how)}"
        if key not in self._open:
            self._open[key] = tadoru.open(self.root / at, **how)
        return self._open[key]

    def settled(self, at: str = "") -> tadoru.Workspace:
        """The same, once nothing is left to be indexed: on a busy machine that takes a while."""
        workspace = self.ask(at)
        end = time.monotonic() + 60
        while workspace.status().status is not tadoru.Freshness.FRESH:
            assert time.monotonic() < end, str(workspace.status())
            time.sleep(0.02)
        return workspace

    def files(self, at: str = "") -> list[str]:
        return [row.path for row in self.settled(at).list_files(limit=100_000).files]

    def defined(self, name: str) -> list[tuple[str, int]]:
        found = self.settled().symbols(name=name).symbols
        return [(each.path, each.span.start_line) for each in found]

    def hits(self, question: str, **how: Any) -> list[str]:
        return [hit.path for hit in self.settled().search(question, **how).hits]

    def close(self) -> None:
        for workspace in self._open.values():
            workspace.close()


@pytest.fixture
def new_tree(tmp_path: Path) -> Iterator[Callable[..., Tree]]:
    """Make a tree at a place below the test's directory."""
    made: list[Tree] = []

    def make(files: Mapping[str, str | bytes] | None = None, at: str = "r") -> Tree:
        made.append(Tree(tmp_path / at))
        made[-1].write(files or {})
        return made[-1]

    yield make
    for tree in made:
        tree.close()
