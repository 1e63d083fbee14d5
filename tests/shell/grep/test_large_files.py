"""A file that no read returns is named, and what lies behind it is searched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import tadoru


@pytest.mark.parametrize("command", ["grep -rn alpha .", "rg -n alpha"])
def test_a_file_of_five_gigabytes_hides_nothing_behind_it(tmp_path: Path, command: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text("alpha\n")
    (root / "z.txt").write_text("alpha\n")
    with (root / "huge.bin").open("wb") as file:
        os.truncate(file.fileno(), 5 << 30)
    with tadoru.open(root) as workspace:
        result = workspace.run(command)
    found = [line.removeprefix("./") for line in result.stdout.splitlines()]
    assert found == ["a.txt:1:alpha", "z.txt:1:alpha"]
    assert "huge.bin: File too large" in result.stderr
    assert result.exit_code == 2
