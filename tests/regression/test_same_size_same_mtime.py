"""A class of faults of everything that compares size and mtime alone: an edit that changes
neither."""

from __future__ import annotations

import os
import time


def test_an_edit_of_the_same_size_and_time_is_seen(new_tree):
    tree = new_tree({"m.py": "x=1\n"})
    path = tree.root / "m.py"
    os.utime(path, (1_700_000_000, 1_700_000_000))
    tree.ask().index()
    path.write_text("y=2\n")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    time.sleep(0.1)
    assert tree.ask().run("cat m.py").stdout == "y=2\n"
    assert tree.hits("y") == ["m.py"]
