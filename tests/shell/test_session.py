"""What travels between two calls, what an idle session costs, and that the short way of a plain
command line means the same as the long one."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
from pathlib import Path

import pytest

from tadoru.shell import loops
from tadoru.shell.mend import mend
from tadoru.shell.plain import look

FILES = {"a.txt": b"one\ntwo\n", "docs/b.md": b"three\n"}
OURS = {"ls", "cat", "grep", "head", "wc", "find", "seq"}


def spoken(shell, *lines: str) -> list[str]:
    """Run lines one after the other in one session; return what each printed."""
    state, said = None, []
    for line in lines:
        done = shell(line, FILES, state=state)
        state = done.state
        said.append(done.stdout)
    return said


@pytest.mark.parametrize(
    ("before", "ask", "answer"),
    [
        ("false", "echo $?", "1\n"),
        ("true", "echo $?", "0\n"),
        ("grep -q nothing a.txt", "[ $? -eq 1 ] && echo none", "none\n"),
        ("exit 7", "echo $?", "7\n"),
        ("false | true | (exit 3)", "echo ${PIPESTATUS[@]}", "1 0 3\n"),
        ("false | true", "echo ${PIPESTATUS[@]} $?", "1 0 0\n"),
        ("! true", "echo $?", "1\n"),
        ("set -e; f() { return 4; }; f", "echo $?; echo on", "4\non\n"),
        ("cat nope", "if [ $? != 0 ]; then\necho failed\nfi", "failed\n"),
        ("nosuch", "echo $?", "127\n"),
    ],
)
def test_the_exit_code_is_there_in_the_next_call(shell, before, ask, answer):
    assert spoken(shell, before, ask)[1] == answer


def test_a_session_that_only_looks_around_is_a_few_bytes(shell):
    state = shell("ls; cat a.txt | head -1; find . -name '*.md'", FILES).state
    assert len(state) < 100
    state = shell("grep -c one a.txt", FILES, state=state).state
    assert len(state) < 100
    assert len(shell("x=1; cd docs", FILES, state=state).state) < 3_000


def test_what_was_changed_travels_also_by_plain_lines(shell):
    lines = ("cd docs", "x=5", "cat b.md", "f() { echo f$x; ls; }", "ls", "f")
    assert spoken(shell, *lines)[5] == "f5\nb.md\n"
    assert spoken(shell, "a=(1 2)", "echo ${a[1]}")[1] == "2\n"
    assert spoken(shell, "shopt -s expand_aliases; alias ll='ls docs'", "ll") == ["", "b.md\n"]
    assert spoken(shell, "shopt -s nullglob", "ls", "echo *.zip") == ["", "a.txt\ndocs\n", "\n"]
    assert spoken(shell, "export A=1", "ls", "bash -c 'echo $A'")[2] == "1\n"
    assert spoken(shell, "trap 'echo bye' EXIT", "true")[0] == "bye\n"


@pytest.mark.parametrize(
    "script",
    [
        "c=ls; $c", "eval ls", "f() { ls; }; f", "bash -c ls", "xargs ls", "env ls", "l='l''s'; $l",
        "source x", "alias q=ls", "trap ls EXIT", "$(echo ls)", "find . -exec ls ;", "type ls",
        "command ls", "ls " + "a" * 5_000, "ls |", "time timeout 3 ls", "mapfile -C ls a",
        "/bin/ls",
    ],
)  # fmt: skip
def test_what_may_call_anything_gets_all_commands(script):
    allowed = {"find"} if script.startswith("find") else set()
    assert look(mend(script), OURS - {"find"} | allowed).calls in (None, frozenset({"find"}))


def test_a_plain_line_gets_what_it_calls():
    seen = look(mend("ls *.md | head -3; for f in $(cat l); do [ -f $f ] && wc $f; done"), OURS)
    assert seen.calls == {"ls", "head", "cat", "[", "wc"} and not seen.dark


@pytest.mark.parametrize(
    "command",
    [
        "c=wc; $c -l a.txt", "eval 'head -1 a.txt'", "f() { grep -c o a.txt; }; f | cat",
        "bash -c 'ls docs'", "echo a.txt | xargs wc -l", "env head -1 a.txt", "command ls docs",
        "find . -name '*.md' -exec head -1 {} \\;", "time -p true 2>/dev/null; timeout 3 ls docs",
        "x=$(ls docs); echo $x", "cat <(head -1 a.txt)",
        "seq 2 | while read n; do wc -l a.txt; done",
    ],
)  # fmt: skip
def test_our_commands_answer_however_they_are_called(shell, command):
    long_way = shell(f"q() {{ :; }}; {command}", FILES)
    short_way = shell(command, FILES)
    assert (short_way.stdout, short_way.stderr) == (long_way.stdout, long_way.stderr)
    assert short_way.stdout


def test_loops_are_used_again_and_a_broken_one_is_not(shell):
    shell("ls", FILES)
    kept = len(loops._shelf)
    for _ in range(20):
        shell("ls | head -1", FILES)
    assert len(loops._shelf) == kept

    async def fails() -> None:
        raise KeyError

    with pytest.raises(KeyError):
        loops.run(fails())
    assert len(loops._shelf) < max(kept, 1)
    assert shell("ls", FILES).stdout


def test_no_descriptor_is_left_behind(shell):
    def open_ones() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    shell("ls", FILES)
    before = open_ones()
    states = [shell("x=1; ls", FILES).state for _ in range(100)]
    assert len(states) == 100 and open_ones() <= before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_leaves_the_loops_of_its_parent_alone(shell):
    shell("ls", FILES)
    here, there = multiprocessing.Pipe()
    os_fork = multiprocessing.get_context("fork")
    child = os_fork.Process(target=_shelf_size, args=(there,))
    child.start()
    assert here.recv() == 0
    child.join(10)
    assert shell("ls | wc -l", FILES).stdout == "2\n"
    assert asyncio.run(asyncio.sleep(0, "alive")) == "alive"


def _shelf_size(pipe) -> None:
    pipe.send(len(loops._shelf))
