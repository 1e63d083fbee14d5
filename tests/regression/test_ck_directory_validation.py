"""ck (changelog: directory validation): a search in a directory that does not exist was answered
from the parent's index."""

from __future__ import annotations


def test_a_missing_directory_is_an_error_and_leaves_nothing(cli, tmp_path, new_tree):
    tree = new_tree({"a.py": "def present(): ...\n"})
    missing = tree.root / "nope"
    home = tmp_path / "home"
    done = cli("search", "present", "--root", str(missing), env={"TADORU_HOME": str(home)})
    assert done.returncode == 2
    assert str(missing) in done.stderr
    assert done.stdout == ""
    assert not home.exists()
    assert not missing.exists()


def test_a_missing_directory_inside_the_root_is_no_reason_to_search_elsewhere(cli, new_tree):
    tree = new_tree({"a.py": "def present(): ...\n"})
    done = cli("search", "present", "--root", str(tree.root), "--glob", "nope/**")
    assert "a.py" not in done.stdout
