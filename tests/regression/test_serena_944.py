"""serena #944 and #1556: 30 GB of memory for one repository."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

PEAK_MB = 400


@pytest.mark.slow
def test_memory_stays_under_its_cap_on_many_files(new_tree, tmp_path):
    tree = new_tree()
    for number in range(20_000):
        folder = tree.root / f"p{number % 200}"
        folder.mkdir(exist_ok=True)
        (folder / f"m{number}.py").write_text(
            f"def handler_{number}(request):\n    return request.user + {number}\n"
        )
    process = subprocess.Popen(
        [sys.executable, "-m", "tadoru", "index", str(tree.root)], stdout=subprocess.DEVNULL,
        env={**os.environ, "TADORU_HOME": str(tmp_path / "home")},
    )  # fmt: skip
    peak = 0
    while process.poll() is None:
        peak = max(peak, sum(map(memory, family(process.pid))))
        time.sleep(0.1)
    assert process.returncode == 0
    assert 20_000_000 < peak < PEAK_MB * 10**6


def family(pid):
    found = [pid]
    for each in found:
        for path in Path(f"/proc/{each}/task").glob("*/children"):
            try:
                found += map(int, path.read_text().split())
            except OSError:
                continue
    return found


def memory(pid):
    """Proportional set size: what several processes share counts once."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
