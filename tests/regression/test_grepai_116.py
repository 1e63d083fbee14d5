"""grepai #116, ck (changelog), blockcell #71: text was cut inside a character."""

from __future__ import annotations


def test_no_snippet_is_cut_inside_a_character(new_tree):
    line = "😀" * 700 + "漢字" * 700
    tree = new_tree({"one.txt": line, "code.py": f"def wide():\n    return '{line}'\n"})
    workspace = tree.ask()
    assert workspace.index().complete
    answer = workspace.search("漢字")
    assert answer.hits
    for hit in answer.hits:
        hit.text.encode()
        assert "\ufffd" not in hit.text
        assert set(hit.text) <= set(line) | set("def wide():\n    return ''")
    assert workspace.read("one.txt").text.rstrip("\n") == line
