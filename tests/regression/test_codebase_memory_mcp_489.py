"""codebase-memory-mcp #489: `.git/info/exclude` did not count, and worktrees inside were
swallowed."""

from __future__ import annotations


def test_the_private_exclude_file_counts_and_worktrees_inside_are_left_out(new_tree):
    tree = new_tree(
        {"keep/a.py": "def kept(): return 1\n", "skip/b.py": "def skipped(): return 1\n"}
    )
    tree.git("init", "-q", "-b", "main")
    with (tree.root / ".git/info/exclude").open("a") as exclude:
        exclude.write("skip/\n")
    tree.git("add", "-A")
    tree.git("commit", "-qm", "one")
    tree.git("worktree", "add", "-q", "trees/feature", "-b", "feature")
    assert tree.files() == ["keep/a.py"]
    assert tree.defined("skipped") == []
    skipped = tree.ask().index(rebuild=True).skipped
    assert skipped["another worktree of a repository in this tree"] == ["trees/feature"]
