"""serena #478, #1939, #1937: references ended at the package, and nothing said what they were."""

from __future__ import annotations


def test_references_cross_directories_and_say_how_certain_they_are(new_tree):
    tree = new_tree(
        {
            "a/x.ts": "export function fmt() { return 1; }\n",
            "b/y.ts": (
                "import { fmt } from '../a/x';\n\nexport function run() {\n  fmt();\n"
                '  // fmt in a comment\n  return "fmt" + fmtAll();\n}\n'
            ),
        }
    )
    answer = tree.settled().references("fmt", exclude_definition=True)
    calls = [(r.path, r.line) for r in answer.references if r.kind == "call"]
    assert calls == [("b/y.ts", 4)]
    said = {r.line: r.kind for r in answer.references if r.path == "b/y.ts"}
    assert said[1] == "import"
    assert said.get(5, "text") == "text"
    assert 6 not in said or said[6] == "text"
