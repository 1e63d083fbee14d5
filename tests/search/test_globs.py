"""Globs, against what git's and ripgrep's users expect, and against hostile patterns."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tadoru.search.globs import Glob, any_match


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("src/*.py", "src/x.py", "src/d/x.py"),
        ("*.py", "src/d/x.py", "src/x.pyc"),
        ("**/x", "a/b/x", "a/b/xy"),
        ("**/x", "x", "x/y"),
        ("src/**", "src/a/b", "src2/a"),
        ("src/**/x.py", "src/x.py", "src/x.pyx"),
        ("src/**/x.py", "src/a/b/x.py", "lib/a/x.py"),
        ("src", "src/a/b.py", "source/a.py"),
        ("src/search", "src/search/a.py", "src/search-v2/a.py"),
        ("src/", "src/a", "src2/a"),
        ("*.{ts,tsx}", "a/b.tsx", "a/b.js"),
        ("{src,lib}/*.rs", "lib/a.rs", "bin/a.rs"),
        ("a{b,{c,d}}e", "ade", "aXe"),
        ("[a-c].py", "b.py", "d.py"),
        ("[!a-c].py", "d.py", "b.py"),
        ("[^a].py", "b.py", "a.py"),
        ("a?c", "abc", "a/c"),
        (r"a\*b", "a*b", "aXb"),
        ("{a,{b", "{a,{b", "a"),
        ("{}", "{}", "x"),
        ("[z-a]", "[z-a]", "z"),
        ("[abc", "[abc", "a"),
        ("./src/*.py", "src/x.py", "x.py"),
        ("/src/*.py", "src/x.py", "lib/src/x.py"),
        ("tests", "lib/tests/x.py", "lib/contests/x.py"),
    ],
)
def test_glob_means_what_its_users_expect(pattern: str, yes: str, no: str) -> None:
    assert Glob(pattern).matches(yes)
    assert not Glob(pattern).matches(no)


@pytest.mark.parametrize(
    "pattern",
    ["{a,{b", "{}", "src/*.py", "**/x", "[z-a]", "a\\*b", "*a" * 60 + "b", "**/" * 60 + "b",
     "{a,b}" * 40, "{" * 500, "[" * 500, "{a,{b,{c,{d," * 30, "*" * 1_000 + "x"],
)  # fmt: skip
def test_no_pattern_takes_longer_than_50_ms(pattern: str) -> None:
    start = time.perf_counter()
    Glob(pattern).matches("a/" * 100 + "a" * 200)
    assert time.perf_counter() - start < 0.05


@given(st.text(st.sampled_from("ab*?[]{}!,-/\\^"), max_size=30), st.text("ab/", max_size=20))
def test_no_pattern_raises(pattern: str, path: str) -> None:
    assert Glob(pattern).matches(path) in (True, False)


@given(st.text(st.characters(blacklist_characters="*?[{\\/", codec="utf-8"), min_size=1))
def test_a_plain_name_matches_itself_at_any_depth(name: str) -> None:
    if name not in (".", ".."):
        assert any_match([name], name)
        assert any_match([name], f"deep/{name}")
