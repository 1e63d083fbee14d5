"""Our grep against GNU's on the same tree: stdout, stderr and exit code."""

from __future__ import annotations

from pathlib import Path

import pytest
from gnu_oracle import Both

CASES = [
    line
    for line in Path(__file__).with_name("cases").joinpath("grep.txt").read_text().splitlines()
    if line
]


@pytest.mark.parametrize("command", CASES)
def test_like_gnu_grep(grep_both: Both, command: str) -> None:
    assert grep_both.ours(command) == grep_both.gnu(command)
