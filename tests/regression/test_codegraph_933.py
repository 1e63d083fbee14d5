"""codegraph #933, #100, #414: after a pull the tree is clean, and a sync that asks `git status` saw
nothing."""

from __future__ import annotations

import time


def test_what_a_pull_brought_is_found_without_force(new_tree):
    tree = new_tree({"a.py": "def before(): ...\n"})
    tree.git("init", "-q", "-b", "main")
    tree.git("add", "-A")
    tree.git("commit", "-qm", "one")
    assert tree.defined("before")
    tree.git("clone", "-q", str(tree.root), str(tree.root.parent / "clone"))
    clone = tree.root.parent / "clone"
    (clone / "b.py").write_text("def added_after(): ...\n")
    for command in (["add", "-A"], ["commit", "-qm", "two"]):
        tree.git("-C", str(clone), *command)
    tree.git("pull", "-q", str(clone), "main")
    time.sleep(0.1)
    assert tree.defined("added_after") == [("b.py", 1)]
    assert str(tree.ask().status()) == "fresh"
