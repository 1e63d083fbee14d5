"""codebase-memory-mcp #51, codegraph #349, ck #112: a link or a path argument led out of the
root."""

from __future__ import annotations

import pytest

import tadoru


def test_no_link_and_no_argument_leads_out(new_tree):
    tree = new_tree({"a.py": "x = 1\n"})
    (tree.root / "leak.py").symlink_to("/etc/passwd")
    (tree.root / "rootdir").symlink_to("/")
    (tree.root / "loop").symlink_to(".")
    workspace = tree.ask()
    report = workspace.index()
    skipped = report.skipped["a link that leads out of the root"]
    assert skipped == ["leak.py", "loop", "rootdir"]
    assert [path for path in tree.files() if path.endswith(".py")] == ["a.py"]
    assert "root:" not in workspace.run("cat leak.py rootdir/etc/passwd ../../etc/passwd").stdout
    assert workspace.run("find . -name passwd; grep -r root: .").stdout == ""
    for path in ("../../etc/passwd", "leak.py", "rootdir/etc/passwd", "/etc/passwd"):
        with pytest.raises(tadoru.TadoruError):
            workspace.read(path)
