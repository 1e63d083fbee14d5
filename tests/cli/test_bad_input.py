"""Bad input: one clear line on stderr, the right exit code, no traceback, no half-made index."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tadoru.cli import main

if TYPE_CHECKING:
    from conftest import Run

pytestmark = pytest.mark.slow  # each test starts processes


def assert_one_line(done: subprocess.CompletedProcess[str], code: int) -> str:
    """Check form and code of a failure, and return what it says."""
    assert done.returncode == code, done.stderr
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("tadoru: ")
    assert "Traceback" not in done.stderr
    return lines[0]


def indexes(home: Path) -> list[Path]:
    return [path for path in home.rglob("*") if path.is_file() and path.name.startswith("index.db")]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "tadoru-home"


def test_a_file_as_root(cli: Run, tmp_path: Path, home: Path) -> None:
    (tmp_path / "file").write_text("x")
    done = cli("status", "--root", str(tmp_path / "file"), env={"TADORU_HOME": str(home)})
    assert "not a directory" in assert_one_line(done, 2)
    assert not home.exists()


def test_a_missing_root(cli: Run, tmp_path: Path, home: Path) -> None:
    done = cli("search", "x", "--root", str(tmp_path / "gone"), env={"TADORU_HOME": str(home)})
    assert "no such directory" in assert_one_line(done, 2)
    assert not home.exists()


def test_an_empty_directory_is_an_answer(cli: Run, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    done = cli("index", cwd=empty)
    assert (done.returncode, done.stderr) == (0, "")
    assert "0 added" in done.stdout
    done = cli("search", "anything", cwd=empty)
    assert (done.returncode, done.stdout) == (1, "")
    assert cli("resolve", "a.py", cwd=empty).returncode == 1
    assert cli("sh", "ls", cwd=empty).returncode == 0


@pytest.mark.parametrize("command", ["status", "mcp"])
def test_a_broad_root_needs_consent(cli: Run, tmp_path: Path, home: Path, command: str) -> None:
    env = {"TADORU_HOME": str(home), "HOME": str(tmp_path)}
    for root in ("/", str(tmp_path)):
        line = assert_one_line(cli(command, "--root", root, env=env), 2)
        assert "--yes" in line
    assert not home.exists()


def test_a_broad_root_with_consent(cli: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a\n")
    env = {"TADORU_HOME": str(tmp_path / ".tadoru"), "HOME": str(tmp_path)}
    done = cli("list-files", "--glob", "*.txt", "--yes", cwd=tmp_path, env=env)
    assert done.stdout == "a.txt\n"


def test_an_unreadable_file_is_named_and_the_rest_is_indexed(
    cli: Run, repository: Path, needs: object
) -> None:
    secret = repository / "src/locked.py"
    secret.write_text("def locked(): ...\n")
    secret.chmod(0)
    if os.access(secret, os.R_OK):  # root reads everything: give it something that nobody can
        secret.unlink()
        secret.symlink_to("locked.py")
    done = cli("index", cwd=repository)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert cli("definition", "sign", "--brief", cwd=repository).returncode == 0


def test_no_index_and_none_may_be_made(cli: Run, repository: Path, home: Path) -> None:
    for command in (("search", "x"), ("status",), ("resolve", "a"), ("sh", "ls")):
        done = cli(*command, "--no-index", cwd=repository, env={"TADORU_HOME": str(home)})
        assert "not indexed" in assert_one_line(done, 3)
    assert indexes(home) == []


def test_a_corrupt_index_is_refused_and_can_be_rebuilt(
    cli: Run, repository: Path, home: Path
) -> None:
    env = {"TADORU_HOME": str(home)}
    assert cli("index", cwd=repository, env=env).returncode == 0
    (database,) = [path for path in indexes(home) if path.name == "index.db"]
    for leftover in indexes(home):
        if leftover != database:
            leftover.unlink()
    database.write_bytes(b"SQLite format 3\0" + os.urandom(20_000))
    line = assert_one_line(cli("search", "session", cwd=repository, env=env), 2)
    assert "--rebuild" in line
    doctor = cli("doctor", cwd=repository, env=env)
    assert doctor.returncode == 1
    assert "fail  index" in doctor.stdout
    assert cli("index", "--rebuild", cwd=repository, env=env).returncode == 0
    assert cli("search", "session", cwd=repository, env=env).returncode == 0
    assert cli("doctor", cwd=repository, env=env).returncode == 0


def test_a_file_that_is_no_database_is_refused(cli: Run, repository: Path, home: Path) -> None:
    env = {"TADORU_HOME": str(home)}
    assert cli("index", cwd=repository, env=env).returncode == 0
    for path in indexes(home):
        path.write_bytes(b"not a database at all\n" * 50)
    assert "--rebuild" in assert_one_line(cli("status", cwd=repository, env=env), 2)


def test_an_index_of_a_later_version_is_refused(cli: Run, repository: Path, home: Path) -> None:
    import sqlite3

    env = {"TADORU_HOME": str(home)}
    assert cli("index", cwd=repository, env=env).returncode == 0
    (database,) = [path for path in indexes(home) if path.name == "index.db"]
    connection = sqlite3.connect(database)
    connection.execute("PRAGMA user_version = 9999")
    connection.close()
    assert "upgrade" in assert_one_line(cli("status", cwd=repository, env=env), 2)


def _small_files() -> None:
    """Let no file of this process and its children grow beyond 16 KiB, as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (16_384, 16_384))


@pytest.fixture(params=["limit", "32k", "64k", "96k"])
def full_disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[dict[str, Any]]:
    """Home on a disk that is too small: a real one where mounting is allowed, else a file limit."""
    home = tmp_path / "small"
    home.mkdir()
    small = ["mount", "-t", "tmpfs", "-o", f"size={request.param}", "tmpfs", str(home)]
    mounted = (
        request.param != "limit"
        and shutil.which("mount") is not None
        and subprocess.run(small, capture_output=True).returncode == 0
    )
    yield {
        "env": {**os.environ, "TADORU_HOME": str(home / "tadoru")},
        "preexec_fn": None if mounted else _small_files,
    }
    if mounted:
        _unmount(home)


@pytest.mark.parametrize("command", [("index",), ("search", "session")])
def test_a_full_disk_leaves_no_half_made_index(
    repository: Path,
    tadoru_command: list[str],
    full_disk: dict[str, Any],
    command: tuple[str, ...],
) -> None:
    done = subprocess.run(
        [*tadoru_command, *command], cwd=repository, capture_output=True, text=True, **full_disk
    )
    assert_one_line(done, 2)
    assert indexes(Path(full_disk["env"]["TADORU_HOME"])) == []


def _unmount(directory: Path) -> None:
    """Give the run's own process the moment that it takes to leave."""
    deadline = time.monotonic() + 10
    while subprocess.run(["umount", str(directory)], capture_output=True).returncode:
        assert time.monotonic() < deadline, f"{directory} is still in use"
        time.sleep(0.1)


def test_a_read_only_home(cli: Run, repository: Path) -> None:
    done = cli("index", cwd=repository, env={"TADORU_HOME": "/proc/tadoru"})
    assert_one_line(done, 2)


def test_a_question_of_100_kb(cli: Run) -> None:
    question = "where is the session cookie signed " * 3_000
    done = cli("search", "-", stdin=question)
    assert "100 KB" in assert_one_line(done, 2)
    done = cli("search", "-", stdin=question[:100_000])
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


def test_an_empty_question(cli: Run) -> None:
    for arguments in (("search",), ("search", ""), ("search", "-")):
        assert_one_line(cli(*arguments, stdin=""), 2)


@pytest.mark.parametrize(
    "arguments",
    [
        ["read", "a\0b"],
        ["resolve", "a\0b"],
        ["outline", "a\0b"],
        ["sh", "cat a\0b"],
        ["status", "--root", "a\0b"],
    ],
)
def test_a_nul_in_a_path(
    arguments: list[str],
    shared_repository: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(shared_repository)
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert "NUL" in said


def test_a_path_outside_the_roots_exits_four(cli: Run) -> None:
    assert_one_line(cli("read", "/etc/passwd"), 4)
    assert_one_line(cli("read", "../../etc/passwd"), 4)


def test_unknown_words_get_a_suggestion(cli: Run) -> None:
    assert "`search`" in assert_one_line(cli("serch", "x"), 2)
    assert "--top" in assert_one_line(cli("search", "x", "--tpo", "3"), 2)
    assert "--rebuild" in assert_one_line(cli("migrate"), 2)
    assert_one_line(cli("search", "x", "--top", "many"), 2)
    assert_one_line(cli("search", "x", "--mode", "slow"), 2)
    assert_one_line(cli("read"), 2)


def test_errors_are_json_for_those_who_ask(cli: Run) -> None:
    done = cli("read", "no/such/file.py", "--json")
    assert json.loads(done.stdout)["error"]["code"] == "not_found"
    assert_one_line(done, 1)


def test_a_wrong_configuration_is_named(cli: Run, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("[search]\nsmart_max_q = 3\n")
    line = assert_one_line(cli("status", env={"TADORU_CONFIG": str(config)}), 2)
    assert "search.smart_max_q" in line
    assert_one_line(cli("config", "validate", env={"TADORU_CONFIG": str(config)}), 2)


def test_a_fault_nobody_planned_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("first\nsecond")

    monkeypatch.setattr("tadoru.open", fail, raising=False)
    assert main(["status"]) == 2
    said = capsys.readouterr().err
    assert said.splitlines() == [
        "tadoru: unexpected RuntimeError: first second (TADORU_DEBUG=1 shows the traceback)"
    ]
    monkeypatch.setenv("TADORU_DEBUG", "1")
    assert main(["status"]) == 2
    assert "Traceback" in capsys.readouterr().err
