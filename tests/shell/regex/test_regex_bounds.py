"""Expressions that would take for ever, or too much: bounded, with a clear error."""

from __future__ import annotations

import time

import pytest

from tadoru.errors import LimitExceeded
from tadoru.shell.regex.compile import compile_perl, compile_posix
from tadoru.shell.regex.matcher import Clock, Rules
from tadoru.shell.regex.nodes import PatternError


def test_a_catastrophic_back_reference_ends_at_the_time_limit() -> None:
    end = time.monotonic() + 0.3
    clock = Clock(left=lambda: end - time.monotonic())
    matcher, _ = compile_posix([r"(a*)*(a*)*(a*)*\1b\2c"], "extended", Rules(), clock)
    started = time.monotonic()
    with pytest.raises(LimitExceeded):
        list(matcher.lines(b"a" * 5_000 + b"bc\n"))
    assert time.monotonic() - started < 3


def test_a_catastrophic_look_ahead_ends_at_the_time_limit() -> None:
    end = time.monotonic() + 0.3
    clock = Clock(left=lambda: end - time.monotonic())
    matcher = compile_perl([r"(?=(a+)+$)(b|a)"], Rules(longest=False), clock)
    with pytest.raises(LimitExceeded):
        list(matcher.lines(b"a" * 5_000 + b"!\n"))


@pytest.mark.parametrize("expression", ["(a+)+$", "(a|aa)*b", "((a*)*)*c", "(.*)(.*)(.*)(.*)x"])
def test_nested_repetitions_are_linear(expression: str) -> None:
    matcher, _ = compile_posix([expression], "extended", Rules(), Clock())
    started = time.monotonic()
    list(matcher.lines(b"a" * 200_000 + b"!\n"))
    assert time.monotonic() - started < 3


@pytest.mark.parametrize(
    "expression",
    ["(" * 5_000 + ")" * 5_000, "((a{1,255}){1,255}){1,255}\\<b.", "a{1,32767}{1,99}\\>."],
)
def test_what_is_too_big_is_refused(expression: str) -> None:
    with pytest.raises(PatternError, match="Regular expression too big"):
        matcher, _ = compile_posix([expression], "extended", Rules(), Clock())
        list(matcher.lines("aaab é b\n".encode() * 2))


def test_deep_perl_groups_are_refused() -> None:
    with pytest.raises(PatternError):
        compile_perl(["(" * 5_000], Rules(longest=False), Clock(), rust=True)


def test_many_and_long_patterns_work() -> None:
    words = [f"word{number}x" for number in range(3_000)]
    matcher, _ = compile_posix(words, "fixed", Rules(), Clock())
    data = b"word1y\nword2999x\n"
    assert [data[a:b] for a, b in matcher.lines(data)] == [b"word2999x"]
    long = "x" * 100_000
    matcher, _ = compile_posix([long], "basic", Rules(), Clock())
    assert matcher.search(long.encode())


def test_large_repetitions_are_exact() -> None:
    matcher, _ = compile_posix([r"^(ab){1500}$"], "extended", Rules(), Clock())
    assert matcher.search(b"ab" * 1_500)
    assert not matcher.search(b"ab" * 1_499)


def test_python_s_own_engine_never_sees_a_pattern(monkeypatch: pytest.MonkeyPatch) -> None:
    import re

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the re module was asked to compile a user's pattern")

    monkeypatch.setattr(re, "_compile", refuse)
    for syntax in ("basic", "extended", "fixed"):
        matcher, _ = compile_posix(
            [r"\(q\)\1z" if syntax == "basic" else "qqz"],
            syntax,  # type: ignore[arg-type]
            Rules(),
            Clock(),
        )
        assert matcher.search(b"qqz")
