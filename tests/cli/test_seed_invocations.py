"""What users of ContextWeaver and pathfinder type: it works, or names what replaced it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pexpect
import pytest

import tadoru.cli

if TYPE_CHECKING:
    from conftest import Run

pytestmark = pytest.mark.slow  # each test starts processes


@pytest.fixture
def cw(shared_repository: Path) -> Run:
    """Run `cw ARGUMENTS`."""

    def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        code = "import sys; from tadoru.cli import cw; sys.exit(cw())"
        return subprocess.run(
            [sys.executable, "-c", code, *arguments], cwd=cwd or shared_repository,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
        )  # fmt: skip

    return run


def test_both_names_are_commands_of_the_package() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert project["scripts"] == {
        "tadoru": "tadoru.cli:main",
        "cw": "tadoru.cli:cw",
        "pathfinder": "tadoru.cli:pathfinder",
    }


@pytest.mark.parametrize("words", [["init"], ["migrate"], ["migrate", "--reset"],
                                   ["migrate", "--path", "/x"], ["update"]])  # fmt: skip
def test_what_is_not_needed_names_what_replaced_it(cw: Run, words: list[str]) -> None:
    done = cw(*words)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert re.search(r"`[a-z ]*tadoru[^`]*`", line)


def test_index(cw: Run, repository: Path, tmp_path: Path) -> None:
    assert "9 added" in cw("index", cwd=repository).stdout
    assert cw("index", str(repository), cwd=tmp_path).returncode == 0
    assert "9 added" in cw("index", "--force", cwd=repository).stdout


def test_search(cw: Run) -> None:
    done = cw("search", "--information-request", "How is the session cookie signed?")
    assert done.returncode == 0
    assert "src/shop/sessions.py" in done.stdout
    done = cw("search", "--information-request", "the cart", "--technical-terms", "total,load")
    assert "def total" in done.stdout


def test_list_files(cw: Run) -> None:
    done = cw("list-files", "--glob", "src/**/*.py", "--language", "python", "--max-results", "2")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 2
    assert "2 of 4 files" in done.stderr


def test_definition_and_references(cw: Run) -> None:
    done = cw("definition", "SessionInterface", "--hint-path", "src/shop")
    assert done.stdout.startswith("src/shop/sessions.py:6: class SessionInterface")
    done = cw("references", "sign", "--exclude-definition")
    assert done.returncode == 0
    assert ":18:" not in done.stdout


def test_stats(cw: Run, shared_repository: Path, tmp_path: Path) -> None:
    assert cw("stats").returncode == 0
    assert json.loads(cw("stats", "--json").stdout)
    assert cw("stats", "--path", str(shared_repository), cwd=tmp_path).returncode == 0


def test_watch(repository: Path) -> None:
    code = "import sys; from tadoru.cli import cw; sys.exit(cw())"
    child = pexpect.spawn(
        sys.executable, ["-c", code, "watch", str(repository), "--debounce", "800"],
        encoding="utf-8", timeout=30,
    )  # fmt: skip
    child.expect_exact("watching")
    child.sendintr()
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus == 130


def handshake(code: str, *arguments: str, cwd: Path) -> list[str]:
    """Start a server, and return the names of its tools."""
    frames = [
        {"id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
    ]  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments], cwd=cwd, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    for frame in frames:
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **frame}) + "\n")
        process.stdin.flush()
    for line in process.stdout:
        answer = json.loads(line)
        if answer.get("id") == 2:
            break
    process.stdin.close()
    process.stdout.close()
    process.wait(20)
    return [tool["name"] for tool in answer["result"]["tools"]]


def test_pathfinder_serves_its_tools(shared_repository: Path, tmp_path: Path) -> None:
    code = "import sys; from tadoru.cli import pathfinder; sys.exit(pathfinder())"
    names = handshake(code, "--root", str(shared_repository), cwd=tmp_path)
    assert sorted(names) == ["path_resolve", "reindex_paths", "roots_list",
                             "tool_retry_with_resolve"]  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code, "-h"], capture_output=True, text=True)
    assert done.returncode == 0
    assert "--root" in done.stdout


def test_cw_mcp_serves_the_tools_of_contextweaver(shared_repository: Path) -> None:
    code = "import sys; from tadoru.cli import cw; sys.exit(cw())"
    names = handshake(code, "mcp", cwd=shared_repository)
    assert "codebase-retrieval" in names
    assert "search" in handshake(code, "mcp", "--tools", "tadoru", cwd=shared_repository)


def test_a_command_as_a_function_leaves_signals_alone() -> None:
    import signal

    before = signal.getsignal(signal.SIGINT)
    assert tadoru.cli.main(["--version"]) == 0
    assert signal.getsignal(signal.SIGINT) is before
