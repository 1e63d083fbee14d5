"""grepai #129 and #225: a checkout looks like renames and removals; live files were dropped."""

from __future__ import annotations

import threading
import time


def test_two_checkouts_under_a_watcher_end_where_they_began(new_tree):
    tree = new_tree({f"m{n}.py": f"def main{n}(): ...\n" for n in range(20)})
    tree.git("init", "-q", "-b", "main")
    tree.git("add", "-A")
    tree.git("commit", "-qm", "one")
    tree.git("checkout", "-q", "-b", "other")
    tree.write({f"m{n}.py": f"def other{n}(): ...\n" for n in range(20)})
    tree.git("commit", "-qam", "two")
    tree.git("checkout", "-q", "main")
    workspace = tree.ask()
    workspace.index()
    stop = threading.Event()
    watcher = threading.Thread(target=workspace.watch, kwargs={"stop": stop, "debounce_ms": 50})
    watcher.start()
    try:
        time.sleep(0.3)
        for branch in ("other", "main"):
            tree.git("checkout", "-q", branch)
            time.sleep(0.3)
        end = time.monotonic() + 20
        while len(tree.defined("main7")) != 1 or tree.defined("other7"):
            assert time.monotonic() < end
            time.sleep(0.05)
    finally:
        stop.set()
        watcher.join(20)
    assert len(tree.files()) == 20
    assert workspace.symbols(limit=100).total == 20
