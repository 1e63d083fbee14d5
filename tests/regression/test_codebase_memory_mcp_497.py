"""codebase-memory-mcp #497 and grepai's `.grepaiignore`: people want an ignored directory back, and
nobody wants it by default."""

from __future__ import annotations

import tadoru


def test_an_ignored_directory_comes_back_only_when_asked_for(new_tree, monkeypatch):
    tree = new_tree({".gitignore": "customer/\n", "customer/x.py": "def theirs(): ...\n"})
    tree.git("init", "-q")
    assert tree.files() == [".gitignore"]
    tree.write({".tadoruignore": "!customer/\n"})
    with tadoru.open(tree.root) as again:
        assert again.definition("theirs").symbols[0].path == "customer/x.py"
    (tree.root / ".tadoruignore").unlink()
    monkeypatch.setenv("INCLUDE_DIRS", "customer")
    with tadoru.open(tree.root) as again:
        assert again.definition("theirs").symbols[0].path == "customer/x.py"
