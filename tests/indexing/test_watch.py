"""The watcher calls back for what can change a tree, and for nothing else."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tadoru.config import IndexConfig
from tadoru.indexing import watch as module
from tadoru.indexing.ignored import Ignored
from tadoru.indexing.watch import watch

QUIET = 0.6
"""Seconds without a call that count as silence: several times the debounce of these tests."""


class Watching:
    """A watcher in a thread, and how often it called."""

    def __init__(self, root: Path) -> None:
        self.calls = 0
        self.stop = threading.Event()
        self.thread = threading.Thread(
            target=watch, args=([root], IndexConfig(debounce_ms=50), self._called, self.stop)
        )
        self.thread.start()

    def _called(self) -> None:
        self.calls += 1

    def until(self, wanted: Callable[[], bool], seconds: float = 10.0) -> bool:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if wanted():
                return True
            time.sleep(0.02)
        return False

    def close(self) -> None:
        self.stop.set()
        self.thread.join(10)
        assert not self.thread.is_alive()


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[tuple[Path, Watching]]:
    root = tmp_path / "r"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / ".gitignore").write_text("*.log\nbuild/\n")
    (root / "build").mkdir()
    made = Watching(root)
    probe = root / "probe.py"
    number = 0
    while made.calls == 0 and number < 100:  # inotify needs a moment
        number += 1
        probe.write_text(str(number))
        time.sleep(0.05)
    made.until(lambda: made.calls > 0)
    time.sleep(QUIET)
    made.calls = 0
    yield root, made
    made.close()


def test_a_change_wakes_and_ignored_ones_do_not(watching: tuple[Path, Watching]) -> None:
    root, made = watching
    (root / "a.log").write_text("x")
    (root / "build/out.js").write_text("x")
    (root / ".git/config").touch()
    (root / ".env").write_text("x")
    for number in range(300):
        (root / f"build/{number}").write_text("x")
    time.sleep(QUIET)
    assert made.calls == 0
    (root / "a.py").write_text("x")
    assert made.until(lambda: made.calls > 0)


def test_a_burst_is_one_call_and_a_changed_rule_counts(watching: tuple[Path, Watching]) -> None:
    root, made = watching
    for number in range(20):
        (root / f"f{number}.py").write_text("x")
    assert made.until(lambda: made.calls > 0)
    time.sleep(QUIET)
    assert made.calls <= 3
    made.calls = 0
    (root / ".gitignore").write_text("")
    assert made.until(lambda: made.calls > 0)


def test_a_lost_event_is_healed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "HEAL_SECONDS", 0.1)
    made = Watching(tmp_path)
    assert made.until(lambda: made.calls > 0)
    made.close()


@pytest.mark.parametrize(
    ("path", "wakes"),
    [
        ("a.py", True), ("a.log", False), (".git/index", True), (".git/HEAD", False),
        (".git/info/exclude", True), (".git/objects/ab/cd", False), ("d/.gitignore", True),
        (".tadoruignore", True), (".npmrc", False),
    ],
)  # fmt: skip
def test_which_paths_can_change_a_tree(tmp_path: Path, path: str, wakes: bool) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".gitignore").write_text("*.log\n")
    assert Ignored(str(tmp_path), IndexConfig()).wakes([path]) is wakes
