"""codegraph #147 and #86, codebase-memory-mcp #1299: a submodule had no files, and nobody said
so."""

from __future__ import annotations


def test_files_of_a_submodule_are_part_of_the_tree(new_tree):
    library = new_tree({"core.py": "def from_library(): ...\n"}, at="lib")
    library.git("init", "-q")
    library.git("add", "-A")
    library.git("commit", "-qm", "one")
    tree = new_tree({"main.py": "x = 1\n"})
    tree.git("init", "-q")
    tree.git("submodule", "--quiet", "add", str(library.root), "vendor/lib")
    assert "vendor/lib/core.py" in tree.files()
    assert tree.defined("from_library") == [("vendor/lib/core.py", 1)]
    assert any("vendor/lib" in note for note in tree.ask().index(rebuild=True).notes)
