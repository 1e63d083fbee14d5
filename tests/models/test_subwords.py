"""The words of the embedded model: what training and use must agree on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tadoru.models.subwords import Vocabulary, identifiers, parts_of


@pytest.mark.parametrize(
    ("identifier", "parts"),
    [
        ("readHTTPFile_v2", ["read", "http", "file", "v", "2"]),
        ("__init__", ["init"]),
        ("MAX_SIZE", ["max", "size"]),
        ("XMLParser", ["xml", "parser"]),
    ],
)
def test_camel_snake_and_digits_are_apart(identifier: str, parts: list[str]) -> None:
    assert parts_of(identifier) == parts


def test_cjk_runs_give_characters_and_bigrams() -> None:
    assert identifiers("読み込みの設定 config値") == ["読み込みの設定", "config", "値"]
    assert parts_of("設定値") == ["設", "定", "値", "設定", "定値"]


def test_a_known_word_is_one_piece_and_an_unknown_one_several() -> None:
    known = Vocabulary(["token", "s", "#s", "#izer", "tok"])
    assert known.tokens("token") == (0,)
    assert known.tokens("Tokens") == (0, 2)
    assert known.tokens("tokenizer") == (0, 3)
    assert known.tokens("toksizer") == (4, 2, 3)


def test_an_identifier_that_is_known_as_one_also_counts_as_one() -> None:
    known = Vocabulary(["read", "file", "=readfile"])
    assert known.tokens("readFile") == known.tokens("read_file") == (0, 1, 2)
    assert known.tokens("read") == (0,)


def test_what_begins_with_no_known_piece_is_passed_over() -> None:
    assert Vocabulary(["a"]).tokens("zzz") == ()
    assert Vocabulary(["a"]).tokens("設定") == ()


def test_counts_are_those_of_all_identifiers() -> None:
    known = Vocabulary(["open", "session", "#s"])
    assert known.counts("openSession(open, sessions) # Open") == {0: 3, 1: 2, 2: 1}


@given(st.text(max_size=200))
def test_any_text_has_tokens_of_the_vocabulary_only(text: str) -> None:
    known = Vocabulary(["a", "b", "#a", "ab", "設", "=aba"])
    assert all(0 <= number < len(known) for number in known.counts(text))


@given(st.text(alphabet="abAB_1", max_size=60))
def test_counts_are_the_sum_over_identifiers(text: str) -> None:
    known = Vocabulary(["a", "b", "#a", "#b", "ab", "=aba"])
    expected = [number for each in identifiers(text) for number in known.tokens(each)]
    assert sorted(known.counts(text).elements()) == sorted(expected)
