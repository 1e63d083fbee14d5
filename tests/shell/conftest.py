"""Fixtures of the shell's tests."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from disk import FilesStore, load_tree, view_of
from gnu_oracle import CONFIG, SECRET, Both, make_tree

from tadoru.shell import run
from tadoru.types import RunResult
from tadoru.views import View


@pytest.fixture(scope="session")
def both(tmp_path_factory: pytest.TempPathFactory) -> Both:
    """GNU tools and ours over one tree."""
    folder = tmp_path_factory.mktemp("gnu")
    root = folder / "tree"
    root.mkdir()
    make_tree(root)
    library = folder / "sorted_readdir.so"
    source = Path(__file__).with_name("sorted_readdir.c")
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("needs a C compiler to sort what GNU tools read")
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl"], check=True
    )
    environment = {
        "PATH": os.environ["PATH"],
        "LC_ALL": "C.UTF-8",
        "LD_PRELOAD": str(library),
        "TZ": "UTC",
        "TERM": "dumb",
    }
    return Both(root, view_of(load_tree(root)), environment)


Shell = Callable[..., RunResult]


@pytest.fixture
def shell() -> Shell:
    """Run a command line over given files: `shell(command, {"a.txt": b"..."}, **options)`."""

    def call(
        command: str, files: dict[str, bytes] | FilesStore | View, **options: object
    ) -> RunResult:
        view = files if isinstance(files, View) else None
        if view is None:
            store = files if isinstance(files, FilesStore) else FilesStore(files)  # type: ignore[arg-type]
            view = view_of(store)
        settings: dict[str, object] = {"config": CONFIG, "secret": SECRET, **options}
        return run(view, command, **settings)  # type: ignore[arg-type]

    return call
