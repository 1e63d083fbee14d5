"""codebase-memory-mcp #334, #260, #790, #1206: `ready` with a part of the data, empty databases,
stale logs, and two healthy instances that put each other's database away."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace

import tadoru
from tadoru.config import load

ASKS = """
import sys, time, tadoru
with tadoru.open(sys.argv[1]) as workspace:
    for turn in range(12):
        answer = workspace.search("shared helper")
        assert str(answer.index.status) in ("fresh", "updating", "partial", "stale"), answer.index
        time.sleep(0.08)
"""


def test_four_processes_on_one_changing_tree_end_with_what_a_fresh_index_holds(new_tree, tmp_path):
    tree = new_tree({f"m{n}.py": f"def helper{n}():\n    return shared\n" for n in range(60)})
    askers = [
        subprocess.Popen([sys.executable, "-c", ASKS, str(tree.root)], stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    for turn in range(3):
        time.sleep(0.4)
        tree.write({f"m{n}.py": f"def turn{turn}_{n}():\n    return shared\n" for n in range(20)})
    for asker in askers:
        _, errors = asker.communicate(timeout=60)
        assert asker.returncode == 0, errors.decode()
    time.sleep(0.1)
    workspace = tree.ask()
    end = time.monotonic() + 20
    while str(workspace.status()) != "fresh" and time.monotonic() < end:
        time.sleep(0.1)
    counts = workspace.stats()
    config = load(tree.root)
    with tadoru.open(tree.root, config=replace(config, home=str(tmp_path / "other"))) as fresh:
        fresh.index()
        expected = fresh.stats()
        assert (counts["files"], counts["symbols"]) == (expected["files"], expected["symbols"])
    assert len(tree.defined("turn2_7")) == 1
    assert tree.defined("turn1_7") == []
