"""The prompt and the progress bar, at a real (pseudo) terminal."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

pytestmark = pytest.mark.slow


@pytest.fixture
def prompt(
    tadoru_command: list[str], shared_repository: Path, tmp_path: Path
) -> Iterator[pexpect.spawn]:
    env = {**os.environ, "TERM": "xterm", "TADORU_HOME": str(tmp_path), "INPUTRC": "/dev/null"}
    child = pexpect.spawn(
        tadoru_command[0],
        [*tadoru_command[1:], "sh"],
        cwd=str(shared_repository),
        env=env,
        encoding="utf-8",
        timeout=20,
        dimensions=(24, 120),
    )
    child.expect_exact("tadoru:/$ ")
    yield child
    child.close(force=True)


def test_lines_are_run_and_the_directory_is_kept(prompt: pexpect.spawn) -> None:
    prompt.sendline("cd src/shop")
    prompt.expect_exact("tadoru:/src/shop$ ")
    prompt.sendline("cat config.py")
    prompt.expect_exact("TAX = 0.19")
    prompt.expect_exact("tadoru:/src/shop$ ")
    prompt.sendline("RATE=7; echo $RATE")
    prompt.expect_exact("\r\n7\r\n")
    prompt.sendline("echo again $RATE")
    prompt.expect_exact("again 7")


def test_ctrl_c_drops_the_line_and_ctrl_d_leaves(prompt: pexpect.spawn) -> None:
    prompt.send("cat README")
    prompt.expect_exact("cat README")
    prompt.sendintr()
    prompt.expect_exact("tadoru:/$ ")
    prompt.sendline("false")
    prompt.expect_exact("tadoru:/$ ")
    prompt.sendeof()
    prompt.expect(pexpect.EOF)
    prompt.wait()
    assert prompt.exitstatus == 1


def test_exit_leaves_and_lines_are_remembered(prompt: pexpect.spawn, tmp_path: Path) -> None:
    prompt.sendline("echo remember-me")
    prompt.expect_exact("\r\nremember-me\r\n")
    prompt.sendline("exit")
    prompt.expect(pexpect.EOF)
    history = tmp_path / "history"
    assert "echo remember-me" in history.read_text()
    assert history.stat().st_mode & 0o077 == 0


def test_tab_completes_paths(prompt: pexpect.spawn) -> None:
    prompt.send("cat src/shop/conf\t")
    prompt.expect_exact("config.py")
    prompt.sendline("")
    prompt.expect_exact("TAX = 0.19")


def test_a_bar_is_drawn_on_a_terminal_only(
    tadoru_command: list[str], repository: Path, tmp_path: Path
) -> None:
    for number in range(300):
        (repository / f"src/shop/m{number}.py").write_text(f"def f{number}(): ...\n" * 50)
    child = pexpect.spawn(
        tadoru_command[0],
        [*tadoru_command[1:], "index"],
        cwd=str(repository),
        env={**os.environ, "TERM": "xterm-256color", "TADORU_HOME": str(tmp_path / "home")},
        encoding="utf-8",
        timeout=60,
    )
    child.expect("indexing.*309")
    child.expect_exact("309 added")
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus == 0


def test_ctrl_c_stops_an_index_run_and_the_next_one_completes_it(
    tadoru_command: list[str], repository: Path, tmp_path: Path
) -> None:
    for number in range(1_500):
        (repository / f"src/shop/m{number}.py").write_text(f"def f{number}(): ...\n" * 100)
    env = {**os.environ, "TERM": "xterm-256color", "TADORU_HOME": str(tmp_path / "home")}
    child = pexpect.spawn(
        tadoru_command[0],
        [*tadoru_command[1:], "index"],
        cwd=str(repository),
        env=env,
        encoding="utf-8",
        timeout=60,
    )
    child.expect("indexing.*/1509")
    child.sendintr()
    child.expect(pexpect.EOF)
    assert "Traceback" not in (child.before or "")
    child.wait()
    assert child.exitstatus == 130
    done = subprocess.run(
        [*tadoru_command, "index", "--json"], cwd=repository, env=env, capture_output=True
    )
    report = json.loads(done.stdout)
    assert report["complete"]
    assert report.get("added", 0) + report.get("changed", 0) + report.get("unchanged", 0) == 1_509


def test_watch_reports_a_change_and_ends_with_ctrl_c(
    tadoru_command: list[str], repository: Path
) -> None:
    child = pexpect.spawn(
        tadoru_command[0],
        [*tadoru_command[1:], "watch", "--debounce", "100"],
        cwd=str(repository),
        encoding="utf-8",
        timeout=20,
    )
    child.expect_exact("9 added, 0 changed, 0 deleted")
    child.expect_exact("watching; Ctrl-C stops")
    time.sleep(1.5)
    (repository / "src/shop/refunds.py").write_text("def refund(order): ...\n")
    child.expect_exact("1 added, 0 changed, 0 deleted")
    child.sendintr()
    child.expect(pexpect.EOF)
    assert "Interrupt" not in (child.before or "")
    child.wait()
    assert child.exitstatus == 130
