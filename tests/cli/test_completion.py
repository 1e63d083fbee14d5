"""Completion in a real bash: what Tab offers after the script of `tadoru completion bash`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pexpect
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Run

pytestmark = pytest.mark.slow  # each test starts processes

ASK = """
source <(tadoru completion bash)
COMP_WORDS=({words}); COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
compopt() {{ echo "compopt ${{*: -1}}"; }}
$(complete -p tadoru | sed 's/.*-F \\([^ ]*\\) .*/\\1/') tadoru
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture
def on_path(tmp_path: Path) -> dict[str, str]:
    """An environment in which `tadoru` is a command."""
    command = tmp_path / "bin/tadoru"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m tadoru "$@"\n')
    command.chmod(0o755)
    return {**os.environ, "PATH": f"{command.parent}:{os.environ['PATH']}"}


@pytest.fixture
def offered(
    on_path: dict[str, str], shared_repository: Path, needs: Callable[[str], str]
) -> Callable[[str], list[str]]:
    """Return what bash is offered for the words of a line, the last of which is unfinished."""
    bash = needs("bash")

    def ask(words: str) -> list[str]:
        done = subprocess.run(
            [bash, "--norc", "-c", ASK.format(words=words)],
            env=on_path, cwd=shared_repository, capture_output=True, text=True,
        )  # fmt: skip
        assert done.stderr == ""
        return done.stdout.split("\n")[:-1]

    return ask


def test_commands_options_and_choices_are_offered(offered: Callable[[str], list[str]]) -> None:
    commands = offered("tadoru re")
    assert {"resolve", "retry", "read", "references", "reindex"} <= set(commands)
    assert all(name.startswith("re") for name in commands)
    assert offered("tadoru search --te") == ["--terms", "--technical-terms", "--tests"]
    assert offered("tadoru search --mode ''") == ["quick", "balanced", "deep"]
    assert offered("tadoru config ''") == ["list", "set", "validate"]
    assert offered("tadoru search --no-") == ["--no-index"]
    assert "--root" in offered("tadoru --r")


def test_paths_are_left_to_the_shell(offered: Callable[[str], list[str]]) -> None:
    assert offered("tadoru read src/sh") == ["compopt default", ""]
    assert offered("tadoru map s") == ["compopt dirnames", ""]


def test_tab_at_a_terminal(
    on_path: dict[str, str], shared_repository: Path, needs: Callable[[str], str]
) -> None:
    child = pexpect.spawn(
        needs("bash"), ["--norc", "--noprofile", "-i"], cwd=str(shared_repository),
        env={**on_path, "PS1": "% ", "TERM": "dumb", "INPUTRC": "/dev/null"},
        encoding="utf-8", timeout=20,
    )  # fmt: skip
    child.expect_exact("% ")
    child.sendline('eval "$(tadoru completion bash)"')
    child.expect_exact("% ")
    child.send("tadoru defin\t")
    child.expect_exact("tadoru definition ")
    child.send("sign --bri\t")
    child.expect_exact("--brief ")
    child.sendline("")
    child.expect_exact("src/shop/sessions.py:17: function sign")
    child.send("tadoru read src/shop/sess\t")
    child.expect_exact("src/shop/sessions.py ")
    child.sendcontrol("c")
    child.close()


@pytest.mark.parametrize(("shell", "mark"), [("zsh", "#compdef tadoru"), ("fish", "complete ")])
def test_scripts_of_other_shells_are_theirs(cli: Run, shell: str, mark: str) -> None:
    done = cli("completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    assert mark in done.stdout
    assert "_TADORU_COMPLETE" in done.stdout


def test_completion_knows_only_the_three(cli: Run) -> None:
    assert cli("completion", "csh").returncode == 2
