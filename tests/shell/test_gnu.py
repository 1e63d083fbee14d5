"""Our commands against GNU's on the same tree: stdout, exit code and, but for a few, stderr."""

from __future__ import annotations

from pathlib import Path

import pytest
from gnu_oracle import Both

CASES = {
    path.stem: [line for line in path.read_text().splitlines() if line]
    for path in sorted(Path(__file__).with_name("cases").glob("*.txt"))
}
OTHER_WORDS = ("find README.md/", "-regextype zz")
"""Commands of which GNU words the complaint in its own way."""


@pytest.mark.parametrize(
    "command", [pytest.param(c, id=f"{group}: {c}") for group, cs in CASES.items() for c in cs]
)
def test_like_gnu(both: Both, command: str, needs: object) -> None:
    if command.startswith("tree"):
        needs("tree")  # type: ignore[operator]
    want, got = both.gnu(command), both.ours(command)
    assert got[:2] == want[:2]
    if not any(words in command for words in OTHER_WORDS):
        assert got[2] == want[2]
