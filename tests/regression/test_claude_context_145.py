"""claude-context #145: indexed in one process, and another one said that nothing was."""

from __future__ import annotations

import json

import pytest
from servers import McpServer


@pytest.mark.parametrize("spelling", ["{root}", "{root}/", "{root}/.", "{link}", "{root}/../r"])
def test_an_index_is_one_however_its_directory_is_spelled(
    new_tree, cli, tadoru_command, tmp_path, spelling
):
    home = {"TADORU_HOME": str(tmp_path / "home")}
    tree = new_tree({"a.py": "def alpha(): ...\n", "b.py": "import a\n"})
    (tmp_path / "link").symlink_to(tree.root)
    assert cli("index", "--root", str(tree.root), env=home).returncode == 0
    spelled = spelling.format(root=tree.root, link=tmp_path / "link")
    found = cli("search", "alpha", "--root", spelled, "--no-index", "--json", env=home)
    assert json.loads(found.stdout)["hits"][0]["path"] == "a.py"
    with McpServer(
        [*tadoru_command, "mcp", "--root", spelled, "--no-index"], tmp_path, **home
    ) as s:
        assert "a.py" in s.call("search", question="alpha")
    assert len(list((tmp_path / "home/stores").iterdir())) == 1
