"""grepai #211, #189, #192: worktrees inside the tree were discovered and indexed by themselves."""

from __future__ import annotations


def test_worktrees_inside_are_named_and_left_out(new_tree):
    tree = new_tree({f"m{n}.py": f"def f{n}(): ...\n" for n in range(60)})
    tree.git("init", "-q", "-b", "main")
    tree.git("add", "-A")
    tree.git("commit", "-qm", "one")
    for number in range(3):
        tree.git("worktree", "add", "-q", f".worktrees/w{number}", "-b", f"w{number}")
    report = tree.ask().index()
    assert report.added == 60
    assert report.skipped["another worktree of a repository in this tree"] == [
        f".worktrees/w{number}" for number in range(3)
    ]
    assert not [path for path in tree.files() if path.startswith(".worktrees")]
