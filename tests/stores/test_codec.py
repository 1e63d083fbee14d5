"""What is packed comes out as it went in, whatever the places and the texts are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tadoru.stores.sqlite.codec import chunks_of, content_of, pack, symbols_of
from tadoru.stores.sqlite.unpacked import Unpacked
from tadoru.types import Chunk, Span, Symbol

number = st.integers(0, 2**40)
text = st.text(max_size=12)
span = st.builds(Span, number, number, number, number, number, number)
chunk = st.builds(Chunk, st.just("a.py"), st.just(0), span, text, text, text, text, text)
symbol = st.builds(Symbol, text, text, st.just("a.py"), span, text, text, text)


@given(st.binary(max_size=200), st.lists(chunk, max_size=5), st.lists(symbol, max_size=5))
def test_a_file_with_its_chunks_and_symbols_comes_out_as_it_went_in(content, chunks, symbols):
    numbered = [
        Chunk("a.py", at, c.span, c.breadcrumb, c.kind, c.name, c.signature, c.doc)
        for at, c in enumerate(chunks)
    ]
    blob = pack(content, numbered[::-1], symbols)
    assert content_of(blob) == content
    assert list(chunks_of(blob, "a.py")) == numbered
    assert symbols_of(blob, "a.py") == symbols


def test_what_was_unpacked_is_kept_within_its_bound():
    kept: Unpacked[int] = Unpacked(limit=100)
    asked: list[int] = []

    def load(number: int) -> list[int]:
        asked.append(number)
        return [number] * 10

    for number in (1, 1, *range(2, 12), 11, 1):
        assert kept.of((number, 7), lambda number=number: load(number)) == [number] * 10
    assert asked == [1, *range(2, 12), 1], "the oldest was forgotten, the newest was not"
    assert kept.of((1, 8), lambda: [0]) == [0], "another revision is another file"
    assert len(kept.of((99, 1), lambda: [5] * 60)) == 60
    assert kept.of((99, 1), list) == [], "a very large one is not kept"
