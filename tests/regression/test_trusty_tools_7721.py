"""trusty-tools #7721: a question about a worktree was answered from the main checkout."""

from __future__ import annotations

import tadoru


def test_each_worktree_answers_for_itself(new_tree):
    tree = new_tree({"greet.py": "def greet():\n    return 'from main'\n"})
    tree.git("init", "-q", "-b", "main")
    tree.git("add", "-A")
    tree.git("commit", "-qm", "one")
    other = tree.root.parent / "wt"
    tree.git("worktree", "add", "-q", str(other), "-b", "feat")
    (other / "greet.py").write_text("def greet():\n    return 'from the worktree'\n")
    with tadoru.open(other) as workspace:
        assert "from the worktree" in workspace.search("greet").text
    assert "from main" in tree.ask().search("greet").text
