#!/usr/bin/env python3
"""Make a set of commit subjects with the files that each changed, and lay out the base trees.

usage: commits.py --out SET.json --trees DIR NAME=GITDIR ...

For each repository the base is the newest commit at least 18 months older than the newest one;
questions are the subjects of later commits that change one to four source files, all of which
exist at the base. Nobody wrote these labels for a benchmark. SET.json has the form of the code
questions, so `run.py` and `tune.py` read either.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MONTHS = 18
PER_REPOSITORY = 60
SOURCE = re.compile(
    r"\.(py|js|jsx|mjs|ts|tsx|go|rs|java|kt|c|h|cc|cpp|hpp|cs|rb|php|lua|ex|swift)$"
)
ASIDE = re.compile(r"(^|/)(__tests__|examples?|docs?|vendor|t)/|\.config\.\w+$")
TEST_WORDS = frozenset({"test", "tests", "spec", "specs", "testdata", "fixture", "fixtures"})
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
DULL = re.compile(
    r"^(merge|revert|bump|release|version|chore|ci|docs?|tests?\b|style|typo|format|lint|wip|"
    r"update dep|build\(deps|\[maven-release-plugin\])", re.IGNORECASE,
)  # fmt: skip
NUMBER = re.compile(
    r"\s*\((?:fix|close)\w*:? [^)]*#\d+[^)]*\)|\s*\(?(?:[\w.-]+/[\w.-]+)?#\d+\)?|\s*\[[A-Z]+-\d+\]",
    re.IGNORECASE,
)


def git(directory: Path, *arguments: str) -> str:
    command = ["git", f"--git-dir={directory}", "-c", "core.quotepath=false", *arguments]
    return subprocess.run(
        command, check=True, capture_output=True, text=True, errors="replace"
    ).stdout


def base_of(directory: Path) -> str:
    newest = int(git(directory, "log", "-1", "--format=%ct"))
    before = newest - MONTHS * 30 * 86_400
    return git(directory, "rev-list", "-1", f"--before={before}", "HEAD").strip()


def changes(directory: Path, base: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yield commit, subject and changed paths, newest first."""
    log = git(
        directory, "log", "--no-merges", "--name-only", "--format=%x00%H%x01%s", f"{base}..HEAD"
    )
    for record in log.split("\0")[1:]:
        head, _, rest = record.partition("\n")
        commit, _, subject = head.partition("\x01")
        yield commit, subject, [line for line in rest.split("\n") if line]


def is_source(path: str) -> bool:
    """Tell whether a path is source code: not a test (`t/unit`, `src/jvmTest`, `a_test.go`,
    `okhttp-testing-support`), an example, a document or a tool's configuration."""
    *directories, name = path.split("/")
    words = {word.lower() for word in WORD.findall(path)}
    beside = any("testing" in re.split(r"[-_]", part) for part in directories)
    return bool(SOURCE.search(name)) and not (ASIDE.search(path) or words & TEST_WORDS or beside)


def questions(name: str, directory: Path, base: str) -> list[dict[str, Any]]:
    at_base = set(git(directory, "ls-tree", "-r", "--name-only", base).split("\n"))
    rows: list[dict[str, Any]] = []
    seen: set[str] = set()
    for commit, subject, paths in changes(directory, base):
        sources = [path for path in paths if is_source(path)]
        text = NUMBER.sub("", subject).strip()
        if not 1 <= len(sources) <= 4 or not set(sources) <= at_base:
            continue
        if DULL.match(text) or len(text.split()) < 3 or text in seen:
            continue
        seen.add(text)
        rows.append(
            {"id": f"{name}-{commit[:10]}", "repo": name, "query": text, "category": "commit",
             "relevant": [{"path": path} for path in sources], "secondary": []}
        )  # fmt: skip
        if len(rows) == PER_REPOSITORY:
            break
    return rows


def lay_out(directory: Path, base: str, into: Path) -> bool:
    """Unpack a commit; False, with a word on stderr, when the snapshot lacks some of its files."""
    command = ["git", f"--git-dir={directory}", "archive", base]
    archive = subprocess.run(command, check=False, capture_output=True)
    if archive.returncode:
        print(f"{into.name}: left out, its base is incomplete", file=sys.stderr)
        return False
    into.mkdir(parents=True)
    subprocess.run(["tar", "x", "-C", str(into)], input=archive.stdout, check=True)
    return True


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--trees", type=Path, required=True)
    parser.add_argument("repositories", nargs="+", metavar="NAME=GITDIR")
    arguments = parser.parse_args()
    data: dict[str, Any] = {"metric": "NDCG@10, binary, by file", "repos": [], "queries": []}
    for pair in arguments.repositories:
        name, _, directory = pair.partition("=")
        base = base_of(Path(directory))
        rows = questions(name, Path(directory), base) if base else []
        print(f"{name}: {len(rows)} subjects at {base[:12] or 'no base'}", file=sys.stderr)
        into = arguments.trees / name
        if not rows or not (into.exists() or lay_out(Path(directory), base, into)):
            continue
        data["repos"].append({"name": name, "commit": base, "benchmark_root": None})
        data["queries"].extend(rows)
    arguments.out.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
