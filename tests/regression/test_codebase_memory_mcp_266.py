"""codebase-memory-mcp #266 and #357: blanks and other scripts in the path."""

from __future__ import annotations


def test_blanks_and_other_scripts_in_a_path_change_nothing(new_tree, cli):
    tree = new_tree({"日本/a.py": "def found_here():\n    return 1\n"}, at="My Proj ünï")
    workspace = tree.ask()
    assert tree.files() == ["日本/a.py"]
    assert tree.defined("found_here") == [("日本/a.py", 1)]
    assert tree.hits("found_here") == ["日本/a.py"]
    assert workspace.read("日本/a.py").text.startswith("def found_here")
    assert workspace.resolve("src/a.py").path == "日本/a.py"
    assert "found_here" in workspace.run("grep -rn found_here .").stdout
    for command in (["search", "found_here"], ["definition", "found_here"], ["list-files"],
                    ["outline", "日本/a.py"], ["read", "日本/a.py"]):  # fmt: skip
        done = cli(*command, "--root", str(tree.root))
        assert done.returncode == 0, (command, done.stderr)
        assert "日本/a.py" in done.stdout or "found_here" in done.stdout
