"""What is said when nothing was found, or nothing was asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Run


def test_a_search_without_hits_says_so(cli: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = cli("--root", str(tmp_path / "empty"), "search", "cart")
    assert (done.returncode, done.stdout) == (1, "")
    assert "nothing found" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_group_of_commands_alone_prints_its_help(cli: Run) -> None:
    for group in ("explain", "config"):
        done = cli(group)
        assert (done.returncode, done.stderr) == (0, "")
        assert "\n\nCommands:\n" in done.stdout or "\nCommands:\n" in done.stdout
