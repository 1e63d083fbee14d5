"""fsspec's own abstract suite for reading: files are made on disk, and read through the tree."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fsspec.tests import abstract

import tadoru
from tadoru.fs import TadoruFileSystem


class OnDisk(TadoruFileSystem):
    """What the suite writes goes to the directory that is the root, past the tree."""

    def __init__(self, root: Path, **options: Any) -> None:
        super().__init__(root=str(root), **options)
        self._top = root

    def _place(self, path: str) -> Path:
        return self._top / self._strip_protocol(path)

    def makedirs(self, path: str, exist_ok: bool = False) -> None:
        self._place(path).mkdir(parents=True, exist_ok=exist_ok)

    def mkdir(self, path: str, create_parents: bool = True, **_: Any) -> None:
        self._place(path).mkdir(parents=create_parents)

    def touch(self, path: str, truncate: bool = True, **_: Any) -> None:
        self.pipe(path, b"")

    def pipe(self, path: str, value: bytes) -> None:  # type: ignore[override]
        self._place(path).parent.mkdir(parents=True, exist_ok=True)
        self._place(path).write_bytes(value)

    def rm(self, path: str, recursive: bool = False, maxdepth: int | None = None) -> None:
        shutil.rmtree(self._place(path))


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> OnDisk:
    root = tmp_path_factory.mktemp("suite")
    (root / "first.txt").write_text("so that there is something\n")
    return OnDisk(root)


class Fixtures(abstract.AbstractFixtures):
    @pytest.fixture
    def fs(self, tree: OnDisk) -> Iterator[OnDisk]:
        yield tree
        shutil.rmtree(tree._top / "place", ignore_errors=True)

    @pytest.fixture
    def fs_path(self) -> str:
        return "place"

    @pytest.fixture
    def supports_empty_directories(self) -> bool:
        return False


class TestGet(abstract.AbstractGetTests, Fixtures):
    """Everything that fsspec knows of `get`: files, directories, globs, lists."""


class TestOpen(Fixtures):
    """What the suite's tests of `open` and `pipe` have to say to a tree that nobody writes."""

    def test_open_exclusive(self, fs: OnDisk, fs_target: str) -> None:
        fs.pipe(fs_target, b"data")
        with fs.open(fs_target, "rb") as file:
            assert file.read() == b"data"
        with pytest.raises(tadoru.ReadOnly):
            fs.open(fs_target, "xb")
        fs._place(fs_target).unlink()
