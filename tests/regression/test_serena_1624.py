"""serena #1624: a directory that may not be read ended the whole run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

AS_NOBODY = """
import json, os, sys, tempfile
from pathlib import Path
from tadoru.config import Config
from tadoru.indexing.sync import index
from tadoru.stores.sqlite import SqliteStore

def run(root, home):
    store = SqliteStore.open(home, root=root, create=True)
    return index(store, root, Config())

with tempfile.TemporaryDirectory() as scratch:  # another user may not load our modules
    Path(scratch, "r").mkdir()
    Path(scratch, "r/a.py").write_text("import os")
    run(Path(scratch, "r"), Path(scratch, "s"))
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
report = run(Path(sys.argv[1]), Path(sys.argv[2], "s"))
print(json.dumps([report.added, {k: list(v) for k, v in report.skipped.items()}]))
"""


def test_an_unreadable_directory_is_named_and_the_run_goes_on():
    base = Path(tempfile.mkdtemp(prefix="tadoru-unreadable-"))  # where another user can get to
    try:
        root, home = base / "r", base / "home"
        for folder in (root / "locked", home):
            folder.mkdir(parents=True)
        (root / "a.py").write_text("def seen(): ...\n")
        (root / "locked/b.py").write_text("x = 1\n")
        base.chmod(0o755)
        home.chmod(0o777)
        (root / "locked").chmod(0o000)
        done = subprocess.run(
            [sys.executable, "-c", AS_NOBODY, str(root), str(home)], capture_output=True, text=True,
            cwd="/", env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        added, skipped = json.loads(done.stdout)
        assert added == 1
        assert skipped == {"unreadable directory": ["locked"]}
    finally:
        (base / "r/locked").chmod(0o755)
        shutil.rmtree(base)
