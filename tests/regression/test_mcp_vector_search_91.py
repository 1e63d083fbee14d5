"""mcp-vector-search #91: a kill in the middle of indexing broke the vector store, which only a
later delete noticed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest


@pytest.mark.slow
def test_after_a_kill_opening_asking_deleting_and_adding_work(new_tree, cli):
    tree = new_tree({f"m{n}.py": f"def f{n}():\n    return shared\n" for n in range(300)})
    command = [sys.executable, "-m", "tadoru", "index", str(tree.root), "--rebuild"]
    for turn in range(4):
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        time.sleep(0.5 + 0.25 * turn)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        (tree.root / f"m{turn}.py").unlink()
        tree.write({f"new{turn}.py": f"def fresh{turn}(): ...\n"})
        assert cli("index", str(tree.root)).returncode == 0
        assert cli("definition", f"fresh{turn}", "--root", str(tree.root)).returncode == 0
        assert cli("definition", f"f{turn}", "--root", str(tree.root)).returncode == 1
        assert cli("doctor", "--root", str(tree.root)).returncode == 0
