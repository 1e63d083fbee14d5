"""Names are found at the end of paths, by the long line and by the sorted list alike."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tadoru.indexing.tails import FEW, MAX_CANDIDATES, Tails

NAMES = st.sampled_from(["a", "b", "ab", "ba", "m.py", "é", "\U0010ffff", "x y"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)


@given(st.sets(PATHS, max_size=30), st.lists(PATHS, min_size=1, max_size=10))
@settings(deadline=None)
def test_the_first_questions_and_the_later_ones_have_the_same_answers(
    paths: set[str], asked: list[str]
) -> None:
    tails = Tails(paths)
    expected = [sorted(p for p in paths if ("/" + p).endswith("/" + name)) for name in asked]
    assert [sorted(tails.ending(name)) for name in asked] == expected
    for _ in range(FEW):
        tails.ending("nothing")
    assert [sorted(tails.ending(name)) for name in asked] == expected


def test_a_name_that_very_many_files_have_says_nothing() -> None:
    tails = Tails([f"d{n}/a/__init__.py" for n in range(MAX_CANDIDATES + 1)])
    for _ in range(FEW + 2):
        assert tails.ending("__init__.py") == tails.ending("a/__init__.py") == []
        assert tails.ending("d7/a/__init__.py") == ["d7/a/__init__.py"]
