"""Ctrl-C at every stage: no traceback of ours, nothing left behind, 130 for the shell."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # each test starts processes

ENDED = (130, -signal.SIGINT)
"""A shell reports both as 130."""
COMMANDS = {
    "index": ["index", "--rebuild"],
    "search": ["search", "where is the cookie signed"],
    "loop": ["sh", "while true; do :; done"],
    "sleep": ["sh", "sleep 30"],
    "pipe": ["sh", "yes | sort"],
    "stdin": ["sh"],
    "watch": ["watch"],
    "mcp": ["mcp"],
    "doctor": ["doctor"],
    "explain": ["explain", "resolve", "src/x.py"],
}


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("delay", [0.3, 0.6, 1.2])
def test_ctrl_c_is_quiet(repository: Path, tmp_path: Path, name: str, delay: float) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "tadoru", *COMMANDS[name]], cwd=repository, text=True,
        start_new_session=True, env={**os.environ, "TADORU_HOME": str(tmp_path / "home")},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    time.sleep(delay)
    os.killpg(process.pid, signal.SIGINT)
    # the input stays open: a server or a shell that waits for it must leave nevertheless
    _, said = process.communicate(timeout=20) if name != "stdin" else _without_input(process)
    ours = [line for line in said.splitlines() if "/tadoru/" in line and "File " in line]
    assert ours == []
    if "frozen site" not in said and "KeyboardInterrupt" not in said:  # Python's own start
        assert process.returncode in (*ENDED, 0, 1, 3), said
        assert "Traceback" not in said
    assert left_of(process.pid) == []


SLOW = """
import os, signal, time
os.kill(os.getpid(), signal.SIGINT)
for _ in range({rounds}):
    time.sleep(0.01)
done = True
"""
IMPORTING = """
import sys, time
from tadoru.cli import interrupts
interrupts.begin()
try:
    import slow
    time.sleep(5)
except KeyboardInterrupt:
    whole = getattr(sys.modules.get("slow"), "done", False)
    interrupts.end()
    sys.exit(130 if whole else 99)
"""


def test_ctrl_c_during_an_import_waits_until_it_is_done(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW.format(rounds=5))
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", IMPORTING], cwd=tmp_path, timeout=20)
    assert done.returncode == 130
    assert time.monotonic() - began < 4


def test_a_second_ctrl_c_does_not_wait_for_the_import(tmp_path: Path) -> None:
    twice = SLOW.format(rounds=500) + "os.kill(os.getpid(), signal.SIGINT)\n"
    (tmp_path / "slow.py").write_text(twice.replace("for _", "os.kill(os.getpid(), 2)\nfor _"))
    done = subprocess.run([sys.executable, "-c", IMPORTING], cwd=tmp_path, timeout=4)
    assert done.returncode == 99


def left_of(group: int) -> list[str]:
    """Return the commands of a process group that live on; they get a moment to leave."""
    deadline = time.monotonic() + 5
    while True:
        rows = subprocess.run(
            ["ps", "-o", "stat=,args=", "-g", str(group)], capture_output=True, text=True
        ).stdout.splitlines()
        living = [row for row in rows if not row.startswith("Z")]  # nobody reaps in a container
        if not living or time.monotonic() > deadline:
            return living
        time.sleep(0.1)


def _without_input(process: subprocess.Popen[str]) -> tuple[str, str]:
    process.wait(20)
    assert process.stdin is not None
    process.stdin.close()
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdout, process.stderr:
        return process.stdout.read(), process.stderr.read()
