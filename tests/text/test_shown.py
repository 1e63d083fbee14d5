"""Names and quotes stay on their line, whatever is in them."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from tadoru.text.shown import QUOTED_CHARACTERS, quoted, shown, shown_text


@given(st.text())
def test_a_name_is_one_line_without_controls(text: str) -> None:
    line = shown(text)
    assert len(line.splitlines()) <= 1
    assert not [c for c in line if unicodedata.category(c) == "Cc"]


@given(st.text())
def test_a_quote_is_short_and_cannot_be_closed_from_inside(text: str) -> None:
    quote = quoted(text)
    assert len(quote.splitlines()) == 1
    inner = quote[1:-1].replace("\\\\", "").replace('\\"', "")
    assert '"' not in inner
    assert quote[0] == quote[-1] == '"'


def test_a_quote_ends_where_a_name_would() -> None:
    assert len(quoted("word " * 100)) == QUOTED_CHARACTERS + 2
    assert quoted('a "b"\n c') == '"a \\"b\\" c"'


def test_marks_that_turn_text_around_or_hide_it_are_shown() -> None:
    assert shown("a\u202eb\u2028c\U000e0041\x1b\r") == r"a\u202eb\u2028c\U000e0041\x1b\x0d"
    assert shown("naïve 辿る 👩‍👧") == "naïve 辿る 👩‍👧"


def test_lines_of_text_stay_lines() -> None:
    assert shown_text("a\tb\n\x07") == "a\tb\n\\x07"
