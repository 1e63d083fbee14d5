"""Loops and groups after a pipe, whatever runs in them: as bash has it, turn by turn."""

from __future__ import annotations

import subprocess
from itertools import product
from pathlib import Path

import pytest

from tadoru.config import ShellConfig
from tadoru.shell import run
from tadoru.shell.piped import through_substitution
from tadoru.testing import MemoryStore
from tadoru.types import Principal
from tadoru.views import View

FILES = {
    "a.txt": "one\ntwo\n",
    "b.txt": "three\n",
    "c d.txt": "four\nfive\nsix\n",
    "sub/e.txt": "x\n",
}

PRODUCERS = (
    "ls *.txt", "find . -name '*.txt' | sort", "cat a.txt b.txt", "grep -rl o . | sort",
    "printf 'a.txt\\nb.txt\\n'", "seq 3", "rg -l o | sort", "ls *.txt | cat", "sort a.txt b.txt",
    "head -n 3 *.txt", "echo a.txt",
)  # fmt: skip
BODIES = (
    "while read -r f; do wc -l < a.txt; done", 'while read -r f; do grep -c o a.txt; done',
    'while IFS= read -r f; do if grep -q o "$f" 2>/dev/null; then echo "$f"; fi; done',
    'while read -r f; do n=$(head -n 1 a.txt); echo "$f:$n"; done',
    'while read -r f; do tail -n 1 b.txt | cat; done | sort',
    '{ read -r x; cat b.txt; read -r y; echo "$x,$y"; }',
    '(read -r x; ls a.txt; read -r y; echo "$x,$y")',
    'for i in 1 2; do read -r x; cat b.txt; echo "$x"; done',
    'if read -r x; then stat -c %n a.txt; read -r y; echo "$x,$y"; fi',
    'while read -r f; do ls *.txt | while read -r g; do cat b.txt; done; done',
    'while read -r f; do case "$f" in a*) cat a.txt;; *) echo "$f";; esac; done',
    'while read -r f; do echo "$f"; done',
    'until ! read -r f; do basename "$f"; cat b.txt; done',
)  # fmt: skip


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("piped")
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


@pytest.fixture(scope="module")
def view() -> View:
    return View({"": MemoryStore(FILES)}, Principal())


def ours(view: View, command: str) -> tuple[bytes, int]:
    result = run(view, command, config=ShellConfig(), secret=b"k" * 32)
    return result.stdout_bytes, result.exit_code


def bash(root: Path, command: str) -> tuple[bytes, int]:
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=root,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
        timeout=20,
    )
    return done.stdout, done.returncode


@pytest.mark.parametrize(("producer", "body"), list(product(PRODUCERS, BODIES)))
def test_a_compound_reads_the_whole_pipe(
    corpus: Path, view: View, producer: str, body: str
) -> None:
    command = f"{producer} | {body}"
    assert ours(view, command) == bash(corpus, command), command


@pytest.mark.parametrize(
    "command",
    [
        'x=$(ls *.txt | while read -r f; do wc -c < a.txt; done); echo "$x"',
        "f() { ls *.txt | while read -r x; do cat b.txt; done; }; f; f | wc -l",
        "g() { cat b.txt; }; ls *.txt | while read -r x; do g; done",
        "cat <<E | while read -r f; do cat b.txt; echo $f; done\nhello\nworld\nE",
        "ls *.txt |\n  while read -r f\n  do\n    cat b.txt\n  done > /dev/null; echo $?",
        "ls *.txt | while read -r f; do cat b.txt; done < a.txt",
        "x=1; ls *.txt | while read -r f; do x=2; cat b.txt; done; echo $x",
        "echo 'a | while read f; do wc; done'; echo \"b | { cat; }\"",
        'ls *.txt | while read -r f; do [ -f "$f" ] && wc -l < b.txt; done && echo all',
    ],
)
def test_wherever_the_pipe_stands(corpus: Path, view: View, command: str) -> None:
    assert ours(view, command) == bash(corpus, command)


@pytest.mark.parametrize(
    "command",
    [
        "ls | while read f; do echo $f; done",
        "ls | while read f; do wc $f; done < a",
        "echo 'x | while read f; do wc; done'",
        "while read f; do wc $f; done",
        "ls | wc -l",
        "ls | while read f; do wc $f;",
    ],
)
def test_what_needs_no_help_stays_as_it_is(command: str) -> None:
    assert through_substitution(command) == command
