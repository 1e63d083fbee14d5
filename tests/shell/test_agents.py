"""Some 1,400 command lines as agents write them, beside bash and the GNU tools on the same tree:
stdout and exit code are equal.

`agents/*.txt` holds one script a line, or scripts between lines of `----`. Left out of the lists
is what has no answer on both sides: what writes to the tree, the date of now, and what the tools of
this machine do in a way of their own (mawk counts bytes).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from disk import load_tree, view_of
from gnu_oracle import CONFIG, SECRET, Both
from project import make_project

from tadoru.shell import run

LISTS = sorted(Path(__file__).with_name("agents").glob("*.txt"))
NEEDED = ("rg", "jq", "tree", "xxd", "column", "bc", "awk")
SCRATCH = "/tmp/w"
"""Where scripts write. They name it themselves, and the tools would leave it behind."""


def scripts(path: Path) -> list[str]:
    text = path.read_text()
    if "\n----\n" in text:
        return [part.strip("\n") for part in text.split("\n----\n")]
    return [line for line in text.splitlines() if line]


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory, both: Both) -> Both:
    folder = tmp_path_factory.mktemp("agents")
    root = folder / "project"
    root.mkdir()
    make_project(root)
    (folder / "w").mkdir()
    home = {"HOME": "/nonexistent", "RIPGREP_CONFIG_PATH": ""}
    return Both(root, view_of(load_tree(root)), both.environment | home)


@pytest.mark.slow
@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_what_agents_type_answers_as_bash_does(sides: Both, path: Path, needs: object) -> None:
    for tool in NEEDED:
        needs(tool)  # type: ignore[operator]
    different = []
    for script in scripts(path):
        want, got = by_bash(sides, script), by_us(sides, script)
        if want != got:
            different.append(f"{script}\n  bash: {want}\n  here: {got}")
    assert not different, "\n".join(different)


def by_us(sides: Both, script: str) -> tuple[bytes, int]:
    result = run(sides.view, _prepared(script), config=CONFIG, secret=SECRET)
    return result.stdout_bytes, result.exit_code


def by_bash(sides: Both, script: str) -> tuple[bytes, int]:
    """Run a script on disk; our tree is the root itself, so its own name reads as `/`."""
    folder = sides.root.parent / "w"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    if "--sort" not in script:
        script = re.sub(r"\brg (?!files)", "rg --sort path ", script)
    done = subprocess.run(
        ["bash", "-c", re.sub(rf"{SCRATCH}\b", str(folder), _prepared(script))],
        cwd=sides.root,
        env=sides.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=20,
    )
    name = re.escape(os.fsencode(sides.root))
    out = re.sub(rb"(?m)^%s$" % name, b"/", done.stdout)
    return re.sub(name, b"", out).replace(os.fsencode(folder), SCRATCH.encode()), done.returncode


def _prepared(script: str) -> str:
    return f"mkdir -p {SCRATCH}; {script}" if SCRATCH in script else script
