"""The prompt of `tadoru sh`, at a real (pseudo) terminal."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from tadoru.cli.prompt import coloured, painted

UP = "\x1b[A"


@pytest.fixture
def prompt(
    tadoru_command: list[str], shared_repository: Path, tmp_path: Path
) -> Iterator[pexpect.spawn]:
    env = {**os.environ, "TERM": "xterm", "TADORU_HOME": str(tmp_path), "INPUTRC": "/dev/null"}
    child = pexpect.spawn(
        tadoru_command[0],
        [*tadoru_command[1:], "sh"],
        cwd=str(shared_repository),
        env=env,
        encoding="utf-8",
        timeout=20,
        dimensions=(24, 120),
    )
    child.expect_exact("tadoru:/$ ")
    yield child
    child.close(force=True)


@pytest.mark.slow
def test_lines_are_run_and_the_directory_is_kept(prompt: pexpect.spawn) -> None:
    prompt.sendline("cd src/shop")
    prompt.expect_exact("tadoru:/src/shop$ ")
    prompt.sendline("cat config.py")
    prompt.expect_exact("TAX = 0.19")
    prompt.expect_exact("tadoru:/src/shop$ ")
    prompt.sendline("RATE=7; echo $RATE")
    prompt.expect_exact("\r\n7\r\n")
    prompt.sendline("echo again $RATE")
    prompt.expect_exact("again 7")


@pytest.mark.slow
def test_a_command_may_take_several_lines(prompt: pexpect.spawn) -> None:
    prompt.sendline("for i in 1 2; do")
    prompt.expect_exact("> ")
    prompt.sendline("echo turn $i")
    prompt.expect_exact("> ")
    prompt.sendline("done")
    prompt.expect_exact("turn 1\r\nturn 2\r\n")
    prompt.sendline("cat <<END")
    prompt.expect_exact("> ")
    prompt.sendintr()
    prompt.expect_exact("tadoru:/$ ")
    prompt.sendline("echo 'open")
    prompt.expect_exact("> ")
    prompt.sendeof()
    prompt.expect_exact("unexpected EOF")
    prompt.expect_exact("tadoru:/$ ")
    prompt.sendline("exit 7")
    prompt.expect(pexpect.EOF)
    prompt.wait()
    assert prompt.exitstatus == 7


@pytest.mark.slow
def test_ctrl_c_drops_the_line_and_ctrl_d_leaves(prompt: pexpect.spawn) -> None:
    prompt.send("cat README")
    prompt.expect_exact("cat README")
    prompt.sendintr()
    prompt.expect_exact("tadoru:/$ ")
    prompt.sendline("false")
    prompt.expect_exact("tadoru:/$ ")
    prompt.sendeof()
    prompt.expect(pexpect.EOF)
    prompt.wait()
    assert prompt.exitstatus == 1


@pytest.mark.slow
def test_exit_leaves_and_lines_are_remembered(prompt: pexpect.spawn, tmp_path: Path) -> None:
    prompt.sendline("echo remember-me")
    prompt.expect_exact("\r\nremember-me\r\n")
    prompt.sendline("exit")
    prompt.expect(pexpect.EOF)
    history = tmp_path / "history"
    assert "echo remember-me" in history.read_text()
    assert history.stat().st_mode & 0o077 == 0


@pytest.mark.slow
def test_tab_completes_paths(prompt: pexpect.spawn) -> None:
    prompt.send("cat src/shop/conf\t")
    prompt.expect_exact("config.py")
    prompt.sendline("")
    prompt.expect_exact("TAX = 0.19")


@pytest.mark.slow
def test_tab_completes_commands(prompt: pexpect.spawn) -> None:
    prompt.send("defini\t")
    prompt.expect_exact("tion")
    prompt.sendline("total")
    prompt.expect_exact("src/shop/cart.py:6")


@pytest.mark.slow
def test_the_line_before_comes_back_with_an_arrow(prompt: pexpect.spawn) -> None:
    prompt.sendline("echo first-$((20+3))")
    prompt.expect_exact("\r\nfirst-23\r\n")
    prompt.send(UP)
    prompt.expect_exact("echo first-$((20+3))")
    prompt.sendline(" again")
    prompt.expect_exact("\r\nfirst-23 again\r\n")


@pytest.mark.slow
def test_ctrl_c_stops_a_running_command_and_the_session_goes_on(prompt: pexpect.spawn) -> None:
    prompt.sendline("x=kept")
    prompt.expect_exact("tadoru:/$ ")
    prompt.sendline("echo going; while :; do sleep 0.1; done")
    time.sleep(1)
    prompt.sendintr()
    prompt.expect_exact("tadoru:/$ ")
    prompt.sendline("echo $x")
    prompt.expect_exact("\r\nkept\r\n")


@pytest.mark.slow
def test_listings_and_matches_are_coloured(prompt: pexpect.spawn) -> None:
    prompt.sendline("ls")
    prompt.expect_exact("\x1b[01;34msrc\x1b[0m")
    prompt.sendline("cat src/shop/config.py | grep TAX")
    prompt.expect_exact("\x1b[01;31m\x1b[KTAX\x1b[m\x1b[K = 0.19")
    prompt.sendline("ls | cat")
    prompt.expect_exact("\r\nsrc\r\n")


@pytest.mark.slow
def test_the_exit_code_is_there_on_the_next_line(prompt: pexpect.spawn) -> None:
    prompt.sendline("grep -q nothing README.md")
    prompt.expect_exact("tadoru:/$ ")
    prompt.sendline("echo code $?")
    prompt.expect_exact("\r\ncode 1\r\n")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ls -la docs", "ls --color=always -la docs"),
        ("ls", "ls --color=always"),
        ("cat x | grep 'a | b'", "cat x | grep --color=always 'a | b'"),
        ("grep 'a$' x", "grep --color=always 'a$' x"),
        ("ls | cat", "ls | cat"),
        ("ls > /tmp/x", "ls > /tmp/x"),
        ("ls; pwd", "ls; pwd"),
        ("ls --color=never", "ls --color=never"),
        ("lsof", "lsof"),
        ("x=$(ls)", "x=$(ls)"),
        ("", ""),
    ],
)
def test_only_what_reaches_the_terminal_is_coloured(line: str, expected: str) -> None:
    assert coloured(line) == expected


def test_colours_pass_and_other_control_characters_are_shown() -> None:
    text = painted("\x1b[01;31mred\x1b[m\x1b]0;title\x07\x1b[2J")
    assert text.startswith("\x1b[01;31mred\x1b[m")
    assert "\x1b" not in text.removeprefix("\x1b[01;31mred\x1b[m")
    assert "\x07" not in text
