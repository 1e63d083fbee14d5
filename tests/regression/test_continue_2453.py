"""continue #2453: what full-text search takes for syntax raised an error when a question had it."""

from __future__ import annotations

import pytest

from tadoru.errors import BadInput

ODD = ['a"b', "foo(*)", "AND OR NOT", "NEAR/2", "-x", "col:val", "'", "*", "x", "\x00\x01x\x7f",
       "a OR (b", '"', "^a", "{a b}", "\ud800"]  # fmt: skip


@pytest.mark.parametrize("question", ODD)
def test_syntax_in_a_question_is_text(new_tree, question):
    tree = new_tree({"a.py": "def foo(col):\n    return col\n", "b.md": "# x\n\nNOT a b\n"})
    workspace = tree.settled()
    if "\x00" in question:
        with pytest.raises(BadInput):
            workspace.search(question)
        return
    answer = workspace.search(question)
    assert {hit.path for hit in answer.hits} <= {"a.py", "b.md"}
    assert answer.hits or answer.warnings or not answer.files


def test_words_beside_syntax_are_found_all_the_same(new_tree):
    tree = new_tree({"a.py": "def foo(col):\n    return col\n", "b.py": "def bar():\n    pass\n"})
    assert tree.hits('"foo" AND (*')[0] == "a.py"
    assert tree.hits("foo OR NEAR/2")[0] == "a.py"


def test_an_empty_question_and_one_of_more_than_100_kb_say_so(new_tree):
    workspace = new_tree({"a.py": "def foo():\n    pass\n"}).settled()
    for question in ("", " \n\t"):
        with pytest.raises(BadInput, match="empty"):
            workspace.search(question)
    long = "foo " * 25_600
    assert workspace.search(long).hits[0].path == "a.py"
    with pytest.raises(BadInput, match="100 KB"):
        workspace.search(long + "x")
