"""A repository to which things happen: what people, git and editors do to files, at random."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

LIMIT = 20_000
"""Bytes of a file that is indexed, in these tests."""

TEXTS = (
    "", "import a.m\nfrom pkg import helper\n\n\ndef used():\n    return helper()\n",
    "import { x } from './other'\nexport const y = x\n", "# Title\n\n[link](other.md) words\n",
    "def helper():\n    return 'shared'\n" * 5, "class Big:\n    def method(self): ...\n",
    '{"name": "json"}\n', "SELECT 1;\n", "日本語の文書\n",
)  # fmt: skip
NAMES = tuple(
    f"{directory}{name}"
    for directory in ("", "pkg/", "pkg/sub/", "docs/", "a/")
    for name in ("m.py", "other.ts", "other.md", "__init__.py", "query.sql", "data.json")
)


class GitDice:
    """One clone with two branches, and a second one from which changes arrive."""

    def __init__(self, directory: Path, seed: int) -> None:
        self.root = directory / "work"
        self._upstream = directory / "upstream.git"
        self._other = directory / "other"
        self._dice = random.Random(seed)
        self.log: list[str] = []
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", self._upstream], check=True)
        for clone in (self.root, self._other):
            subprocess.run(["git", "clone", "-q", self._upstream, clone], check=True,
                           stderr=subprocess.DEVNULL)  # fmt: skip
        for _ in range(14):
            self._write(self.root, self._dice.choice(NAMES))
        (self.root / ".gitignore").write_text("*.log\n")
        self._git("add", "-A")
        self._git("commit", "-qm", "one")
        self._git("branch", "-M", "main")
        self._git("push", "-q", "-u", "origin", "main")
        self._git("checkout", "-qb", "feature")
        self._commit()
        self._git("checkout", "-q", "main")

    def roll(self) -> None:
        """Let one thing happen."""
        action = self._dice.choice(
            (self.edit, self.edit, self.edit, self.same_size_same_mtime, self.delete, self.restore,
             self.rename, self.grow, self.link, self.ignore, self.checkout, self.pull, self.stash,
             self.rebase, self.revert, self.directory_to_file, self.reset)
        )  # fmt: skip
        self.log.append(action.__name__)
        action()

    # -- what editors do -----------------------------------------------------------------------

    def edit(self) -> None:
        self._write(self.root, self._dice.choice(NAMES))

    def same_size_same_mtime(self) -> None:
        path = self._existing()
        if path is None or path.is_symlink():
            return
        found = path.stat()
        data = path.read_bytes()
        path.write_bytes(data.replace(b"e", b"o") if b"e" in data else data[::-1])
        os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))

    def delete(self) -> None:
        if (path := self._existing()) is not None:
            path.unlink()

    def restore(self) -> None:
        self._git("checkout", "-q", "--", ".")

    def rename(self) -> None:
        path = self._existing()
        if path is not None:
            path.rename(path.with_name(f"moved{self._dice.randrange(3)}{path.suffix}"))

    def grow(self) -> None:
        path = self._existing()
        if path is not None and not path.is_symlink():
            path.write_text("x = 'grown'\n" * (LIMIT // self._dice.choice((4, 40))))

    def link(self) -> None:
        path = self._existing()
        if path is not None:
            path.unlink()
            path.symlink_to(self._dice.choice(("m.py", "../.gitignore", "gone")))

    def ignore(self) -> None:
        text = self._dice.choice(("*.log\n", "docs/\n", "*.sql\n*.log\n", "/a/\n!a/m.py\n"))
        (self.root / ".gitignore").write_text(text)

    def directory_to_file(self) -> None:
        folder = self.root / "pkg/sub"
        if folder.is_dir():
            shutil.rmtree(folder)
            folder.write_text("a file now\n")
        elif folder.exists():
            folder.unlink()

    # -- what git does -------------------------------------------------------------------------

    def checkout(self) -> None:
        self._commit()
        here = self._out("branch", "--show-current")
        self._git("checkout", "-q", "feature" if here == "main" else "main")

    def pull(self) -> None:
        self._commit()
        other = self._other
        self._git("pull", "-q", "--no-rebase", "-X", "theirs", at=other)
        self._write(other, self._dice.choice(NAMES), git=True)
        self._git("add", "-A", at=other)
        self._git("commit", "-qm", "theirs", at=other)
        self._git("push", "-q", at=other)
        self._git("pull", "-q", "--no-rebase", "-X", "theirs", "origin", "main")
        self._settle()

    def stash(self) -> None:
        pop = self._out("stash", "list") and self._dice.random() < 0.6
        self._git("stash", "pop" if pop else "push", "-q")
        self._settle()

    def rebase(self) -> None:
        self._commit()
        self._git("rebase", "-q", "-X", "theirs", "main")
        self._settle()

    def revert(self) -> None:
        self._commit()
        self._git("revert", "--no-edit", "HEAD")
        self._settle()

    def reset(self) -> None:
        self._git("reset", "-q", "--hard", "HEAD")

    # -- inside ----------------------------------------------------------------------------------

    def _settle(self) -> None:
        """Leave no half-done merge behind."""
        for command in ("rebase", "merge", "revert"):
            self._git(command, "--abort")
        self._git("add", "-A")

    def _commit(self) -> None:
        self._write(self.root, self._dice.choice(NAMES))
        self._git("add", "-A")
        self._git("commit", "-qm", "mine")

    def _write(self, root: Path, name: str, *, git: bool = False) -> None:
        path = root / name
        for parent in reversed(path.relative_to(root).parents):
            if (root / parent).is_file() or (root / parent).is_symlink():
                (root / parent).unlink()
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            return
        path.unlink(missing_ok=True)
        extra = f"# {self._dice.randrange(1000)}\n" if git else ""
        path.write_text(self._dice.choice(TEXTS) + extra)

    def _existing(self) -> Path | None:
        found = sorted(
            path
            for path in self.root.rglob("*")
            if ".git" not in path.parts and (path.is_symlink() or path.is_file())
            and path.name != ".gitignore"
        )  # fmt: skip
        return self._dice.choice(found) if found else None

    def _git(self, *arguments: str, at: Path | None = None) -> None:
        subprocess.run(["git", *arguments], cwd=at or self.root, capture_output=True, check=False)

    def _out(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, capture_output=True, text=True, check=False
        )
        return done.stdout.strip()
