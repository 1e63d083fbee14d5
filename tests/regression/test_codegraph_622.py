"""codegraph #622: a repository that ignores its nested clones, whose owner wants them all the
same."""

from __future__ import annotations

import tadoru


def test_ignored_clones_are_indexed_when_asked_for(new_tree):
    tree = new_tree({".gitignore": "repos/\n", "top.py": "x = 1\n"})
    tree.git("init", "-q")
    for number in range(50):
        tree.write({f"repos/c{number}/a.py": f"def of{number}(): ...\n"})
    for number in range(0, 50, 10):
        tree.git("init", "-q", at=f"repos/c{number}")
    assert len(tree.files()) == 2
    tree.write({".tadoru.toml": '[index]\ninclude = ["repos"]\n'})
    with tadoru.open(tree.root) as again:
        again.index()
        found = again.list_files(glob="repos/**", limit=1000)
        assert found.total == 50
        assert again.definition("of49").symbols
