"""The daily log: what it says, what it never says, and that it never stands in the way."""

from __future__ import annotations

import logging
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tadoru.cli import journal
from tadoru.errors import PathNotFound

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conftest import Run


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home with tadoru's loggers as a new process finds them."""
    root = logging.getLogger("tadoru")
    monkeypatch.setattr(root, "handlers", [])
    monkeypatch.setattr(root, "level", logging.NOTSET)
    monkeypatch.setattr(root, "propagate", True)
    monkeypatch.delenv("LOG_LEVEL", raising=False)
    (tmp_path / "home").mkdir()
    yield tmp_path / "home"
    logging.getLogger("tadoru.cli").manager._clear_cache()  # type: ignore[attr-defined]


def lines(home: Path) -> list[str]:
    return [line for path in (home / "logs").glob("*") for line in path.read_text().splitlines()]


def today() -> str:
    return f"tadoru.{datetime.now(UTC).date()}.log"


def test_a_line_tells_command_code_time_and_root_but_no_words(
    cli: Run, shared_repository: Path, tmp_path: Path
) -> None:
    env = {"TADORU_HOME": str(tmp_path / "home")}
    assert cli("index", env=env).returncode == 0
    assert cli("search", "secretquestion", "--under", "src", env=env).returncode in (0, 1)
    assert cli("read", "no/such/secretpath.py", env=env).returncode == 1
    path = tmp_path / "home/logs" / today()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    first, second, third = lines(tmp_path / "home")
    assert " INFO " in first
    assert "tadoru index exit=0 ms=" in first
    assert first.endswith(f"root={shared_repository}")
    assert "tadoru search exit=" in second
    assert "tadoru read exit=1 error=not_found" in third
    assert "secret" not in path.read_text()


def test_nothing_is_made_where_no_home_is(cli: Run, tmp_path: Path) -> None:
    assert cli("status", "--no-index", env={"TADORU_HOME": str(tmp_path / "none")}).returncode == 3
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("level", "expected"), [("debug", 2), ("INFO", 1), ("", 1), ("error", 0), ("off", 0)]
)
def test_the_level_decides(
    home: Path, monkeypatch: pytest.MonkeyPatch, level: str, expected: int
) -> None:
    monkeypatch.setenv("LOG_LEVEL", level)
    journal.start(lambda: home)
    assert journal.logged("tadoru x", lambda: "/r", lambda: 3) == 3
    assert len(lines(home)) == expected


def test_an_unknown_level_is_told_and_info_is_used(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LOG_LEVEL", "loud")
    journal.start(lambda: home)
    assert "LOG_LEVEL=loud" in capsys.readouterr().err
    journal.logged("tadoru x", lambda: "/r", lambda: None)
    assert len(lines(home)) == 1


def test_faults_are_named_by_place_and_never_by_words(home: Path) -> None:
    def fail() -> None:
        raise RuntimeError("content of a file")

    def missing() -> None:
        raise PathNotFound("src/secret.py: no such file")

    journal.start(lambda: home)
    for run in (fail, missing):
        with pytest.raises((RuntimeError, PathNotFound)):
            journal.logged("tadoru x", lambda: "/r", run)
    first, second = lines(home)
    assert "RuntimeError at test_journal.py:" in first
    assert "error=not_found" in second
    assert "content" not in first
    assert "secret" not in second


def test_seven_days_are_kept_and_nothing_else_is_touched(home: Path) -> None:
    directory = home / "logs"
    directory.mkdir()
    days = [datetime.now(UTC).date() - timedelta(days=age) for age in range(1, 12)]
    for day in days:
        (directory / f"tadoru.{day}.log").write_text("old\n")
    (directory / "tadoru.mine.log").write_text("x")
    (directory / "other.txt").write_text("x")
    journal.start(lambda: home)
    journal.logged("tadoru x", lambda: "/r", lambda: None)
    kept = {path.name for path in directory.iterdir()}
    week = {f"tadoru.{day}.log" for day in days[:6]}
    assert kept == {today(), "tadoru.mine.log", "other.txt", *week}


def test_a_log_that_cannot_be_written_is_no_fault(home: Path, tmp_path: Path) -> None:
    (home / "logs").write_text("in the way")
    journal.start(lambda: home)
    assert journal.logged("tadoru x", lambda: "/r", lambda: 0) == 0


def test_a_link_in_place_of_the_log_is_not_followed(home: Path, tmp_path: Path) -> None:
    (home / "logs").mkdir()
    (tmp_path / "victim").write_text("")
    (home / "logs" / today()).symlink_to(tmp_path / "victim")
    journal.start(lambda: home)
    journal.logged("tadoru x", lambda: "/r", lambda: 0)
    assert (tmp_path / "victim").read_text() == ""


def test_a_root_with_a_line_break_stays_on_its_line(home: Path) -> None:
    journal.start(lambda: home)
    journal.logged("tadoru x", lambda: "/r\nforged", lambda: 0)
    assert len(lines(home)) == 1
