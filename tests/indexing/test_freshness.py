"""Whatever happens to a repository, the next query and the watcher see exactly what is there."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from git_dice import LIMIT, GitDice
from like_fresh import fresh, rows

import tadoru
from tadoru.config import Config, IndexConfig
from tadoru.sources import LocalSource
from tadoru.stores.sqlite import SqliteStore
from tadoru.types import Freshness


def settings(tmp_path: Path) -> Config:
    index = IndexConfig(max_file_bytes=LIMIT, debounce_ms=60)
    return Config(home=str(tmp_path / "home"), index=index)


@pytest.fixture
def store_of(tmp_path: Path) -> Iterator[list[LocalSource]]:
    """Sources to look into the store of, closed afterwards."""
    opened: list[LocalSource] = []
    yield opened
    for source in opened:
        source.close()


def store(tmp_path: Path, root: Path, opened: list[LocalSource]) -> SqliteStore:
    opened.append(LocalSource(root, settings(tmp_path)))
    return opened[-1].store


def caught_up(workspace: tadoru.Workspace) -> None:
    """Ask until the answer says fresh: what is more than a question may do goes on beside it."""
    end = time.monotonic() + 20
    while workspace.status().status is not Freshness.FRESH:
        assert time.monotonic() < end, str(workspace.status())
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("seed", "steps"),
    [(1, 5), *(pytest.param(seed, 30, marks=pytest.mark.slow) for seed in (2, 3, 4))],
)
def test_a_query_catches_up_with_whatever_happened(
    tmp_path: Path, seed: int, steps: int, store_of: list[LocalSource]
) -> None:
    happened = GitDice(tmp_path, seed)
    config = settings(tmp_path)
    with tadoru.open(happened.root, config=config) as workspace:
        workspace.index()
        looked = store(tmp_path, happened.root, store_of)
        for step in range(steps):
            for _ in range(1 + (seed + step) % 3):
                happened.roll()
            caught_up(workspace)
            expected = fresh(tmp_path / "fresh", happened.root, config)
            assert rows(looked) == expected, happened.log[-6:]


@pytest.mark.slow
def test_the_watcher_catches_up_with_whatever_happened(
    tmp_path: Path, store_of: list[LocalSource]
) -> None:
    happened = GitDice(tmp_path, 5)
    config = settings(tmp_path)
    stop = threading.Event()
    with tadoru.open(happened.root, config=config) as workspace:
        workspace.index()
        looked = store(tmp_path, happened.root, store_of)
        watcher = threading.Thread(target=workspace.watch, kwargs={"stop": stop})
        watcher.start()
        try:
            time.sleep(0.5)
            for _ in range(15):
                happened.roll()
                end = time.monotonic() + 20
                expected = fresh(tmp_path / "fresh", happened.root, config)
                while rows(looked) != expected:
                    assert time.monotonic() < end, happened.log[-3:]
                    time.sleep(0.05)
        finally:
            stop.set()
            watcher.join(20)
    assert not watcher.is_alive()


def test_an_edit_right_after_an_answer_is_in_the_next_one(tmp_path: Path) -> None:
    root = tmp_path / "r"
    root.mkdir()
    (root / "a.py").write_text("def one(): ...\n")
    with tadoru.open(root, config=settings(tmp_path)) as workspace:
        workspace.index()
        assert workspace.definition("one").symbols
        for turn in range(5):
            (root / "a.py").write_text(f"def name{turn}(): ...\n")
            time.sleep(0.06)  # a burst of calls shares one look at a tree as small as this
            assert workspace.definition(f"name{turn}").symbols, turn
