"""Packing: within the budget, in file order, without overlap, and never empty-handed."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from tadoru.models.tokens import EstimatedTokens
from tadoru.search.found import Found
from tadoru.search.memory import hit_id
from tadoru.search.pack import Limits, pack
from tadoru.testing.memory import MemoryStore
from tadoru.types import Principal
from tadoru.views import View

COUNTER = EstimatedTokens()
LINE = "def f(a, b):  # 処理 ```\n    return a + b\n"
VIEW = View(
    {
        "": MemoryStore(
            {
                "a.py": LINE * 200,
                "b.md": "```\ncode\n```\n" * 120,
                "c.txt": "x" * 60_000,
                "d.py": "y = 1\n",
                "e.py": "",
            }
        )
    },
    Principal(),
)
CHUNKS = [chunk for path in VIEW.tree.files for chunk in VIEW.chunks(path)]


def found(positions: list[int]) -> list[Found]:
    return [
        Found(CHUNKS[p], score=1 / (1 + n), seed=n < 3, focus=300 * n)
        for n, p in enumerate(positions)
    ]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.integers(0, len(CHUNKS) - 1), unique=True, max_size=12),
    st.integers(0, 3_000),
    st.integers(0, 30_000),
    st.integers(0, 3),
    st.integers(0, 3),
    st.sampled_from([0, 0, 20, 240]),
)
def test_packing_never_exceeds_a_limit(
    positions: list[int], tokens: int, chars: int, files: int, segments: int, each: int
) -> None:
    items = found(positions)
    limits = Limits(tokens, chars, files, segments, each)
    packed = pack(VIEW, items[:4], also=items, limits=limits, counter=COUNTER, languages={})
    assert COUNTER.count(packed.text) == packed.tokens <= tokens
    assert len(packed.text) <= chars
    assert not files or len(packed.files) <= files
    for file in packed.files:
        assert not segments or len(file.segments) <= segments
        lines = [(s.start_line, s.end_line) for s in file.segments]
        assert lines == sorted(lines)
        assert all(a[1] < b[0] for a, b in itertools.pairwise(lines))
    if items:
        assert items[0].path in [file.path for file in packed.files]


def test_best_hit_larger_than_the_budget_is_cut_and_says_so() -> None:
    huge = next(chunk for chunk in CHUNKS if chunk.path == "c.txt")
    packed = pack(
        VIEW, [Found(huge, score=1.0)], limits=Limits(12_000, 20_000), counter=COUNTER, languages={}
    )
    segment = packed.files[0].segments[0]
    assert segment.cut and 19_000 < len(segment.text) < 20_000
    assert "(cut)" in packed.text


def test_chunks_that_touch_become_one_segment() -> None:
    a = [chunk for chunk in CHUNKS if chunk.path == "a.py"]
    items = [Found(chunk, score=1.0) for chunk in (a[1], a[0], a[3])]
    packed = pack(VIEW, items, limits=Limits(10_000, 48_000), counter=COUNTER, languages={})
    assert [(s.start_line, s.end_line) for s in packed.files[0].segments] == [(1, 80), (121, 160)]


def test_text_with_fences_cannot_close_its_own() -> None:
    b = next(chunk for chunk in CHUNKS if chunk.path == "b.md")
    packed = pack(VIEW, [Found(b)], limits=Limits(5_000, 48_000), counter=COUNTER, languages={})
    assert packed.text.splitlines()[1] == "````"
    assert packed.text.splitlines()[-1] == "````"


def test_what_was_sent_is_named_and_not_sent_again() -> None:
    a = [chunk for chunk in CHUNKS if chunk.path == "a.py"]
    text = VIEW.text("a.py") or ""
    known = hit_id(a[0], text[a[0].span.start_char : a[0].span.end_char])
    items = [Found(a[0], score=1.0), Found(a[3], score=0.5)]
    packed = pack(
        VIEW, items, limits=Limits(5_000, 48_000), counter=COUNTER, languages={}, sent={known}
    )
    assert [s.start_line for s in packed.files[0].segments] == [121]
    assert "Sent before in this session: a.py (L1-40)" in packed.text


def test_counter_is_asked_little_more_than_once_per_text() -> None:
    class Counting(EstimatedTokens):
        characters = 0

        def count(self, text: str) -> int:
            self.characters += len(text)
            return super().count(text)

    counter = Counting()
    items = [Found(chunk) for chunk in CHUNKS if chunk.path == "a.py"]
    packed = pack(VIEW, items, limits=Limits(12_000, 48_000), counter=counter, languages={})
    assert counter.characters < 3 * len(packed.text)
