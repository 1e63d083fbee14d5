"""code-graph-rag #1786, aider #362 and #393: recursion errors on generated or big input."""

from __future__ import annotations


def test_three_thousand_chained_calls_are_indexed(new_tree):
    chain = "".join(".and(x)" for _ in range(3_000))
    java = f"class Chained {{\n  Object all(B b, X x) {{\n    return b{chain};\n  }}\n}}\n"
    tree = new_tree({"Chained.java": java, "Other.java": "class Other {}\n"})
    assert tree.defined("all") == [("Chained.java", 2)]
    assert tree.defined("Other") == [("Other.java", 1)]
    assert tree.ask().index(rebuild=True).complete
