"""ck #66, #27, #67: media were indexed, configuration outranked code, and excludes were
forgotten."""

from __future__ import annotations

import json

import tadoru


def test_media_are_no_text_and_code_comes_before_configuration(new_tree):
    tree = new_tree(
        {
            "logo.png": b"\x89PNG\r\n\x1a\n" + bytes(200),
            "demo.mp4": b"\0\0\0\x20ftypisom" + bytes(500),
            "config.json": json.dumps([{"rebuild_ledger": n} for n in range(200)]),
            "svc.py": "def rebuild_ledger(entries):\n    return sorted(entries)\n",
        }
    )
    assert tree.hits("rebuild_ledger")[0] == "svc.py"
    report = tree.ask().index(rebuild=True)
    assert report.skipped["binary"] == ["demo.mp4", "logo.png"]
    assert "PNG" not in tree.ask().run("grep -rl PNG .").stdout


def test_what_is_excluded_stays_excluded(new_tree):
    tree = new_tree({"a.py": "def one(): ...\n", "legacy/b.py": "def two(): ...\n"})
    tree.write({".tadoru.toml": '[index]\nignore = ["legacy/"]\n'})
    for _ in range(2):
        with tadoru.open(tree.root) as workspace:
            workspace.index()
            assert not workspace.symbols(name="two").symbols
