"""The fsspec face against the local filesystem of the same directory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest
from fsspec.implementations.local import LocalFileSystem

import tadoru
from tadoru.fs import TadoruFileSystem


@pytest.fixture(scope="module")
def fs(shared_repository: Path) -> Iterator[TadoruFileSystem]:
    with tadoru.open(shared_repository) as workspace:
        yield TadoruFileSystem(workspace=workspace)


def test_files_and_bytes_are_those_on_disk(fs: TadoruFileSystem, shared_repository: Path) -> None:
    local = LocalFileSystem()
    for path in fs.find(""):
        on_disk = shared_repository / path
        assert fs.info(path)["size"] == local.size(str(on_disk))
        assert fs.cat_file(path) == on_disk.read_bytes()
    assert "src/shop/cart.py" in fs.find("")
    assert not any(path.startswith("ignored/") for path in fs.find(""))


def test_directories_are_listed(fs: TadoruFileSystem) -> None:
    assert fs.ls("src", detail=False) == ["src/shop"]
    assert fs.isdir("src/shop")
    assert fs.isfile("README.md")
    assert not fs.exists("src/none.py")
    assert [row["type"] for row in fs.ls("docs")] == ["file"]


def test_globs_and_ranges(fs: TadoruFileSystem, shared_repository: Path) -> None:
    assert fs.glob("src/**/c*.py") == ["src/shop/cart.py", "src/shop/config.py"]
    data = (shared_repository / "README.md").read_bytes()
    assert fs.cat_file("README.md", start=2, end=9) == data[2:9]
    assert fs.cat_file("README.md", start=-5) == data[-5:]
    with fs.open("README.md") as file:
        file.seek(3)
        assert file.read(4) == data[3:7]
    with fs.open("README.md", "r") as file:
        assert file.readline() == "# Shop\n"


def test_large_and_binary_files_are_exact(repository: Path) -> None:
    data = bytes(range(256)) * 2_500
    (repository / "it's big.bin").write_bytes(data)
    with tadoru.open(repository) as workspace:
        workspace.index()
        assert TadoruFileSystem(workspace=workspace).cat_file("it's big.bin") == data


def test_missing_paths_and_writes_are_refused(fs: TadoruFileSystem) -> None:
    with pytest.raises(FileNotFoundError):
        fs.info("src/none.py")
    with pytest.raises(FileNotFoundError):
        fs.cat_file("src/none.py")
    with pytest.raises(tadoru.ReadOnly), fs.open("README.md", "wb"):
        pass


def test_it_is_found_by_its_protocol(shared_repository: Path) -> None:
    fs = fsspec.filesystem("tadoru", root=str(shared_repository))
    assert fs.cat_file("src/shop/config.py") == b"TAX = 0.19\n"


def test_a_change_is_seen(repository: Path) -> None:
    with tadoru.open(repository) as workspace:
        workspace.index()
        fs = TadoruFileSystem(workspace=workspace)
        assert not fs.exists("new.txt")
        (repository / "new.txt").write_text("new\n")
        import time

        time.sleep(0.6)  # a burst of calls shares one look at the directory
        assert fs.cat_file("new.txt") == b"new\n"
