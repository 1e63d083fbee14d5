"""ContextWeaver, read in its code: references and definitions, said to cost nothing, needed a
key."""

from __future__ import annotations

import socket


def test_definitions_and_references_need_no_key_and_no_network(new_tree, monkeypatch):
    for name in ("EMBEDDINGS_API_KEY", "EMBEDDINGS_BASE_URL", "RERANK_API_KEY"):
        monkeypatch.delenv(name, raising=False)

    def refused(*_):
        raise AssertionError("something asked for a connection")

    monkeypatch.setattr(socket.socket, "connect", refused)
    tree = new_tree(
        {"a.py": "def fmt(x):\n    return x\n", "b.py": "from a import fmt\n\nfmt(1)\n"}
    )
    assert [s.path for s in tree.ask().definition("fmt").symbols] == ["a.py"]
    assert {r.path for r in tree.ask().references("fmt").references} >= {"b.py"}
    assert tree.hits("fmt")
