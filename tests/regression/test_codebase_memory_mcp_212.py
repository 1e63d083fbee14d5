"""codebase-memory-mcp #212: large TypeScript files had no symbols, and no warning said so."""

from __future__ import annotations


def test_a_large_typescript_file_has_all_its_symbols(new_tree):
    body = "  const value = input.map((item) => item * 2);\n" * 13
    text = "".join(
        f"export function fn{n}(input: number[]): number[] {{\n{body}  return value;\n}}\n"
        for n in range(400)
    )
    assert len(text) > 250_000
    tree = new_tree({"big.ts": text})
    assert tree.defined("fn0") == [("big.ts", 1)]
    assert tree.defined("fn399") == [("big.ts", 399 * 16 + 1)]
    assert tree.ask().symbols(path="big.ts", limit=1000).total >= 400
