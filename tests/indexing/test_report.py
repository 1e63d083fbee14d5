"""What a report of an index run says, to whom, and after what."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

import tadoru
from tadoru.config import AccessRule, IndexConfig
from tadoru.indexing.sync import index
from tadoru.stores.sqlite import SqliteStore
from tadoru.stores.sqlite.lock import writer_lock


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    (root / "hidden").mkdir(parents=True)
    (root / "a.py").write_text("A = 1\n")
    (root / "hidden" / "zebra.py").write_text("Z = 1\n")
    (root / "hidden" / "zebra.bin").write_bytes(b"zebra\n" * 500)
    (root / "hidden" / ".env").write_text("KEY=zebra\n")
    return root


def labelled(tmp_path: Path) -> tadoru.Config:
    rules = (AccessRule("**", public=True), AccessRule("hidden", groups=frozenset({"staff"})))
    return tadoru.Config(home=str(tmp_path / "home"), access=rules)


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_report_tells_nothing_of_what_the_asker_may_not_see(
    tmp_path: Path, root: Path, dry_run: bool
) -> None:
    told = {}
    for group in ("guest", "staff"):
        who = tadoru.Principal(frozenset({group}))
        with tadoru.open(root, config=labelled(tmp_path / group), principal=who) as workspace:
            told[group] = workspace.index(dry_run=dry_run)
    assert (told["guest"].added, told["staff"].added) == (1, 3)
    assert "zebra" not in repr(told["guest"])
    assert not told["guest"].skipped
    assert ".env" in repr(told["staff"].skipped)
    assert told["guest"].index_bytes == 0
    assert told["guest"].source_bytes < told["staff"].source_bytes


def test_a_dry_run_compares_with_the_index_there_is(tmp_path: Path, root: Path) -> None:
    config = tadoru.Config(home=str(tmp_path / "home"))
    with tadoru.open(root, config=config) as workspace:
        workspace.index()
        (root / "b.py").write_text("B = 1\n")
        report = workspace.index(dry_run=True)
        assert (report.added, report.unchanged) == (1, 3)


def test_what_was_skipped_stays_in_every_report(tmp_path: Path, root: Path) -> None:
    with closing(SqliteStore.open(tmp_path / "index", root=root, create=True)) as store:
        config = tadoru.Config(index=IndexConfig(max_file_bytes=1_000))
        first = index(store, root, config)
        second = index(store, root, config)
    assert second.unchanged == first.added == 3
    assert second.skipped == first.skipped
    assert "hidden/zebra.bin" in repr(second.skipped)


def test_a_link_to_what_is_hidden_is_not_counted(tmp_path: Path, root: Path) -> None:
    (root / "link").symlink_to("hidden/zebra.py")
    with tadoru.open(root, config=labelled(tmp_path)) as workspace:
        workspace.index()
        assert workspace.status().files == workspace.list_files().total == 1


def test_a_run_waits_for_the_one_that_is_under_way(tmp_path: Path, root: Path) -> None:
    config = tadoru.Config(home=str(tmp_path / "home"))
    with tadoru.open(root, config=config) as workspace:
        workspace.index()
        (directory,) = (tmp_path / "home" / "stores").iterdir()
        held = threading.Event()

        def hold() -> None:
            with writer_lock(directory, 5):
                held.set()
                time.sleep(1.0)

        holder = threading.Thread(target=hold)
        holder.start()
        held.wait(5)
        done = subprocess.run(
            [sys.executable, "-m", "tadoru", "--root", str(root), "index"],
            env={"TADORU_HOME": str(tmp_path / "home"), "HOME": str(tmp_path), "PATH": "/usr/bin"},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        holder.join()
    assert done.returncode == 0, done.stderr
    assert "waiting for a run that is under way" in done.stderr


def test_a_home_inside_the_root_is_no_part_of_its_tree(root: Path) -> None:
    with tadoru.open(root, config=tadoru.Config(home=str(root / "my home"))) as workspace:
        report = workspace.index()
        again = workspace.index()
        assert not [f.path for f in workspace.list_files().files if "home" in f.path]
    assert (report.added, again.added) == (3, 0)
    assert "my home" in repr(report.skipped)


def test_a_home_that_cannot_be_made_names_the_variable(root: Path) -> None:
    with (
        tadoru.open(root, config=tadoru.Config(home="/proc/nowhere")) as workspace,
        pytest.raises(tadoru.StoreError, match="TADORU_HOME"),
    ):
        workspace.status()
