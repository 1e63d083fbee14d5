"""Resolve at odd moments: a root that is gone, an index under way, a path that is there after all.

Each through the library, the command line and MCP.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client

import tadoru
from tadoru import BadInput, Config, Workspace
from tadoru.config import IndexConfig
from tadoru.mcp.server import build
from tadoru.types import Freshness

Cli = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def own(repository: Path, tmp_path: Path) -> Iterator[Workspace]:
    with tadoru.open(repository, config=Config(home=str(tmp_path / "home"))) as workspace:
        workspace.index()
        yield workspace


def tool(workspace: Workspace, name: str, **arguments: Any) -> tuple[str, bool]:
    async def session() -> tuple[str, bool]:
        tools = "tadoru" if name == "resolve_path" else "pathfinder"
        async with Client(build(lambda: workspace, tools=tools)) as client:
            result = await client.call_tool(name, arguments)
            (block,) = result.content
            return block.text, bool(result.is_error)

    return anyio.run(session)


def test_a_root_that_vanished_is_named(own: Workspace, repository: Path, cli: Cli) -> None:
    shutil.rmtree(repository)
    with pytest.raises(BadInput, match="is no directory any more"):
        own.resolve("src/shop/session.py")
    with pytest.raises(BadInput, match="is no directory any more"):
        own.retry("src/shop/session.py")
    for name, argument in (("resolve_path", "path"), ("path_resolve", "failed_path")):
        text, failed = tool(own, name, **{argument: "src/shop/session.py"})
        assert failed
        assert "is no directory any more" in text
    done = cli("resolve", "src/shop/session.py", "--root", str(repository))
    assert (done.returncode, done.stdout) == (2, "")
    assert "no such directory" in done.stderr


def test_without_catching_up_a_vanished_root_has_no_candidate(
    own: Workspace, repository: Path
) -> None:
    shutil.rmtree(repository)
    answer = own.resolve("src/shop/session.py", catch_up=False)
    assert (answer.status, answer.path, answer.candidates) == ("absent", "", ())


def test_an_index_under_way_answers_and_says_so(tmp_path: Path) -> None:
    root = tmp_path / "large"
    for number in range(40):
        directory = root / f"package{number}"
        directory.mkdir(parents=True)
        for name in ("reader", "writer", "parser"):
            text = "".join(f"def {name}_{n}(value):\n    return value + {n}\n" for n in range(300))
            (directory / f"{name}_of_{number}.py").write_text(text)
    config = Config(home=str(tmp_path / "home"), index=IndexConfig(first_answer_seconds=0.0))
    with tadoru.open(root, config=config) as workspace:
        answer = workspace.resolve("package7/readr_of_7.py")
        assert answer.index.status is not Freshness.FRESH
        assert answer.index.pending or answer.index.detail
        text, failed = tool(workspace, "resolve_path", path="package7/readr_of_7.py")
        assert not failed
        assert not text.endswith("index: fresh")
        found = json.loads(tool(workspace, "path_resolve", failed_path="package7/readr_of_7.py")[0])
        assert found["index"] != "fresh"
        workspace.index()
        answer = workspace.resolve("package7/readr_of_7.py")
        assert (answer.path, answer.index.status) == ("package7/reader_of_7.py", Freshness.FRESH)


def test_no_index_and_none_may_be_made(repository: Path, cli: Cli, tmp_path: Path) -> None:
    home = {"TADORU_HOME": str(tmp_path / "empty")}
    done = cli("resolve", "x.py", "--no-index", cwd=repository, env=home)
    assert (done.returncode, done.stdout) == (3, "")
    assert "is not indexed" in done.stderr


def test_a_path_that_exists_is_said_to_exist(own: Workspace, cli: Cli) -> None:
    answer = own.resolve("src/shop/cart.py")
    assert (answer.status, answer.path, answer.reason) == (
        "resolved",
        "src/shop/cart.py",
        "exists",
    )
    assert own.retry("src/shop/config.py").result == "TAX = 0.19\n"
    assert "reason: exists" in tool(own, "resolve_path", path="src/shop/cart.py")[0]
    done = cli("resolve", "src/shop/cart.py", "--json")
    assert json.loads(done.stdout)["reason"] == "exists"


def test_a_directory_where_a_file_is_meant_is_a_choice_of_its_files(
    own: Workspace, cli: Cli
) -> None:
    answer = own.resolve("src/shop", op="read")
    assert (answer.status, answer.error_kind) == ("ambiguous", "is_a_directory")
    assert [c.path for c in answer.candidates][:1] == ["src/shop"]
    result = own.retry("src/shop", op="read")
    assert (result.status, result.tried) == ("ambiguous", ())
    assert "sessions.py" in own.retry("src/shop", op="list").result
    found = json.loads(tool(own, "path_resolve", failed_path="src/shop")[0])
    assert found["error_kind"] == "IsADirectory"
    done = cli("resolve", "src/shop")
    assert done.returncode == 0
    assert done.stdout.splitlines()[0].startswith("src/shop\t")


def test_a_file_where_a_directory_is_meant_is_said_to_be_one(own: Workspace) -> None:
    answer = own.resolve("src/shop/cart.py", op="list")
    assert (answer.path, answer.reason) == ("src/shop/cart.py", "exists: a file, not a directory")


BAD = ["", " ", "...", "x" * 10_000, "a\0b", "a\nb", "/".join("a" * 300)]


@pytest.mark.parametrize("path", BAD, ids=lambda path: repr(path[:8]))
def test_what_cannot_be_a_path_is_refused_everywhere(own: Workspace, cli: Cli, path: str) -> None:
    with pytest.raises(BadInput):
        own.resolve(path)
    with pytest.raises(BadInput):
        own.retry(path)
    for name, argument in (("resolve_path", "path"), ("tool_retry_with_resolve", "failed_path")):
        text, failed = tool(own, name, **{argument: path})
        assert failed
        assert "Traceback" not in text
    if "\0" not in path:
        done = cli("resolve", "--", path)
        assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize("path", ["src/**/*.py", "https://example.com/a.py"])
def test_what_is_no_path_of_a_tree_is_absent_everywhere(
    own: Workspace, cli: Cli, path: str
) -> None:
    assert own.resolve(path).status == "absent"
    assert own.retry(path).status == "absent"
    found = json.loads(tool(own, "path_resolve", failed_path=path)[0])
    assert (found["error_kind"], bool(found["reason"])) == ("NotFound", True)
    done = cli("resolve", path)
    assert done.returncode == 1
    assert done.stdout.startswith("absent: ")
