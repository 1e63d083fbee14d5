"""The package as its users meet it: a wheel in an environment of its own, and hostile places."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import tadoru

if TYPE_CHECKING:
    from conftest import Run

pytestmark = pytest.mark.slow  # each test starts processes

PROJECT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel, install it into a new environment, and return that one's `bin`.

    What it requires is lent by the environment of this run, so that no network is needed.
    """
    place = tmp_path_factory.mktemp("outside")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run(
        [*pip, "wheel", "--no-deps", "--wheel-dir", str(place), str(PROJECT)],
        capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode:
        pytest.skip(f"needs pip and hatchling: {done.stderr.strip().splitlines()[-1]}")
    (wheel,) = place.glob("*.whl")
    venv.create(place / "env", symlinks=True)
    python = place / "env/bin/python"
    subprocess.run(
        [*pip, "--python", str(python), "install", "--no-deps", "--no-index", str(wheel)],
        check=True, capture_output=True,
    )  # fmt: skip
    (site,) = (place / "env/lib").glob("python*/site-packages")
    (site / "lent.pth").write_text(f"{sysconfig.get_paths()['purelib']}\n")
    return python.parent


@pytest.fixture
def bare(installed: Path, tmp_path: Path) -> dict[str, str]:
    """An environment with a home and the command, and nothing else."""
    (tmp_path / "me").mkdir()
    return {"PATH": f"{installed}:/usr/bin:/bin", "HOME": str(tmp_path / "me")}


def run(
    env: dict[str, str], cwd: Path, *words: str, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        list(words), cwd=cwd, env=env, input=stdin, capture_output=True, text=True, timeout=60
    )


def test_a_wheel_holds_all_that_is_needed_and_nothing_else(installed: Path) -> None:
    (wheel,) = installed.parents[1].glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {
        "tadoru", f"tadoru-{tadoru.__version__}.dist-info"}  # fmt: skip
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]
    for name in ("py.typed", "resolve/weights.json", "install/plugin/.mcp.json",
                 "install/plugin/skills/tadoru/SKILL.md"):  # fmt: skip
        assert f"tadoru/{name}" in names


def test_the_commands_of_a_wheel_work(
    bare: dict[str, str], repository: Path, installed: Path
) -> None:
    done = run(bare, repository, "tadoru", "--version")
    assert done.stdout == f"tadoru {tadoru.__version__}\n"
    assert run(bare, repository, "tadoru", "index").returncode == 0
    done = run(bare, repository, "tadoru", "search", "where is the session cookie signed")
    assert (done.returncode, done.stderr) == (0, "")
    assert "src/shop/sessions.py" in done.stdout
    done = run(bare, repository, "tadoru", "sh", "grep -rl hmac src | wc -l")
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "1", "")
    assert run(bare, repository, "cw", "resolve", "src/shop/session.py").stdout == (
        "src/shop/sessions.py\n"
    )
    assert "--root" in run(bare, repository, "pathfinder", "--help").stdout
    folder = Path(run(bare, repository, "tadoru", "install", "--plugin").stdout.strip())
    assert folder.is_relative_to(installed.parent)
    assert (folder / ".claude-plugin/plugin.json").is_file()
    done = run(bare, repository, "tadoru", "doctor")
    assert done.returncode == 0, done.stdout


def test_an_installation_names_its_own_command(
    bare: dict[str, str], repository: Path, installed: Path, tmp_path: Path
) -> None:
    done = run(bare, repository, "tadoru", "install", "claude-code", "codex")
    assert done.returncode == 0, done.stderr
    entry = json.loads((tmp_path / "me/.claude.json").read_text())["mcpServers"]["tadoru"]
    assert entry["command"] == str(installed / "tadoru")
    assert run(bare, repository, "tadoru", "uninstall").returncode == 0
    assert not (tmp_path / "me/.claude.json").exists()


def test_the_server_of_a_wheel_answers_a_client(bare: dict[str, str], repository: Path) -> None:
    frames = [
        {"id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
    ]  # fmt: skip
    with subprocess.Popen(
        ["tadoru", "mcp"], cwd=repository, env={**bare, "LOG_LEVEL": "debug"}, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        for frame in frames:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **frame}) + "\n")
            process.stdin.flush()
        answers = {}
        while 2 not in answers:
            answer = json.loads(process.stdout.readline())
            answers[answer.get("id")] = answer
        process.stdin.close()
        assert process.wait(20) == 0
    assert answers[1]["result"]["serverInfo"]["name"] == "tadoru"
    assert "search" in {tool["name"] for tool in answers[2]["result"]["tools"]}


NEED_A_HOME = (["status"], ["search", "sign"], ["resolve", "x.py"], ["sh", "ls"], ["index"],
               ["read", "README.md"])  # fmt: skip
NEED_NONE = (["--help"], ["--version"], ["config", "list"], ["config", "validate"],
             ["completion", "bash"])  # fmt: skip


@pytest.mark.parametrize("home", ["/dev/null", "/proc/none"])
def test_without_a_home_what_can_work_does_and_the_rest_says_what_to_set(
    cli: Run, repository: Path, home: str
) -> None:
    env = {"HOME": home, "TADORU_HOME": "", "TADORU_CONFIG": "", "XDG_CACHE_HOME": "",
           "XDG_CONFIG_HOME": ""}  # fmt: skip
    for words in NEED_NONE:
        assert cli(*words, cwd=repository, env=env).returncode == 0, words
    for words in NEED_A_HOME:
        done = cli(*words, cwd=repository, env=env)
        assert done.returncode == 2, words
        (line,) = done.stderr.splitlines()
        assert "set TADORU_HOME" in line
    for words in (["config", "set", "budget", "3000"], ["install", "codex"]):
        done = cli(*words, cwd=repository, env=env)
        assert done.returncode == 2
        assert "Traceback" not in done.stderr
    done = cli("status", cwd=repository, env={**env, "TADORU_HOME": str(repository.parent / "t")})
    assert done.returncode == 0


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A directory in which nothing can be written, not even by root."""
    place = tmp_path / "locked"
    place.mkdir()
    mounted = (
        os.geteuid() == 0
        and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", str(place)], capture_output=True
        ).returncode
    )
    place.chmod(0o555) if not mounted else None
    if os.access(place, os.W_OK):
        pytest.skip("needs a user, or a root who may mount")
    yield place
    if mounted:
        subprocess.run(["umount", str(place)], check=True)
    else:
        place.chmod(0o755)


def test_a_read_only_home_is_told_in_one_line(cli: Run, repository: Path, read_only: Path) -> None:
    env = {"HOME": str(read_only), "TADORU_HOME": str(read_only / "tadoru"),
           "TADORU_CONFIG": str(read_only / "c.toml"), "CODEX_HOME": ""}  # fmt: skip
    for words in (["search", "sign"], ["index"], ["config", "set", "budget", "3000"]):
        done = cli(*words, cwd=repository, env=env)
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1, done.stderr
        assert "Read-only file system" in done.stderr or "Permission denied" in done.stderr
    done = cli("install", "codex", cwd=repository, env=env)
    assert done.returncode == 2
    assert all("left alone" in line for line in done.stderr.splitlines()[:3])


def test_two_versions_at_once_do_each_other_no_harm(
    cli: Run, repository: Path, tmp_path: Path
) -> None:
    import sqlite3

    env = {"TADORU_HOME": str(tmp_path / "home")}
    assert cli("index", cwd=repository, env=env).returncode == 0
    (database,) = (tmp_path / "home").rglob("index.db")
    connection = sqlite3.connect(database)
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    connection.execute(f"PRAGMA user_version = {version + 1}")
    connection.close()
    before = database.read_bytes()
    for words in (["search", "sign"], ["index"], ["sh", "ls"], ["resolve", "x.py"], ["status"]):
        done = cli(*words, cwd=repository, env=env)
        assert done.returncode == 2
        (line,) = done.stderr.splitlines()
        assert "schema" in line
        assert "upgrade" in line
    assert cli("doctor", cwd=repository, env=env).returncode == 1
    assert database.read_bytes() == before
    other = {**env, "TADORU_HOME": str(tmp_path / "other")}
    assert cli("search", "sign", cwd=repository, env=other).returncode == 0


def test_a_reader_that_takes_one_line_hears_nothing_more(
    tadoru_command: list[str], shared_repository: Path
) -> None:
    for words in ("list-files", "search cookie", "symbols --json"):
        line = f"set -o pipefail; {' '.join(tadoru_command)} {words} | head -1"
        done = subprocess.run(
            ["bash", "-c", line], cwd=shared_repository, capture_output=True, text=True
        )
        assert done.returncode in (0, 141)
        assert len(done.stdout.splitlines()) == 1
        assert done.stderr == ""


def test_a_full_disk_behind_an_answer_is_told(
    tadoru_command: list[str], shared_repository: Path
) -> None:
    for words in ("search cookie", "resolve x.py --json", "config list", "completion bash"):
        line = f"{' '.join(tadoru_command)} {words} > /dev/full"
        done = subprocess.run(
            ["bash", "-c", line], cwd=shared_repository, capture_output=True, text=True
        )
        assert done.returncode == 2, words
        assert "No space left on device" in done.stderr
        assert "Traceback" not in done.stderr
