"""codegraph #1581, codanna #40: a walk over the tree that calls itself ran out of stack."""

from __future__ import annotations


def test_deep_nesting_costs_nobody_else_anything(new_tree):
    deep = 16_384
    tree = new_tree(
        {
            "deep.c": "void foo(){" + "{" * deep + "}" * deep + "}\n",
            "deep.py": "x=" + "(" * 5000 + "1" + ")" * 5000 + "\n",
            "one_line.js": "".join(f"function f{n}(){{}}" for n in range(20_000)),
            "fine.py": "def fine(): ...\n",
        }
    )
    report = tree.ask().index()
    assert report.added == 4
    assert report.complete, report.errors
    assert tree.defined("fine") == [("fine.py", 1)]
    assert tree.defined("foo") == [("deep.c", 1)]
    for name in ("f0", "f19999"):
        assert tree.defined(name) == [("one_line.js", 1)]
