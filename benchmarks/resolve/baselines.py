"""The matchers that others use for the same purpose, on the same cases.

They get the path with its foreign root taken off, which favours them: none does that by itself.
"""

from __future__ import annotations

import difflib
import shutil
import subprocess
from collections.abc import Callable, Sequence

from rapidfuzz import fuzz, process
from trees import Case

Found = tuple[list[str], set[str]]
Finder = Callable[[Case, Sequence[str]], Found]


def _query(case: Case) -> str:
    path = case.path.replace("\\", "/")
    if case.cwd and path.startswith(case.cwd.rstrip("/") + "/"):
        path = path[len(case.cwd.rstrip("/")) :]
    return path.strip("/")


def _choices(files: Sequence[str]) -> list[str]:
    directories = {f[:i] for f in files for i, c in enumerate(f) if c == "/"}
    return [*files, *sorted(directories)]


def _truth(case: Case) -> set[str]:
    return {t.rstrip("/") for t in case.truth}


_cache: dict[int, list[str]] = {}


def _all(files: Sequence[str]) -> list[str]:
    return _cache.setdefault(id(files), _choices(files))


def rapidfuzz_ratio(case: Case, files: Sequence[str]) -> Found:
    found = process.extract(_query(case), _all(files), scorer=fuzz.ratio, limit=5)
    return [path for path, _, _ in found], _truth(case)


def rapidfuzz_wratio(case: Case, files: Sequence[str]) -> Found:
    found = process.extract(_query(case), _all(files), scorer=fuzz.WRatio, limit=5)
    return [path for path, _, _ in found], _truth(case)


def difflib_close(case: Case, files: Sequence[str]) -> Found:
    return difflib.get_close_matches(_query(case), _all(files), n=5, cutoff=0.3), _truth(case)


def fzf(case: Case, files: Sequence[str]) -> Found:
    done = subprocess.run(
        ["fzf", "--filter", _query(case)],
        input="\n".join(_all(files)),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.split("\n")[:5], _truth(case)


def BASELINES() -> dict[str, tuple[Finder, int]]:  # noqa: N802  (a table that depends on PATH)
    """Return name -> (finder, largest list it is run on, as some take seconds a query)."""
    table: dict[str, tuple[Finder, int]] = {
        "rapidfuzz ratio": (rapidfuzz_ratio, 30_000),
        "rapidfuzz WRatio": (rapidfuzz_wratio, 8_000),
        "difflib": (difflib_close, 3_000),
    }
    if shutil.which("fzf"):
        table["fzf"] = (fzf, 30_000)
    return table
