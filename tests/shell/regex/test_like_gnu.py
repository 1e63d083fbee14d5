"""Random expressions over random lines: the same lines and matches as GNU grep in C.UTF-8."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Iterator

import grammar
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tadoru.shell.regex.compile import compile_posix
from tadoru.shell.regex.matcher import Clock, Matcher, Rules
from tadoru.shell.regex.nodes import PatternError

ENVIRONMENT = os.environ | {"LC_ALL": "C.UTF-8"}
FLAGS = ("-i", "-w", "-x", "-v", "-z")
GNU_SECONDS = 2.0
"""GNU grep itself needs minutes for some back-references."""
FAST = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
THOROUGH = settings(FAST, max_examples=4_000)


def gnu(arguments: list[str], data: bytes) -> tuple[bytes, str]:
    try:
        done = subprocess.run(
            ["grep", *arguments],
            input=data,
            capture_output=True,
            env=ENVIRONMENT,
            timeout=GNU_SECONDS,
        )
    except subprocess.TimeoutExpired:
        assume(False)
        raise
    return done.stdout, done.stderr.decode()


def numbered(matcher: Matcher, data: bytes, flags: list[str], *, only: bool) -> bytes:
    """Return what `grep -n` prints, or `grep -no`."""
    end = b"\0" if "-z" in flags else b"\n"
    out: list[bytes] = []
    for begin, stop in selected(matcher, data, end, invert="-v" in flags):
        number = data.count(end, 0, begin) + 1
        line = data[begin:stop]
        shown = [line[a:b] for a, b in matcher.spans(line)] if only else [line]
        out.extend(b"%d:%b%b" % (number, text, end) for text in shown)
    return b"".join(out)


def selected(
    matcher: Matcher, data: bytes, end: bytes, *, invert: bool
) -> Iterator[tuple[int, int]]:
    found = set(matcher.lines(data))
    at = 0
    while at < len(data):
        stop = data.find(end, at)
        stop = len(data) if stop < 0 else stop
        if ((at, stop) in found) is not invert:
            yield at, stop
        at = stop + 1


def check(rng: random.Random, *, broken: bool) -> None:
    extended = rng.random() < 0.5
    flags = [flag for flag in FLAGS if rng.random() < 0.2]
    references = not {"-w", "-z"} & set(flags)
    expression = grammar.pattern(rng, extended=extended, references=references)
    # GNU finds `\W*\B` with -w in `a..b` in the locale C, and not in C.UTF-8.
    assume("-w" not in flags or "\\B" not in expression)
    # With -z, GNU's anchors mean lines or records depending on which of its engines runs.
    assume("-z" not in flags or not {"^", "$"} & set(expression))
    data = b"".join(grammar.line(rng, broken=broken) + b"\n" for _ in range(60))
    if "-z" in flags:
        data = data.replace(b"\n\n", b"\0")
    if rng.random() < 0.4:
        data = bytes(byte for byte in data if byte < 0x80)
    syntax = "-E" if extended else "-G"
    stdout, stderr = gnu([syntax, "-an", *flags, "-e", expression], data)
    rules = Rules(word="-w" in flags, line="-x" in flags, zero="-z" in flags)
    try:
        matcher, warnings = compile_posix(
            [expression],
            "extended" if extended else "basic",
            rules,
            Clock(),
            ignore_case="-i" in flags,
        )
    except PatternError as error:
        assert stderr == f"grep: {error}\n"
        return
    assert "".join(f"grep: warning: {text}\n" for text in warnings) == stderr
    assert numbered(matcher, data, flags, only=False) == stdout, (syntax, flags, expression)
    if not stderr and not broken and not {"-v", "-x", "-z"} & set(flags):
        stdout, _ = gnu([syntax, "-ano", *flags, "-e", expression], data)
        assert numbered(matcher, data, flags, only=True) == stdout, (syntax, flags, expression)


@FAST
@given(seed=st.integers(0, 10**9))
def test_same_lines_and_matches_as_gnu_grep(seed: int) -> None:
    check(random.Random(seed), broken=False)


@settings(FAST, max_examples=60)
@given(seed=st.integers(0, 10**9))
def test_same_lines_as_gnu_grep_where_bytes_are_no_characters(seed: int) -> None:
    check(random.Random(seed), broken=True)


@pytest.mark.slow
@THOROUGH
@given(seed=st.integers(0, 10**9))
def test_same_as_gnu_grep_for_thousands_of_expressions(seed: int) -> None:
    check(random.Random(seed), broken=False)


REFUSED = [
    "(a", "a(", "[a", "*a", "a{1", "a{1,2", "{1}a", "a{2,1}", "a{99999}", "a|*b", "()", "(|a)",
    "a\\", "[z-a]", "[[:foo:]]", "[:space:]", "[[.ab.]]", "[[=ab=]]", "[a-[:digit:]]", "(a)\\2",
    "\\(a", "a\\)", "^*ab", "\\1", "a{1a}", "[", "[]", "[^]", "[[.", "[[:", "[[:a", "[a-é]",
    "[é-ü]", "[[.é.]]", "[a-z-9]", "[--z]", "[+--]", "[---]", "[a--z]", "[]-a]", "[:a:b:]",
    "[:a-z:]", "[a-[.z.]]", "[a-[=z=]]", "a\\{1", "a\\{x\\}", "a\\{,\\}", "a\\{\\}", "a\\{2,1\\}",
    "a\\{1}", "x\\{32768\\}", "a{32768}", "(a)|b\\1", "\\{1\\}ab", "\\(*ab\\)", "\\(^*ab\\)",
    "a**", "+a", "?a", "a+*", ")", "a)b", "(a))", "^+a", "a{,}", "{", "{1", "{,", "a||b", "x^*ab",
    "a$b", "a^b", "\\?ab", "^\\+ab", "\\`ab", "ab\\'", "[\\]", "[\\a]", "(^)*ab", "a$*b", "\\<*ab",
    "x\\b*ab", "\\b+ab", "(*ab)", "(+ab|x)", "a|^*", "^*{2}ab",
]  # fmt: skip
LINES = b"ab\nxab\n*ab\n^ab\na^b\nab$\na$b\n*\na{1\na\\{1\nxa*b\n{1}ab\n+ab\n?ab\na)b\n\\\n-\n:\n"


@pytest.mark.parametrize("syntax", ["basic", "extended"])
def test_reads_and_refuses_odd_expressions_as_gnu_grep_does(syntax: str) -> None:
    for expression in REFUSED:
        for case in ([], ["-i"]):
            flag = "-G" if syntax == "basic" else "-E"
            stdout, stderr = gnu([flag, "-an", *case, "-e", expression], LINES)
            try:
                matcher, warnings = compile_posix(
                    [expression],
                    syntax,  # type: ignore[arg-type]
                    Rules(),
                    Clock(),
                    ignore_case=bool(case),
                )
            except PatternError as error:
                assert f"grep: {error}\n" == stderr, expression
            else:
                assert "".join(f"grep: warning: {w}\n" for w in warnings) == stderr, expression
                assert numbered(matcher, LINES, [], only=False) == stdout, expression


@pytest.mark.slow
def test_every_letter_equals_the_same_ones_without_case_as_in_gnu_grep() -> None:
    letters = [chr(c) for c in range(0x2200) if chr(c).upper() != chr(c).lower()]
    data = "".join(f"{letter}\n" for letter in letters).encode()
    for letter in letters:
        stdout, _ = gnu(["-ain", "-e", letter], data)
        matcher, _ = compile_posix([letter], "basic", Rules(), Clock(), ignore_case=True)
        assert numbered(matcher, data, [], only=False) == stdout, hex(ord(letter))


@pytest.mark.parametrize("name", sorted(grammar.CLASSES))
def test_classes_hold_the_same_characters_as_in_gnu_grep(name: str) -> None:
    codes = [*range(0x20, 0xD800), *range(0xE000, 0x12000), *range(0x1F000, 0x20000)]
    data = "".join(f"{chr(code)}\n" for code in codes).encode()
    stdout, _ = gnu(["-a", f"[[:{name}:]]"], data)
    matcher, _ = compile_posix([f"[[:{name}:]]"], "basic", Rules(), Clock())
    assert b"".join(data[a:b] + b"\n" for a, b in matcher.lines(data)) == stdout
