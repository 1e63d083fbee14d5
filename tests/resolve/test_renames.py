"""Where a path went, with git itself as the oracle."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tadoru.resolve import resolve
from tadoru.resolve.renamed import follow, parse, renames
from tadoru.views import View

TEXT = "".join(f"line {n} of a file that is long enough to be recognised\n" for n in range(20))


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("renames")

    def git(*arguments: str) -> None:
        subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True)

    git("init", "-q")
    for name in ("old/a.py", "old/b.py", "gone.py", "naïve name.py"):
        path = root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(name + TEXT * (1 + len(name)))
    git("add", ".")
    git("commit", "-qm", "one")
    git("mv", "old", "new")
    git("rm", "-q", "gone.py")
    git("mv", "naïve name.py", "plain.py")
    git("commit", "-qm", "two")
    git("mv", "new/a.py", "new/c.py")
    git("commit", "-qm", "three")
    return root


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("old/a.py", ("new/c.py",)),
        ("old/b.py", ("new/b.py",)),
        ("gone.py", ("",)),
        ("naïve name.py", ("plain.py",)),
        ("never/was.py", ()),
    ],
)
def test_renames_are_followed_to_the_end(repository: Path, old: str, new: tuple[str, ...]) -> None:
    assert renames(str(repository), old) == new


def test_a_directory_went_where_its_files_went(repository: Path) -> None:
    assert renames(str(repository), "old") == ("new",)


def test_paths_are_those_below_the_root(repository: Path) -> None:
    assert renames(str(repository / "new"), "a.py") == ("c.py",)


def test_without_a_repository_there_is_no_answer(tmp_path: Path) -> None:
    assert renames(str(tmp_path), "a.py") == ()
    assert renames(str(tmp_path / "missing"), "a.py") == ()


def test_the_repository_executes_nothing(repository: Path, tmp_path: Path) -> None:
    marker = tmp_path / "executed"
    config = repository / ".git" / "config"
    before = config.read_text()
    script = f"touch {marker}; false"
    config.write_text(
        before
        + f'[core]\n fsmonitor = "{script}"\n pager = "{script}"\n'
        + f'[diff]\n external = "{script}"\n'
        + f'[log]\n showSignature = true\n[gpg]\n program = "{script}"\n'
    )
    try:
        renames(str(repository), "old/b.py")
    finally:
        config.write_text(before)
    assert not marker.exists()


def test_a_cycle_ends() -> None:
    assert follow({"a": "b", "b": "a"}, "a") == ("b",)


def test_a_broken_log_is_read_as_far_as_it_goes() -> None:
    assert parse(b"R100\0a\0b\0D\0c\0R100\0d") == {"a": "b", "c": ""}
    assert parse(b"") == {}


def test_a_file_is_looked_for_where_its_directory_went(view_of: Callable[..., View]) -> None:
    view = view_of(["src/workspace/dependencies.rs", "src/ops/run.rs", "src/ops/unit_deps.rs"])
    moved = {"src/cargo/core": ("src/workspace",)}
    answer = resolve(view, "src/cargo/core/dependency.rs", renames=lambda path: moved.get(path, ()))
    assert (answer.status, answer.path) == ("resolved", "src/workspace/dependencies.rs")
    assert answer.requested == "src/cargo/core/dependency.rs"


def test_a_directory_follows_the_files_right_in_it() -> None:
    moves = {"old/a.py": "new/a.py", "old/b.py": "new/b.py"}
    moves |= {f"old/sub/{n}.py": f"other/sub/{n}.py" for n in range(9)}
    assert follow(moves, "old") == ("new",)
    assert follow({"old/a.py": "", "old/b.py": ""}, "old") == ("",)
    assert follow({"old/a.py": "new/z.py"}, "old") == ()
