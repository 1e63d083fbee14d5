"""Found by running the server in its own source tree: `python -m` took modules of the repository
that it was started in, and ran them."""

from __future__ import annotations

import subprocess
import sys

import pytest
from servers import McpServer

SHADOWS = ("mcp", "click", "numpy", "pydantic", "anyio", "starlette", "tree_sitter", "platformdirs")


@pytest.fixture
def hostile(new_tree, tmp_path):
    """A repository whose modules leave a mark when they are run."""
    mark = tmp_path / "mark"
    code = f"open({str(mark)!r}, 'a').write(__name__)\nraise RuntimeError\n"
    tree = new_tree({f"{name}/__init__.py": code for name in SHADOWS} | {"a.py": "x = 1\n"})
    return tree, mark


def test_a_command_runs_nothing_of_the_repository(hostile):
    tree, mark = hostile
    done = subprocess.run(
        [sys.executable, "-m", "tadoru", "search", "x"], cwd=tree.root, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    assert not mark.exists()


def test_a_server_runs_nothing_of_the_repository(hostile):
    tree, mark = hostile
    with McpServer([sys.executable, "-m", "tadoru", "mcp"], tree.root) as server:
        assert "a.py" in server.call("search", question="x")
        assert "a.py" in server.call("bash", command="ls")
    assert not mark.exists()
