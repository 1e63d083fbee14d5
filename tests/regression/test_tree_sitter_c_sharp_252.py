"""tree-sitter-c-sharp #252: sources in UTF-16."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("mark", [b"\xff\xfe", b""])
def test_utf_16_is_read_with_and_without_a_mark(new_tree, mark):
    tree = new_tree({"Wide.cs": mark + "class WideClass {}\n".encode("utf-16-le")})
    assert tree.defined("WideClass") == [("Wide.cs", 1)]
    assert "\0" not in tree.ask().search("WideClass").text
