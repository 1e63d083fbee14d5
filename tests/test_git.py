"""Running git on a source: it reads, and nothing of the source executes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tadoru import git


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    root.mkdir()

    def run(*arguments: str) -> None:
        subprocess.run(["git", "-C", root, *arguments], check=True, capture_output=True)

    run("init", "-q")
    run("config", "user.email", "a@example.org")
    run("config", "user.name", "A")
    (root / "a.py").write_text("a = 1\n")
    (root / ".gitattributes").write_text("*.py diff=evil filter=evil\n")
    run("add", ".")
    run("commit", "-qm", "first")
    return root


def test_changed_since_lists_changed_and_new_files(repository: Path) -> None:
    (repository / "a.py").write_text("a = 2\n")
    (repository / "b.py").write_text("b = 1\n")
    assert git.changed_since(repository, "HEAD") == {"a.py", "b.py"}
    (repository / "a.py").unlink()
    assert git.changed_since(repository, "HEAD") == {"a.py", "b.py"}


def test_changed_since_is_relative_to_a_directory_of_the_repository(repository: Path) -> None:
    (repository / "sub").mkdir()
    (repository / "sub" / "c.py").write_text("c = 1\n")
    (repository / "a.py").write_text("a = 2\n")
    assert git.changed_since(repository / "sub", "HEAD") == {"c.py"}


@pytest.mark.parametrize("revision", ["nowhere", "--output=stolen", "", "HEAD\0x"])
def test_an_unknown_revision_is_none_and_writes_nothing(repository: Path, revision: str) -> None:
    before = sorted(p.name for p in repository.iterdir())
    assert git.changed_since(repository, revision) is None
    assert sorted(p.name for p in repository.iterdir()) == before


def test_the_configuration_of_a_source_executes_nothing(repository: Path) -> None:
    trap = repository / "executed"
    script = repository / "trap.sh"
    script.write_text(f"#!/bin/sh\ntouch {trap}\ncat\n")
    script.chmod(0o755)
    hooks = repository / "hooks"
    hooks.mkdir()
    for name in ("post-index-change", "pre-commit", "fsmonitor-watchman"):
        (hooks / name).write_text(script.read_text())
        (hooks / name).chmod(0o755)
    for key in (
        "core.fsmonitor", "diff.external", "filter.evil.clean", "filter.evil.process",
        "diff.evil.command", "diff.evil.textconv", "core.pager", "pager.log", "core.sshCommand",
        "core.editor", "core.askPass", "credential.helper", "gpg.program",
    ):  # fmt: skip
        subprocess.run(["git", "-C", repository, "config", key, str(script)], check=True)
    subprocess.run(["git", "-C", repository, "config", "core.hooksPath", str(hooks)], check=True)
    (repository / "a.py").write_text("a = 3\n")
    git.changed_since(repository, "HEAD")
    for command in ("ls-files", "log", "rev-parse"):
        git.run(repository, command)
    git.run(repository, "check-ignore", "-v", "--stdin", stdin=b"a.py\n")
    assert not trap.exists()


def test_only_reading_commands_are_run(repository: Path) -> None:
    with pytest.raises(ValueError, match="commit"):
        git.run(repository, "commit")


def test_no_repository_and_no_git_give_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert git.run(tmp_path, "log") is None
    monkeypatch.setenv("PATH", str(tmp_path))
    assert git.run(tmp_path, "log") is None
