"""tree-sitter-python #48, sonar-delphi #234: a byte-order mark shifted or broke the first line."""

from __future__ import annotations


def test_a_byte_order_mark_is_no_part_of_the_first_line(new_tree):
    tree = new_tree({"bom.py": b"\xef\xbb\xbfdef bom_first():\n  pass\n"})
    assert tree.defined("bom_first") == [("bom.py", 1)]
    text = tree.ask().search("bom_first").text
    assert "def bom_first" in text
    assert "\ufeff" not in text
