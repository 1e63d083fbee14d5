"""obelisk #9: an identifier that stands between Chinese characters was not found."""

from __future__ import annotations


def test_an_identifier_glued_to_chinese_is_found(new_tree):
    tree = new_tree(
        {
            "run.py": "# 重跑gen-itgc后清零\ndef rerun():\n    return 0\n",
            "other.py": "def clear():\n    return 'counter'\n",
        }
    )
    assert tree.hits("gen-itgc")[0] == "run.py"
    assert tree.hits("重跑")[0] == "run.py"
