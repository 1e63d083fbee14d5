"""codebase-memory-mcp #1429: the branch was switched while nobody watched; the status spoke of
the new branch and the data of the old one."""

from __future__ import annotations

import tadoru


def branches(tree):
    tree.git("init", "-q", "-b", "main")
    tree.git("add", "-A")
    tree.git("commit", "-qm", "one")
    tree.git("checkout", "-q", "-b", "other")
    tree.write({"a.py": "def of_other(): ...\n"})
    tree.git("commit", "-qam", "two")
    tree.git("checkout", "-q", "main")


def test_a_switched_branch_is_noticed_by_the_next_process(new_tree, cli):
    tree = new_tree({"a.py": "def of_main(): ...\n"})
    branches(tree)
    assert cli("index", str(tree.root)).returncode == 0
    tree.git("checkout", "-q", "other")
    found = cli("definition", "of_other", "--root", str(tree.root))
    assert "a.py" in found.stdout
    assert cli("definition", "of_main", "--root", str(tree.root)).returncode == 1


def test_who_may_not_index_says_stale_and_never_fresh(new_tree, cli):
    tree = new_tree({"a.py": "def of_main(): ...\n"})
    branches(tree)
    assert cli("index", str(tree.root)).returncode == 0
    tree.git("checkout", "-q", "other")
    with tadoru.open(tree.root, index=False) as workspace:
        assert str(workspace.status()).startswith("stale")
