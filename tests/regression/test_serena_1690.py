"""serena #1690, #1732: a parser of globs hung on open braces, and a star crossed a slash."""

from __future__ import annotations

import time

import pytest

from tadoru.search.globs import any_match

GLOBS = [
    "{a,{b", "{}", "src/*.py", "**/x", "[z-a]", r"a\\*b", "{" * 200, "{a," * 60,
    "*" * 300 + "b", "**/" * 60 + "b", "[", "[!",
]  # fmt: skip


@pytest.mark.parametrize("glob", GLOBS)
def test_any_glob_answers_at_once(glob):
    paths = [f"src/{'d/' * n}x{n}.py" for n in range(20)] + ["a" * 200, "x", "a/" * 100 + "x"]
    since = time.process_time()
    for path in paths:
        any_match([glob], path)
    assert time.process_time() - since < 0.5


def test_a_star_stays_in_its_directory(new_tree):
    tree = new_tree(
        {"src/x.py": "def here():\n    pass\n", "src/d/x.py": "def here():\n    pass\n\n"}
    )
    assert tree.hits("here", include=["src/*.py"]) == ["src/x.py"]
    assert set(tree.hits("here", include=["src/**/*.py"])) == {"src/x.py", "src/d/x.py"}
