"""tree-sitter-cmake #29: line ends of Windows changed numbers and places."""

from __future__ import annotations


def test_line_ends_change_no_line_number_and_no_byte(new_tree):
    lines = ["# top", "", "def first():", "    return 1", "", "def second():", "    return 2", ""]
    # bare carriage returns end no line, as for grep, wc and git: definitions are found all the same
    tree = new_tree(
        {"lf.py": "\n".join(lines), "crlf.py": "\r\n".join(lines), "cr.py": "\r".join(lines)}
    )
    for name, line in (("first", 3), ("second", 6)):
        assert sorted(tree.defined(name)) == [("cr.py", 1), ("crlf.py", line), ("lf.py", line)]
    assert tree.ask().run("cat crlf.py").stdout.encode() == "\r\n".join(lines).encode()
