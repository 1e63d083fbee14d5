"""The estimate of tokens: additive over lines, and one per CJK character."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tadoru.models.base import TokenCounter
from tadoru.models.tokens import EstimatedTokens

COUNTER = EstimatedTokens()


def test_it_is_a_token_counter() -> None:
    assert isinstance(COUNTER, TokenCounter)


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), (" \n\t", 0), ("hello", 1), ("x = 1", 3), ("12345", 2), ("処理する", 4), ("a_b", 3)],
)
def test_count(text: str, count: int) -> None:
    assert COUNTER.count(text) == count


@given(st.text(), st.text())
def test_lines_add_up(first: str, second: str) -> None:
    assert COUNTER.count(f"{first}\n{second}") == COUNTER.count(first) + COUNTER.count(second)
