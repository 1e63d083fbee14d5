"""`tadoru explain` shows every stage, in text and as JSON, and does what the plain command does."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Run

pytestmark = pytest.mark.slow  # each test starts processes


def headings(text: str) -> list[str]:
    return [line for line in text.splitlines() if line and line[0].isalpha() and " " not in line]


def test_every_stage_of_a_resolve(cli: Run) -> None:
    done = cli("explain", "resolve", "src/shop/session.py", "--intent", "load the session")
    assert (done.returncode, done.stderr) == (0, "")
    assert headings(done.stdout) == [
        "normalize", "candidates", "rank", "limits", "confidence", "ms", "candidates"
    ]  # fmt: skip
    assert "  directory that exists: src/shop\n" in done.stdout
    assert "  words of the intent:\n    load\n" in done.stdout
    (best,) = [line for line in done.stdout.splitlines() if line.startswith("    1  ")]
    assert "src/shop/sessions.py" in best
    row = next(line for line in done.stdout.splitlines() if line.startswith("  src/shop/sessions"))
    assert "path_similarity" in row, "features are named"
    assert "  (none of them)  " in done.stdout


def test_a_resolve_explained_is_the_resolve(cli: Run) -> None:
    for path in ("src/shop/session.py", "cart.py", "nothing/like/this.zz", "src/shop/cart.py"):
        plain = json.loads(cli("resolve", path, "--json", "--top", "10").stdout)
        explained = json.loads(cli("explain", "resolve", path, "--json").stdout)
        assert "normalize" in explained.pop("stages")
        assert explained == plain


def test_an_existing_path_needs_no_ranking(cli: Run) -> None:
    stages = json.loads(cli("explain", "resolve", "README.md", "--json").stdout)["stages"]
    assert stages["normalize"]["it exists"] is True
    assert "rank" not in stages


def test_every_stage_of_a_search(cli: Run) -> None:
    done = cli("explain", "search", "where is the session cookie signed")
    assert done.returncode == 0
    for stage in ("question", "recall", "ranked", "cut", "expanded", "hits", "packed"):
        assert f"\n{stage}" in f"\n{done.stdout}", stage


def test_an_unknown_part_gets_a_suggestion(cli: Run) -> None:
    done = cli("explain", "serach", "x")
    assert done.returncode == 2
    assert done.stderr == "tadoru: no such command: serach (did you mean `search`?)\n"
    assert "`list`" in cli("config", "lst").stderr
