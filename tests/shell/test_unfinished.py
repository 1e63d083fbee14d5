"""The prompt asks for another line exactly where bash does."""

from __future__ import annotations

import pytest

from tadoru.shell import unfinished

OPEN = [
    "if true; then", "if true; then\necho a", "for i in 1 2", "while true; do\n", "f() {",
    "{ echo;", "(", "echo 'a", 'echo "a', "echo $(ls", "echo `a", "case x in", "[[ a ==",
    "echo a |", "a &&", "a ||", "echo a \\", "cat <<E", "cat <<E\nx", "cat <<-'E'\n\tx",
    "cat <<A <<B\nA", "cat <<E | wc",
]  # fmt: skip
CLOSED = [
    "ls", "", "echo )", "fi", "a | | b", "for i in 1; do echo; done", "echo 'a|'", "echo a # |",
    "# if", "cat <<E\nx\nE", "cat <<-E\n\tx\n\tE", "cat <<< x", "echo a \\\\", "echo $((1 << 2))",
    "echo a\\\nb", "if true; then\necho\nfi", "cat <<A <<B\nA\nB",
]  # fmt: skip


@pytest.mark.parametrize("command", OPEN)
def test_a_command_that_ends_in_the_middle_goes_on(command: str) -> None:
    assert unfinished(command)


@pytest.mark.parametrize("command", CLOSED)
def test_a_command_that_is_whole_or_wrong_does_not(command: str) -> None:
    assert not unfinished(command)
