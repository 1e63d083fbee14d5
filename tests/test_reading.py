"""Windows of a text, paths as people write them, sums of reports."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tadoru.errors import BadInput
from tadoru.models.tokens import EstimatedTokens
from tadoru.reading import total, window
from tadoru.types import IndexReport

COUNTER = EstimatedTokens()


def test_a_window_counts_lines_from_one_with_both_ends() -> None:
    piece = window("a\nb\nc\n", start=2, end=3, budget=None, counter=COUNTER)
    assert (piece.text, piece.start_line, piece.end_line) == ("b\nc\n", 2, 3)
    assert piece.total_lines == 3
    assert not piece.truncated


def test_only_a_line_feed_ends_a_line() -> None:
    text = "a\x0cb\u2028c\rd\r\ne"
    assert window(text, start=1, end=None, budget=None, counter=COUNTER).total_lines == 2
    assert window("a\rb", start=1, end=None, budget=None, counter=COUNTER).total_lines == 1


def test_a_budget_cuts_at_a_line_and_says_so() -> None:
    piece = window("one two\n" * 100, start=1, end=None, budget=10, counter=COUNTER)
    assert piece.text == "one two\n" * 5
    assert piece.truncated
    assert piece.end_line == 5


def test_a_line_over_the_budget_is_cut_and_shown() -> None:
    for line in ("word " * 1000, "漢" * 1000, "x" * 5):
        piece = window(line, start=1, end=None, budget=10, counter=COUNTER)
        assert piece.text
        assert piece.truncated is (len(line) > 5)
        assert COUNTER.count(piece.text) <= 10


def test_an_empty_file_has_no_lines() -> None:
    piece = window("", start=1, end=None, budget=100, counter=COUNTER)
    assert (piece.text, piece.total_lines, piece.truncated) == ("", 0, False)


@pytest.mark.parametrize(("start", "end"), [(0, None), (-3, None), (5, 4)])
def test_a_window_that_cannot_be_one_is_bad_input(start: int, end: int | None) -> None:
    with pytest.raises(BadInput):
        window("a\n", start=start, end=end, budget=None, counter=COUNTER)


@given(st.text(alphabet="ab \n\r漢😀", max_size=80), st.integers(1, 9), st.integers(0, 9))
def test_windows_are_pieces_of_the_text(text: str, start: int, more: int) -> None:
    whole = window(text, start=1, end=None, budget=None, counter=COUNTER)
    assert whole.text == text
    piece = window(text, start=start, end=start + more, budget=None, counter=COUNTER)
    assert piece.text in text


def test_reports_of_several_roots_add_up() -> None:
    one = IndexReport(root="/a", added=1, languages={"python": 1}, skipped={"binary": ["x"]})
    two = IndexReport(root="/b", added=2, languages={"python": 2, "go": 1}, complete=False)
    report = total([one, two])
    assert report.added == 3
    assert report.languages == {"python": 3, "go": 1}
    assert report.skipped == {"binary": ["x"]}
    assert not report.complete
