"""codebase-memory-mcp #178: an ignore file below the root was not read, so bundles came first."""

from __future__ import annotations


def test_a_nested_ignore_file_counts(new_tree):
    tree = new_tree(
        {
            ".gitignore": "dist/\n",
            "web/.gitignore": ".output\n",
            "web/.output/b.js": "function bundledThing(){}\n",
            "web/a.js": "export function realThing(){}\n",
        }
    )
    tree.git("init", "-q")
    assert [path for path in tree.files() if path.endswith(".js")] == ["web/a.js"]
    assert tree.defined("bundledThing") == []
    assert tree.defined("realThing") == [("web/a.js", 1)]
