"""The estimate of tokens: additive over lines, and one per CJK character."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers

import tadoru
from tadoru.config import Config, ModelConfig
from tadoru.models.base import TokenCounter
from tadoru.models.configured import counter_of
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


def test_a_tokenizer_counts_exactly_and_without_its_truncation(tmp_path: Path) -> None:
    tokenizer = Tokenizer(models.WordLevel({"a": 0, "b": 1, "[UNK]": 2}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.enable_truncation(2)
    tokenizer.enable_padding(length=64)
    folder = tmp_path / "small-model"
    folder.mkdir()
    tokenizer.save(str(folder / "tokenizer.json"))
    counter = counter_of(ModelConfig(tokenizer=str(folder / "tokenizer.json")))
    assert isinstance(counter, TokenCounter)
    assert (counter.name, counter.count("a b c a"), counter.count("")) == ("small-model", 4, 0)


def test_answers_are_counted_by_the_configured_tokenizer(tmp_path: Path, repository: Path) -> None:
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / "words.json"))
    config = Config(
        home=str(tmp_path / "home"), models=ModelConfig(tokenizer=str(tmp_path / "words.json"))
    )
    with tadoru.open(repository, config=config) as workspace:
        answer = workspace.search("cookie", budget=500)
    assert answer.counter == "words"
    assert answer.tokens == len(tokenizer.encode(answer.text).ids) <= 500
