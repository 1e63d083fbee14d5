"""What a report of an index run says, to whom, and after what."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
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


@pytest.mark.parametrize("dry_run", [True, False])
def test_what_rules_leave_out_is_counted_by_rule(tmp_path: Path, dry_run: bool) -> None:
    root = tmp_path / "mixed"
    files = ["node_modules/m/i.js", "a.py", "one/a.py", "one/dist/x.js", "one/b.log", "one/s/c.tmp"]
    files += ["one/kept/a.gen", "one/kept/a.gen.py"]
    for name in files:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x\n")
    (root / ".gitignore").write_text("*.old\n")
    (root / "b.old").touch()
    subprocess.run(["git", "init", "-q", root / "one"], check=True)
    (root / "one" / ".gitignore").write_text("dist/\n*.log\n*.gen\n")
    (root / "one" / "s" / ".gitignore").write_text("*.tmp\n")
    config = tadoru.Config(home=str(tmp_path / "home"), index=IndexConfig(include=("one/dist",)))
    with tadoru.open(root, config=config) as workspace:
        report = workspace.index(dry_run=dry_run)
    assert {reason: list(paths) for reason, paths in report.skipped.items()} == {
        "ignored by .gitignore: *.old": ["b.old"],
        "ignored by defaults: node_modules/": ["node_modules/"],
        "ignored by one/.gitignore: *.gen": ["one/kept/a.gen"],
        "ignored by one/.gitignore: *.log": ["one/b.log"],
        "ignored by one/s/.gitignore: *.tmp": ["one/s/c.tmp"],
    }


def test_what_git_does_not_even_list_is_named(tmp_path: Path) -> None:
    root = tmp_path / "r"
    (root / "s").mkdir(parents=True)
    (root / "s" / "a.py").touch()
    subprocess.run(["git", "init", "-q", root], check=True)
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(root / "s" / "door"))
    with tadoru.open(root, config=tadoru.Config(home=str(tmp_path / "home"))) as workspace:
        assert workspace.index().skipped == {"a FIFO": ["pipe"], "a socket": ["s/door"]}


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
        with writer_lock(directory, 5):
            child = subprocess.Popen(
                [sys.executable, "-m", "tadoru", "--root", str(root), "index"],
                env={**os.environ, "TADORU_HOME": str(tmp_path / "home")},
                stderr=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                text=True,
            )
            assert child.stderr is not None
            assert "waiting for a run that is under way" in child.stderr.readline()
            assert child.poll() is None
        _, errors = child.communicate(timeout=60)
    assert child.returncode == 0, errors


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
