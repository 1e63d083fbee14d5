"""A tree on disk for the GNU tools, and the same one behind a view for ours."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tadoru.config import ShellConfig
from tadoru.shell import run
from tadoru.views import View

SECRET = b"a secret of the tests"
CONFIG = ShellConfig(timeout_seconds=10)
BASE = 1_700_000_000
"""Time of the first file, in seconds; each further one is a day younger."""


def make_tree(root: Path) -> None:
    """Write files of many kinds, with times that never change."""
    files = {
        "README.md": b"# read\nme\n",
        "a b.txt": b"sp ace\n",
        ".hidden": b"h\n",
        "docs/guide/intro.md": b"intro\n" * 300,
        "docs/guide/.dot": b"",
        "docs/api.md": b"api\n" * 5000,
        "docs/größe.md": "größe\n".encode(),
        "src/main.py": b"import os\n" * 50,
        "src/util/__init__.py": b"",
        "src/util/text.py": b"x = 1\n" * 2000,
        "src/util/v10.py": b"1",
        "src/util/v2.py": b"1\n2",
        "empty/.keep": b"",
        "no newline": b"abc",
        "bin/tool": b"\x7fELF\x00\x01",
        "it's": b"q\n",
        **{f"many/f{i:02d}.txt": b"l\n" * i for i in range(30)},
    }
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    for name in ("src/main.py", "bin/tool"):
        (root / name).chmod(0o755)
    (root / "link").symlink_to("docs")
    (root / "src/readme").symlink_to("../README.md")
    newest = BASE
    for count, path in enumerate(sorted(p for p in root.rglob("*") if not p.is_symlink())):
        if path.is_file():
            newest = BASE + count * 86_400
            os.utime(path, (newest, newest))
    for path in (root, *(p for p in root.rglob("*") if p.is_dir() and not p.is_symlink())):
        os.utime(path, (newest, newest))
    for name in ("link", "src/readme"):
        os.utime(root / name, (BASE, BASE), follow_symlinks=False)


@dataclass(frozen=True)
class Both:
    """Runs a command line with the GNU tools and with ours."""

    root: Path
    view: View
    environment: dict[str, str]

    def gnu(self, command: str) -> tuple[bytes, int, str]:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.root,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=20,
        )
        return done.stdout, done.returncode, done.stderr.decode()

    def ours(self, command: str) -> tuple[bytes, int, str]:
        result = run(self.view, command, config=CONFIG, secret=SECRET)
        return result.stdout_bytes, result.exit_code, result.stderr
