"""`path:line` in text that terminals link, and as a hyperlink where they understand it."""

from __future__ import annotations

import io
import os
import re
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pexpect
import pytest

from tadoru.cli.links import located

if TYPE_CHECKING:
    from conftest import Run


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


Located = Callable[[str, int, str], str]


@pytest.fixture
def at_terminal(monkeypatch: pytest.MonkeyPatch) -> Located:
    """What a terminal gets that knows hyperlinks."""
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "FORCE_HYPERLINK", "TERM_PROGRAM", "KITTY_WINDOW_ID"):
        monkeypatch.delenv(name, raising=False)

    def ask(path: str, line: int, host_path: str) -> str:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", Terminal())
            return located(path, line, host_path)

    return ask


def test_a_terminal_gets_a_link_to_the_file(at_terminal: Located) -> None:
    address = f"file://{socket.gethostname()}/r/a%20b.py"
    assert at_terminal("a b.py", 7, "/r/a b.py") == f"\x1b]8;;{address}\x1b\\a b.py:7\x1b]8;;\x1b\\"


def test_the_line_travels_where_that_works(
    at_terminal: Located, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KITTY_WINDOW_ID", "1")
    assert "/r/a.py#7\x1b" in at_terminal("a.py", 7, "/r/a.py")
    monkeypatch.setenv("TERM_PROGRAM", "vscode")
    assert "vscode://file/r/a.py:7\x1b" in at_terminal("a.py", 7, "/r/a.py")


@pytest.mark.parametrize(
    ("name", "value"),
    [("TERM", "dumb"), ("TERM", "linux"), ("NO_COLOR", "1"), ("FORCE_HYPERLINK", "0")],
)
def test_who_cannot_or_will_not_gets_text(
    at_terminal: Located, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    assert at_terminal("a.py", 7, "/r/a.py") == "a.py:7"


def test_a_pipe_gets_text_unless_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_HYPERLINK", raising=False)
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert located("a.py", 7, "/r/a.py") == "a.py:7"
    monkeypatch.setenv("FORCE_HYPERLINK", "1")
    assert located("a.py", 7, "/r/a.py").startswith("\x1b]8;;file://")
    assert located("a.py", 7) == "a.py:7"


def test_a_name_cannot_break_out_of_its_link(at_terminal: Located) -> None:
    evil = "a\x1b]0;owned\x07\x1b\\.py"
    text = at_terminal(evil, 7, f"/r/{evil}")
    assert len(re.findall("\x1b", text)) == 4
    assert "\x07" not in text
    odd = os.fsdecode(b"caf\xe9.py")
    assert "caf%E9.py" in at_terminal(odd, 1, f"/r/{odd}")


@pytest.mark.slow
def test_no_color_at_a_terminal_means_no_escape_at_all(
    tadoru_command: list[str], shared_repository: Path
) -> None:
    for arguments in (["definition", "sign"], ["index", "--rebuild"], ["references", "sign"]):
        child = pexpect.spawn(
            tadoru_command[0], [*tadoru_command[1:], *arguments], cwd=str(shared_repository),
            env={**os.environ, "TERM": "xterm-256color", "NO_COLOR": "1"},
            encoding="utf-8", timeout=30,
        )  # fmt: skip
        text = child.read()
        child.wait()
        assert child.exitstatus == 0
        assert not re.search(r"\x1b\[[0-9;]*m|\x1b\]", text), arguments


@pytest.mark.slow
def test_answers_name_path_and_line(cli: Run) -> None:
    for arguments in (["definition", "sign", "--brief"], ["references", "sign"], ["symbols"],
                      ["search", "sign a cookie", "--files"]):  # fmt: skip
        for line in cli(*arguments).stdout.splitlines():
            assert re.match(r"[\w/.]+:\d+:", line), line


def test_a_symbol_leads_to_its_file_also_below_a_mount(cli: Run, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "app.py").write_text(f"def only_{name}():\n    return 1\n")
    roots = ("--root", str(tmp_path / "one"), "--root", str(tmp_path / "two"))
    assert cli(*roots, "index").returncode == 0
    forced = {"FORCE_HYPERLINK": "1"}
    done = cli(*roots, "symbols", str(tmp_path / "two/app.py"), env=forced)
    assert f"{tmp_path}/two/app.py\x1b\\two/app.py:1\x1b]8;;" in done.stdout
    done = cli("--root", str(tmp_path / "one"), "definition", "only_one", "--brief", env=forced)
    assert f"{tmp_path}/one/app.py\x1b\\app.py:1\x1b]8;;" in done.stdout
