"""Necessary literals: a file in which GNU grep finds something is never left out."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import grammar
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tadoru.shell.regex.compile import compile_perl, compile_posix
from tadoru.shell.regex.matcher import Clock, Rules
from tadoru.shell.regex.nodes import PatternError

QUICK = settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))


def admits(literals: tuple[tuple[bytes, ...], ...], data: bytes) -> bool:
    """What `LiteralIndex.candidates` promises, word for word."""
    folded = data.lower()
    return all(any(text.lower() in folded for text in clause) for clause in literals)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("literals")
    rng = random.Random(5)
    files: dict[str, bytes] = {}
    for number in range(120):
        lines = [grammar.line(rng, broken=number % 7 == 0) for _ in range(rng.randint(0, 4))]
        files[str(folder / f"{number}.txt")] = b"\n".join(lines)
    for name, data in files.items():
        Path(name).write_bytes(data)
    return files


def check(rng: random.Random, corpus: dict[str, bytes]) -> None:
    extended = rng.random() < 0.5
    flags = [flag for flag in ("-i", "-w", "-x") if rng.random() < 0.3]
    expression = grammar.pattern(rng, extended=extended)
    try:
        matcher, _ = compile_posix(
            [expression],
            "extended" if extended else "basic",
            Rules("-w" in flags, "-x" in flags),
            Clock(),
            ignore_case="-i" in flags,
        )
    except PatternError:
        assume(False)
    syntax = "-E" if extended else "-G"
    try:
        found = subprocess.run(
            ["grep", syntax, "-alZ", *flags, "-e", expression, "--", *corpus],
            capture_output=True,
            env=os.environ | {"LC_ALL": "C.UTF-8"},
            timeout=2,
        ).stdout
    except subprocess.TimeoutExpired:
        assume(False)
        raise
    for name in found.decode().split("\0")[:-1]:
        assert admits(matcher.literals, corpus[name]), (syntax, flags, expression, name)


@QUICK
@given(seed=st.integers(0, 10**9))
def test_no_file_with_a_match_is_left_out(seed: int, corpus: dict[str, bytes]) -> None:
    check(random.Random(seed), corpus)


@pytest.mark.slow
@settings(QUICK, max_examples=3_000)
@given(seed=st.integers(0, 10**9))
def test_no_file_is_left_out_by_thousands_of_expressions(
    seed: int, corpus: dict[str, bytes]
) -> None:
    check(random.Random(seed), corpus)


@pytest.mark.parametrize(
    ("expression", "literals"),
    [
        ("def loads\\|def dumps", ((b"def dumps", b"def loads"),)),
        ("foo.*bar", ((b"bar",), (b"foo",))),
        ("fo[ox]bar", ((b"foobar", b"foxbar"),)),
        ("^class \\w*Error", ((b"class ",), (b"error",))),
        ("Größe", ("größe".encode(),)),
        ("\\(foo\\)*", ()),
        ("x*", ()),
        ("[a-z]*", ()),
        ("\\bfoo\\b", ((b"foo",),)),
        ("\\(ab\\)\\{2\\}c", ((b"ababc",),)),
        ("\\(import\\|from\\) os", ((b"from os", b"import os"),)),
    ],
)
def test_literals_are_as_long_as_they_can_be(
    expression: str, literals: tuple[tuple[bytes, ...], ...]
) -> None:
    found, _ = compile_posix([expression], "basic", Rules(), Clock())
    wanted = tuple((text,) if isinstance(text, bytes) else text for text in literals)
    assert sorted(found.literals) == sorted(wanted)


def test_without_case_every_spelling_of_a_letter_is_asked_for() -> None:
    matcher, _ = compile_posix(["És"], "basic", Rules(), Clock(), ignore_case=True)
    assert admits(matcher.literals, "éſ".encode())
    assert admits(matcher.literals, "ÉS".encode())
    assert not admits(matcher.literals, b"es")


def test_several_patterns_are_a_disjunction() -> None:
    matcher, _ = compile_posix(["alpha", "beta"], "fixed", Rules(), Clock())
    assert matcher.literals == ((b"alpha", b"beta"),)
    matcher, _ = compile_posix(["alpha", ""], "fixed", Rules(), Clock())
    assert matcher.literals == ()


def test_what_a_look_ahead_needs_is_asked_for() -> None:
    matcher = compile_perl([r"(?<=def )\w+(?=\()"], Rules(longest=False, ascii_words=True), Clock())
    assert sorted(matcher.literals) == [(b"(",), (b"def ",)]
    matcher = compile_perl([r"foo(?!bar)"], Rules(longest=False), Clock())
    assert matcher.literals == ((b"foo",),)
