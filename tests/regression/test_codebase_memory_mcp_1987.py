"""codebase-memory-mcp #1987: below a parent that is no repository, only the top ignore file of each
repository counted, not the deeper ones."""

from __future__ import annotations

import subprocess


def test_every_repository_below_a_plain_parent_has_its_own_rules(new_tree):
    files = {}
    for name in ("r1", "r2"):
        files |= {
            f"{name}/.gitignore": "out/\n",
            f"{name}/src/.gitignore": "gen.ts\n",
            f"{name}/out/a.ts": "1",
            f"{name}/src/gen.ts": "1",
            f"{name}/src/real.ts": "1",
            f"{name}/gen.ts": "1",
        }
    tree = new_tree(files)
    for name in ("r1", "r2"):
        tree.git("init", "-q", at=name)
    listed = []
    for name in ("r1", "r2"):
        command = ["git", "ls-files", "-co", "--exclude-standard"]
        done = subprocess.run(command, cwd=tree.root / name, capture_output=True, text=True)
        listed += [f"{name}/{path}" for path in done.stdout.splitlines()]
    assert tree.files() == sorted(listed)
    assert "r1/src/gen.ts" not in listed
    assert "r1/gen.ts" in listed
