"""A call that costs no look at the source: only when nothing changed, and never a missed edit."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tadoru
from tadoru import Workspace, inotify, sentry
from tadoru.indexing import changes

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")

Looks = Callable[[], int]


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Looks:
    """How many times the source was looked at so far."""
    count = 0
    scan = changes.scan

    def counted(*arguments: Any) -> Any:
        nonlocal count
        count += 1
        return scan(*arguments)

    monkeypatch.setattr(changes, "scan", counted)
    return lambda: count


@pytest.fixture
def root(tmp_path: Path, new_repository: Callable[[Path], Path]) -> Path:
    return new_repository(tmp_path / "shop")


@pytest.fixture
def watched(root: Path) -> Iterator[Workspace]:
    """A workspace that was asked often enough to watch its root."""
    with tadoru.open(root) as workspace:
        settle(workspace)
        yield workspace


def settle(workspace: Workspace, *, watched: bool = True) -> None:
    """Ask until the root is watched and quiet, which takes a few looks."""
    (source,) = workspace._mounts.local.values()
    for _ in range(100):
        workspace.run("true")
        if source._lookout.holds(source.store.stamp) or (not watched and source._lookout.why_not):
            return
    raise AssertionError(source._lookout.why_not)


def git(root: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(root), *words], check=True, capture_output=True)


def test_calls_over_an_unchanged_tree_look_no_more(watched: Workspace, looks: Looks) -> None:
    before = looks()
    for _ in range(20):
        assert watched.run("cat README.md").exit_code == 0
    assert looks() == before


@pytest.mark.slow
def test_an_edit_is_seen_by_the_call_right_after_it_every_time(
    watched: Workspace, root: Path
) -> None:
    file = root / "src/shop/cart.py"
    for number in range(200):
        text = f"count = {number:03d}\n"
        if number % 3 == 0:
            file.write_text(text)
        elif number % 3 == 1:
            fresh = root / "src/shop/cart.py.new"
            fresh.write_text(text)
            fresh.rename(file)
        else:
            with file.open("r+") as stream:
                stream.write(text)
        assert watched.run("cat src/shop/cart.py").stdout == text
        if number % 20 == 0:
            settle(watched)


EDITS: dict[str, Callable[[Path], object]] = {
    "a new file": lambda r: (r / "src/new.py").write_text("x = 1\n"),
    "a file in new directories": lambda r: (
        (r / "a/b/c").mkdir(parents=True),
        (r / "a/b/c/d.txt").write_text("d\n"),
    ),
    "a file that goes": lambda r: (r / "src/shop/cart.py").unlink(),
    "a directory that goes": lambda r: shutil.rmtree(r / "src/shop"),
    "a directory that is renamed": lambda r: (r / "src/shop").rename(r / "src/store"),
    "a directory that is moved in": lambda r: (r.parent / "outside").rename(r / "inside"),
    "a directory that is moved out": lambda r: (r / "src").rename(r.parent / "gone"),
    "a new executable bit": lambda r: (r / "README.md").chmod(0o755),
    "a link": lambda r: (r / "link.md").symlink_to("README.md"),
    "the same size and time": lambda r: _same_size_and_time(r / "src/shop/sessions.py"),
    "an ignore file": lambda r: (r / ".gitignore").write_text("ignored/\nsrc/\n"),
    "an ignore file that allows": lambda r: (r / ".gitignore").write_text("*.log\n"),
    "an exclude file of git": lambda r: (
        (r / ".git/info/exclude").write_text("README.md\nsrc/\n")
        and git(r, "rm", "-q", "--cached", "-r", "src", "README.md")
    ),
    "an ignored file that git is told to track": lambda r: git(r, "add", "-f", "ignored/secret.py"),
    "settings of git": lambda r: (
        (r.parent / "global-ignore").write_text("*.txt\n"),
        git(r, "config", "core.excludesFile", str(r.parent / "global-ignore")),
        (r / "note.txt").write_text("n\n"),
    ),
    "a file of our own rules": lambda r: (r / ".tadoruignore").write_text("README.md\n"),
    "a rule that brings back": lambda r: (r / ".tadoruignore").write_text("!ignored/\n"),
    "another name of a file": lambda r: (r.parent / "twin").write_text("written elsewhere\n"),
    "a repository inside": lambda r: (
        (r / "lib").mkdir(),
        git(r / "lib", "init", "-q"),
        (r / "lib/inner.py").write_text("i = 1\n"),
    ),
}


def _same_size_and_time(file: Path) -> None:
    found = file.stat()
    file.write_text(file.read_text().replace("session", "SESSION"))
    os.utime(file, ns=(found.st_atime_ns, found.st_mtime_ns))


def everything(workspace: Workspace) -> tuple[bytes, ...]:
    commands = ("find . -type f -perm -u+x", "find . | sort", "find . -type f -exec md5sum {} +")
    return tuple(workspace.run(command).stdout_bytes for command in commands)


@pytest.mark.slow
@pytest.mark.parametrize("name", EDITS)
def test_whatever_changes_is_seen_by_the_next_call(root: Path, looks: Looks, name: str) -> None:
    (root.parent / "outside").mkdir()
    (root.parent / "outside/moved.txt").write_text("moved\n")
    (root.parent / "twin").write_text("one file, two names\n")
    os.link(root.parent / "twin", root / "twin.txt")
    (root / "empty").mkdir()
    with tadoru.open(root) as workspace:
        settle(workspace)
        calm = looks()
        before = everything(workspace)
        assert looks() == calm, "it is watched"
        EDITS[name](root)
        after = everything(workspace)
        assert after != before
        # again, once the watches were renewed
        settle(workspace)
        calm = looks()
        assert everything(workspace) == after and looks() == calm
        (root / "empty/late.txt").write_text("late\n")
        assert workspace.run("cat empty/late.txt").stdout in ("late\n", "")
        seen = everything(workspace)
    with tadoru.open(root) as fresh:
        assert everything(fresh) == seen, "as somebody sees it who just looked"


def test_a_file_in_a_directory_made_after_the_watch_is_seen_when_it_changes(
    watched: Workspace, root: Path
) -> None:
    for number in range(10):
        folder = root / f"new{number}/deep"
        folder.mkdir(parents=True)
        (folder / "f").write_text("1\n")
        assert watched.run(f"cat new{number}/deep/f").stdout == "1\n"
        (folder / "f").write_text("two\n")
        assert watched.run(f"cat new{number}/deep/f").stdout == "two\n"
        (folder / "g").write_text("3\n")
        assert watched.run(f"ls new{number}/deep").stdout == "f\ng\n"


def test_ignored_directories_are_not_watched_and_empty_ones_are(root: Path) -> None:
    for name in ("node_modules/a", "node_modules/b/c", "empty/inner", "src/shop/__pycache__"):
        (root / name).mkdir(parents=True)
    (root / ".gitignore").write_text("node_modules/\n__pycache__\nignored\n")
    with tadoru.open(root) as workspace:
        settle(workspace)
        (source,) = workspace._mounts.local.values()
        post = source._lookout._sentry
        assert post is not None
        assert post._watched >= {"", "src", "src/shop", "empty", "empty/inner"}
        assert not [d for d in post._watched if "node_modules" in d or "__pycache__" in d]


def test_another_directory_in_the_place_of_one_above_the_root_is_seen(
    tmp_path: Path, new_repository: Callable[[Path], Path]
) -> None:
    (tmp_path / "above").mkdir()
    root = new_repository(tmp_path / "above/shop")
    with tadoru.open(root) as workspace:
        settle(workspace)
        (tmp_path / "above").rename(tmp_path / "gone")
        root.mkdir(parents=True)
        (root / "other.txt").write_text("another tree\n")
        assert workspace.run("cat other.txt; ls").stdout == "another tree\nother.txt\n"


def test_used_up_watches_mean_a_look_each_time(
    root: Path, looks: Looks, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(queue: object, directory: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(inotify.Queue, "add", full)
    with tadoru.open(root) as workspace:
        settle(workspace, watched=False)
        before = looks()
        workspace.run("true")
        assert looks() == before + 1
        (root / "README.md").write_text("edited\n")
        assert workspace.run("cat README.md").stdout == "edited\n"
        (source,) = workspace._mounts.local.values()
        assert "No space" in source._lookout.why_not


def test_no_more_roots_are_watched_than_a_user_has_queues_for(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sentry, "MAX_SENTRIES", len(sentry._standing))
    with tadoru.open(root) as workspace:
        settle(workspace, watched=False)
        (root / "README.md").write_text("edited\n")
        assert workspace.run("cat README.md").stdout == "edited\n"


def test_lost_events_mean_a_look(
    watched: Workspace, looks: Looks, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = looks()
    lost = [inotify.Event(inotify.OVERFLOW, b"")]
    monkeypatch.setattr(inotify.Queue, "drain", lambda queue: lost)
    watched.run("true")
    assert looks() == before + 1


def test_a_look_is_due_after_a_while(
    watched: Workspace, looks: Looks, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = looks()
    later = sentry.time.monotonic() + sentry.LOOK_ANYWAY_SECONDS
    monkeypatch.setattr(sentry.time, "monotonic", lambda: later)
    watched.run("true")
    assert looks() == before + 1


def test_another_process_that_changes_the_store_means_a_look(
    watched: Workspace, looks: Looks
) -> None:
    before = looks()
    watched.index(rebuild=True)
    watched.run("true")
    assert looks() > before


def test_file_systems_that_tell_nothing_are_not_trusted() -> None:
    lines = b"1 0 8:1 / / rw - ext4 /dev/sda rw\n2 1 0:9 / /net rw - nfs4 host:/ rw\n"
    sentry._check_mounts(lines, "/home/a")
    for root in ("/net", "/net/a"):
        with pytest.raises(sentry.Unwatchable, match="nfs4"):
            sentry._check_mounts(lines, root)
    inside = lines + b"3 1 0:9 / /home/a/my\\040share rw - fuse.sshfs x rw\n"
    with pytest.raises(sentry.Unwatchable, match="my share"):
        sentry._check_mounts(inside, "/home/a")
    with pytest.raises(sentry.Unwatchable):
        sentry._check_mounts(b"", "/home/a")


def test_a_forked_process_looks_for_itself(watched: Workspace) -> None:
    (source,) = watched._mounts.local.values()
    post = source._lookout._sentry
    assert post is not None and post.quiet()
    post._process += 1
    assert not post.quiet() and post.stale


def test_watches_are_given_back(watched: Workspace) -> None:
    (source,) = watched._mounts.local.values()
    post = source._lookout._sentry
    assert post is not None and post._queue is not None
    number = post._queue._descriptor
    watched.close()
    with pytest.raises(OSError):
        os.fstat(number)
