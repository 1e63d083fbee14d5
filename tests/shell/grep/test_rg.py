"""Our rg against ripgrep 13 on the same tree: stdout and exit code, and stderr but for usage."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from gnu_oracle import Both

CASES = [
    line
    for line in Path(__file__).with_name("cases").joinpath("rg.txt").read_text().splitlines()
    if line
]


@pytest.mark.parametrize("command", CASES)
def test_like_ripgrep(rg_both: Both, command: str) -> None:
    if shutil.which("rg") is None:
        pytest.skip("needs ripgrep")
    stdout, code, stderr = rg_both.gnu(command)
    # The words of its single thread, which we use to have an order, differ from the usual ones.
    stderr = re.sub(r"IO error for operation on .*?: ", "", stderr)
    assert rg_both.ours(command) == (stdout, code, stderr)
