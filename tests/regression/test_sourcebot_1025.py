"""sourcebot #1025: what a deleted branch had brought stayed searchable."""

from __future__ import annotations

import time


def test_nothing_of_a_branch_stays_after_it_was_left_and_deleted(new_tree):
    tree = new_tree({"a.py": "def stays(): ...\n"})
    tree.git("init", "-q", "-b", "main")
    tree.git("add", "-A")
    tree.git("commit", "-qm", "one")
    tree.git("checkout", "-q", "-b", "gone")
    tree.write({"b.py": "def zyxwv_unique(): ...\n"})
    tree.git("add", "-A")
    tree.git("commit", "-qm", "two")
    assert tree.hits("zyxwv_unique") == ["b.py"]
    tree.git("checkout", "-q", "main")
    tree.git("branch", "-D", "gone")
    time.sleep(0.1)
    assert tree.hits("zyxwv_unique") == []
    assert tree.ask().run("grep -r zyxwv .").stdout == ""
