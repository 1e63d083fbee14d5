"""A tree of many small Python files that import each other, the same at every run."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

WORDS = (
    "cache", "session", "token", "index", "parse", "user", "order", "price", "route", "queue",
    "worker", "batch", "stream", "chunk", "vector", "path", "tree", "node", "leaf", "edge", "graph",
    "rank", "score", "merge", "split", "store", "load", "save", "open", "close", "read", "write",
    "flush", "lock", "wait", "retry", "check", "state", "event", "error", "limit", "range",
)  # fmt: skip
PER_PACKAGE, PER_MODULE = 500, 25

TEXT = '''"""{a} {b} of {c}."""

import os

from pkg{package} import {d}


class {Cls}{number}:
    """Keeps the {g} of a {h}."""

    def {a}_{b}(self, {c}):
        return self.{d}({c}) + {number}


def {e}_{f}_{number}({c}, {d}):
    """Return the {c} that {d} has."""
    for {g} in {c}:
        if {g}.{h}:
            yield {d}[{g}]
'''


def generate(root: Path, count: int) -> None:
    """Write `count` files and commit them, as a checkout would have them."""
    dice = random.Random(1)
    for number in range(count):
        folder = root / f"pkg{number // PER_PACKAGE}" / f"mod{number // PER_MODULE % 20}"
        folder.mkdir(parents=True, exist_ok=True)
        names = dict(zip("abcdefgh", dice.sample(WORDS, 8), strict=True))
        package = dice.randrange(max(1, count // PER_PACKAGE))
        text = TEXT.format(**names, Cls=names["e"].title(), number=number, package=package)
        (folder / f"f{number}.py").write_text(text)
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        name = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "gc.auto=0"]
        subprocess.run(["git", *name, *command], cwd=root, check=True)
