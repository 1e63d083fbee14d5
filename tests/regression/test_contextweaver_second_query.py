"""ContextWeaver, read in its code: each call's scan closed the store that the next one still
held."""

from __future__ import annotations

import time

from servers import McpServer


def test_the_second_question_of_one_process_is_answered_as_well(new_tree):
    tree = new_tree({"a.py": "def alpha(): ...\n", "b.py": "def beta(): ...\n"})
    assert tree.hits("alpha")[0] == "a.py"
    assert tree.hits("beta")[0] == "b.py"
    tree.write({"c.py": "def gamma(): ...\n"})
    time.sleep(0.1)
    assert tree.hits("gamma")[0] == "c.py"
    assert tree.hits("alpha")[0] == "a.py"


def test_so_is_the_second_question_to_one_server(new_tree, tadoru_command, tmp_path):
    tree = new_tree({"a.py": "def alpha(): ...\n", "b.py": "def beta(): ...\n"})
    command = [*tadoru_command, "mcp", "--root", str(tree.root), "--tools", "contextweaver"]
    with McpServer(command, tmp_path) as server:
        for name, path in (("alpha", "a.py"), ("beta", "b.py"), ("alpha", "a.py")):
            answer = server.call("codebase-retrieval", information_request=name, mode="quick")
            assert path in answer
            assert not answer.startswith("Found 0")
