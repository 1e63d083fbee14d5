"""probe #585: a server ignored the limits that its own documentation names."""

from __future__ import annotations

import json

import pytest
from servers import McpServer

BAD = [
    (["search", "x", "--budget", "many"], "budget"),
    (["search", "x", "--budget", "-5"], "budget"),
    (["watch", "--debounce", "soon"], "debounce"),
    (["list-files", "--limit", "-1"], "limit"),
    (["read", "a.py", "--start-line", "x"], "start"),
]


@pytest.mark.parametrize(("command", "named"), BAD)
def test_a_bad_value_is_an_error_that_names_it(new_tree, cli, command, named):
    tree = new_tree({"a.py": "x = 1\n"})
    done = cli(*command, "--root", str(tree.root))
    assert done.returncode == 2, done.stdout
    assert named in done.stderr.lower()


def test_a_small_value_has_an_effect_that_one_sees(new_tree, cli):
    tree = new_tree(
        {f"m{n}.py": f"def shared_name_{n}():\n    return {n}\n" * 20 for n in range(30)}
    )
    root = ["--root", str(tree.root)]
    wide = cli("search", "shared name", "--budget", "8000", *root).stdout
    small = cli("search", "shared name", "--budget", "300", *root).stdout
    assert 0 < len(small) < len(wide) / 2
    assert len(cli("list-files", "--limit", "3", *root).stdout.splitlines()) < 6
    limited = cli("list-files", *root, "--json", env={"TADORU_MAX_FILE_BYTES": "100"})
    assert json.loads(limited.stdout)["total"] == 30


def test_a_bad_value_in_a_file_is_named(new_tree, cli):
    tree = new_tree({"a.py": "x = 1\n", ".tadoru.toml": "[index]\ninclude = 5\n"})
    done = cli("doctor", "--root", str(tree.root))
    assert "index.include" in done.stdout


def test_a_server_says_what_it_does_not_know_and_keeps_its_limits(
    new_tree, tadoru_command, tmp_path
):
    tree = new_tree({f"m{n}.py": f"def shared_{n}():\n    return {n}\n" * 20 for n in range(30)})
    with McpServer([*tadoru_command, "mcp", "--root", str(tree.root)], tmp_path) as server:
        assert "`limit` is no parameter" in server.call("search", question="shared", limit=3)
        assert "`budget`: input should be" in server.call("search", question="x", budget="many")
        assert "negative" in server.call("list_files", limit=-1)
        assert "3 of 30 files" in server.call("list_files", limit=3)
        wide = server.call("search", question="shared", budget=8_000)
    with McpServer([*tadoru_command, "mcp", "--root", str(tree.root)], tmp_path) as server:
        assert 0 < len(server.call("search", question="shared", budget=300)) < len(wide) / 2
