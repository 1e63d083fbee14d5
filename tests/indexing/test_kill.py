"""`kill -9` at 200 random moments, with a reader and a second indexer beside it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

KILLS = 50
HERE = Path(__file__).parent


@pytest.mark.slow
@pytest.mark.parametrize("phase", ["first", "update", "rebuild", "finish"])
def test_a_kill_at_any_moment_leaves_a_sound_index_that_the_next_run_completes(
    tmp_path: Path, phase: str
) -> None:
    done = subprocess.run(
        [sys.executable, str(HERE / "killed.py"), phase, str(KILLS), "7", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr[-4_000:]}"
    assert f"{KILLS} of " in done.stdout
