"""Byte offsets in UTF-8 lead to lines, characters and bytes of the file, and back to whole text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tadoru.text.positions import Positions

TEXT = st.text(st.sampled_from(["a", "é", "漢", "😀", "\n", "\r", " ", "\t"]), max_size=400)


@given(TEXT, st.sampled_from(["utf-8", "utf-16-le", "utf-32-be"]), st.sampled_from([0, 3]))
def test_spans_agree_with_slicing(text: str, encoding: str, mark: int) -> None:
    positions = Positions(text, encoding, mark)
    chars = range(0, len(text) + 1, 3)
    offsets = [len(text[:char].encode()) for char in chars]
    pairs = [(start, end) for start in offsets for end in offsets if start <= end][:200]
    for (start, end), span in zip(pairs, positions.spans(pairs), strict=True):
        assert text[span.start_char : span.end_char].encode() == positions.data[start:end]
        assert span.start_byte == mark + len(text[: span.start_char].encode(encoding))
        assert span.end_byte == mark + len(text[: span.end_char].encode(encoding))
        last = max(span.start_char, span.end_char - 1)
        for char, line in ((span.start_char, span.start_line), (last, span.end_line)):
            # the place behind a final line end still counts as that line
            newlines = text.count("\n", 0, char)
            assert line in (newlines + 1, max(1, newlines))


@given(TEXT)
def test_weight_counts_what_is_no_blank(text: str) -> None:
    positions = Positions(text)
    data = text.encode()
    expected = len(data.translate(None, b" \t\r\x0b\x0c"))
    assert positions.weight(0, len(data)) == expected
    assert positions.weight_before(len(data)) == expected


@given(TEXT, st.integers(0, 1_000))
def test_whole_never_splits_a_character(text: str, offset: int) -> None:
    positions = Positions(text)
    at = positions.whole(min(offset, len(positions.data)))
    positions.data[:at].decode()
