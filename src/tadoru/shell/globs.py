"""File-name patterns as fnmatch(3) has them, compiled to a test that cannot blow up.

`*` matches anything, a leading dot and `/` too, as `find -name` and `-path` have it; brackets know
ranges, negation by `!` or `^`, and POSIX classes; a backslash quotes. Every `*` but the last takes
the first place that fits and never gives it back (atomic groups), so the time is linear in the
name for each star.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

CLASSES = {
    "alpha": "^\\W\\d_",
    "digit": "0-9",
    "alnum": "^\\W_",
    "upper": "A-Z",
    "lower": "a-z",
    "space": "\\s",
    "blank": " \\t",
    "punct": "!-/:-@\\[-`{-~",
    "xdigit": "0-9A-Fa-f",
    "word": "\\w",
}
"""POSIX classes as pieces of a Python class; those that begin with `^` need one of their own."""


@lru_cache(maxsize=256)
def compile_glob(pattern: str, *, fold: bool = False) -> Callable[[str], bool]:
    """Return a test of whole names. `fold`: without regard to case."""
    if not fold and not any(c in pattern for c in "?[\\"):
        stars = pattern.count("*")
        if stars == 0:
            return pattern.__eq__
        if stars == 1 and pattern[0] == "*":
            suffix = pattern[1:]
            return lambda name: name.endswith(suffix)
        if stars == 1 and pattern[-1] == "*":
            prefix = pattern[:-1]
            return lambda name: name.startswith(prefix)
        if stars == 2 and pattern[0] == pattern[-1] == "*":
            middle = pattern[1:-1]
            return lambda name: middle in name
    flags = re.DOTALL | (re.IGNORECASE if fold else 0)
    match = re.compile(translate(pattern), flags).fullmatch
    return lambda name: match(name) is not None


def translate(pattern: str) -> str:
    """Return the expression, in Python's syntax, of a pattern that was split at its stars."""
    segments = [""]
    position = 0
    while position < len(pattern):
        letter = pattern[position]
        position += 1
        if letter == "*":
            segments.append("")
        elif letter == "?":
            segments[-1] += "."
        elif letter == "\\" and position < len(pattern):
            segments[-1] += re.escape(pattern[position])
            position += 1
        elif letter == "[":
            text, position = _bracket(pattern, position)
            segments[-1] += text
        else:
            segments[-1] += re.escape(letter)
    if len(segments) == 1:
        return segments[0]
    middle = "".join(f"(?>.*?{segment})" for segment in segments[1:-1] if segment)
    return f"{segments[0]}{middle}.*{segments[-1]}"


def _bracket(pattern: str, start: int) -> tuple[str, int]:
    """Return the expression for the bracket that opened before `start`, and where it ends."""
    negated = pattern[start : start + 1] in ("!", "^")
    begin = start + negated
    end = _closing(pattern, begin)
    if end < 0:
        return "\\[", start
    joined = "|".join(_members(pattern[begin:end])) or "(?!)"
    return (f"(?:(?!{joined}).)" if negated else f"(?:{joined})"), end + 1


def _closing(pattern: str, begin: int) -> int:
    """Return where a bracket's `]` is; one in first place, in a class or quoted is a member."""
    position = begin + 1
    while position < len(pattern):
        if pattern[position - 1] == "\\":
            position += 1
        elif pattern.startswith("[:", position - 1) and (end := pattern.find(":]", position)) > 0:
            position = end + 2
        elif pattern[position] == "]":
            return position
        else:
            position += 1
    return -1


def _members(body: str) -> list[str]:
    """Return the alternatives of a bracket's body, each an expression for one character."""
    plain: list[str] = []
    classes: list[str] = []
    position = 0
    while position < len(body):
        if body.startswith("[:", position) and (end := body.find(":]", position)) > 0:
            known = CLASSES.get(body[position + 2 : end])
            if known:
                classes.append(f"[{known}]")
            position = end + 2
            continue
        letter = body[position]
        if letter == "\\" and position + 1 < len(body):
            position += 1
            letter = body[position]
        if body[position + 1 : position + 2] == "-" and position + 2 < len(body):
            last = body[position + 2]
            if letter <= last:
                plain.append(f"{re.escape(letter)}-{re.escape(last)}")
            position += 3
            continue
        plain.append(re.escape(letter))
        position += 1
    if plain:
        classes.append(f"[{''.join(plain)}]")
    return classes
