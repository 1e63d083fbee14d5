"""ContextWeaver, read in its code: `.tsx` was parsed with the grammar of `.ts`."""

from __future__ import annotations


def test_markup_in_typescript_is_no_parse_error(new_tree):
    text = (
        "export const A = () => <div onClick={()=>go<string>()}>x</div>\n\nexport function B() {}\n"
    )
    tree = new_tree({"a.tsx": text})
    assert tree.defined("A") == [("a.tsx", 1)]
    assert tree.defined("B") == [("a.tsx", 3)]
