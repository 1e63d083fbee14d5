"""Indexing and watching at a real (pseudo) terminal."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import pexpect
import pytest

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("command", ["index", "reindex"])
def test_a_bar_is_drawn_on_a_terminal_only(
    tadoru_command: list[str], repository: Path, tmp_path: Path, command: str
) -> None:
    for number in range(300):
        (repository / f"src/shop/m{number}.py").write_text(f"def f{number}(): ...\n" * 50)
    child = pexpect.spawn(
        tadoru_command[0],
        [*tadoru_command[1:], command],
        cwd=str(repository),
        env={**os.environ, "TERM": "xterm-256color", "TADORU_HOME": str(tmp_path / "home")},
        encoding="utf-8",
        timeout=60,
    )
    child.expect("indexing.*/309")
    child.expect(r"\d+ files/s")
    child.expect(r"\d:\d\d:\d\d", timeout=30)  # time left
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
