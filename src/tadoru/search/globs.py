"""Path globs: `*` and `?` stay inside a name, `**` spans directories, `{a,b}` and `[..]` as usual.

A pattern without `/` matches the name at any depth, one with `/` counts from the root, and one
without any wildcard also matches everything below the directory that it names. What is malformed
(`{a,{b`, `[z-a]`, `{}`) is taken literally. Uses no regular expression, so no pattern can hang:
matching is at most quadratic in the length of pattern and path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

MAX_ALTERNATIVES = 256
"""Braces that multiply to more patterns than this are taken literally."""

_Test = Callable[[str], bool]
_Token = str | tuple[bool, tuple[tuple[str, str], ...]]
"""`*`, `?`, an escaped literal (`=x`), or a class: (negated, ranges)."""


class Glob:
    """One compiled pattern."""

    __slots__ = ("_anywhere", "_literal", "_segment_lists", "pattern")

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        trimmed = pattern.removeprefix("./").removeprefix("/")
        self._literal = ""
        if trimmed.endswith("/") and trimmed.strip("/"):
            trimmed += "**"
        elif not any(mark in trimmed for mark in "*?[{\\"):
            self._literal = trimmed
        self._anywhere = "/" not in pattern.removeprefix("./")
        self._segment_lists = [
            [None if part == "**" else _segment(part) for part in alternative.split("/")]
            for alternative in expand_braces(trimmed)
        ]

    def matches(self, path: str) -> bool:
        """Tell whether a path of the tree matches."""
        if self._literal:
            return self._matches_literal(path)
        if self._anywhere:
            name = path.rpartition("/")[2]
            names, whole = [name], path.split("/")
            return any(
                _match_segments(tests, names if len(tests) == 1 and tests[0] else whole)
                for tests in self._segment_lists
            )
        parts = path.split("/")
        return any(_match_segments(tests, parts) for tests in self._segment_lists)

    def _matches_literal(self, path: str) -> bool:
        literal = self._literal
        if path == literal or path.startswith(literal + "/"):
            return True
        return self._anywhere and (path.endswith("/" + literal) or f"/{literal}/" in f"/{path}")


@lru_cache(maxsize=512)
def compiled(pattern: str) -> Glob:
    return Glob(pattern)


def any_match(patterns: Iterable[str], path: str) -> bool:
    """Tell whether at least one of the patterns matches."""
    return any(compiled(pattern).matches(path) for pattern in patterns)


def expand_braces(pattern: str) -> list[str]:
    """Return the patterns that `{a,b}` stands for; the pattern itself when braces are malformed."""
    if not _balanced(pattern):
        return [_escape_braces(pattern)]
    expanded = _expand(pattern)
    return expanded if expanded is not None else [_escape_braces(pattern)]


def _balanced(pattern: str) -> bool:
    depth, escaped = 0, False
    for char in pattern:
        if escaped:
            escaped = False
        elif char == "\\":
            escaped = True
        elif char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if depth < 0:
                return False
    return depth == 0


def _escape_braces(pattern: str) -> str:
    return pattern.replace("{", "[{]").replace("}", "[}]")


def _expand(pattern: str) -> list[str] | None:
    """Expand left to right; None when there would be too many."""
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        if len(done) + len(waiting) > MAX_ALTERNATIVES:
            return None
        current = waiting.pop()
        group = _first_group(current)
        if group is None:
            done.append(current)
            continue
        start, end, options = group
        if len(options) + len(waiting) > MAX_ALTERNATIVES:
            return None
        waiting.extend(current[:start] + option + current[end:] for option in reversed(options))
    return done


def _first_group(pattern: str) -> tuple[int, int, list[str]] | None:
    """Return start, end and options of the first brace group with a comma."""
    stack: list[int] = []
    commas: list[list[int]] = []
    position = 0
    best: tuple[int, int, list[str]] | None = None
    while position < len(pattern):
        char = pattern[position]
        if char == "\\":
            position += 2
            continue
        if char == "{":
            stack.append(position)
            commas.append([])
        elif char == "," and stack:
            commas[-1].append(position)
        elif char == "}" and stack:
            start, cuts = stack.pop(), commas.pop()
            if cuts and (best is None or start < best[0]):
                edges = [start, *cuts, position]
                options = [pattern[a + 1 : b] for a, b in pairwise(edges)]
                best = (start, position + 1, options)
        position += 1
    return best


def _segment(part: str) -> _Test:
    """Compile one name pattern, with the common shapes as plain string tests."""
    tokens = _tokens(part)
    plain = "".join(t[1:] if isinstance(t, str) and t[0] == "=" else "\0" for t in tokens)
    if "\0" not in plain:
        return plain.__eq__
    if tokens == ["*"]:
        return lambda name: True
    if plain.count("\0") == 1 and tokens[0] == "*":
        return lambda name: name.endswith(plain[1:])
    if plain.count("\0") == 1 and tokens[-1] == "*":
        return lambda name: name.startswith(plain[:-1])
    return lambda name: _match_tokens(tokens, name)


def _tokens(part: str) -> list[_Token]:
    tokens: list[_Token] = []
    position = 0
    while position < len(part):
        char = part[position]
        if char == "\\" and position + 1 < len(part):
            tokens.append("=" + part[position + 1])
            position += 2
            continue
        if char == "[":
            found = _char_class(part, position)
            if found is not None:
                token, position = found
                tokens.append(token)
                continue
        if char == "*":
            if not tokens or tokens[-1] != "*":
                tokens.append("*")
        else:
            tokens.append("?" if char == "?" else "=" + char)
        position += 1
    return tokens


def _char_class(part: str, start: int) -> tuple[_Token, int] | None:
    """Return a class token and the position after it; None when it is malformed."""
    position = start + 1
    if part.find("]", position) < 0:
        return None
    negated = position < len(part) and part[position] in "!^"
    position += negated
    ranges: list[tuple[str, str]] = []
    first = True
    while position < len(part) and (part[position] != "]" or first):
        first = False
        low = part[position]
        if position + 2 < len(part) and part[position + 1] == "-" and part[position + 2] != "]":
            high = part[position + 2]
            if high < low:
                return None
            ranges.append((low, high))
            position += 3
        else:
            ranges.append((low, low))
            position += 1
    if position >= len(part) or not ranges:
        return None
    return (negated, tuple(ranges)), position + 1


def _accepts(token: _Token, char: str) -> bool:
    if isinstance(token, str):
        return token == "?" or token[1:] == char
    negated, ranges = token
    return any(low <= char <= high for low, high in ranges) is not negated


def _match_tokens(tokens: Sequence[_Token], name: str) -> bool:
    """Match one name; the last star alone is retried, which is enough and quadratic at worst."""
    token = char = 0
    star, retry = -1, 0
    while char < len(name):
        if token < len(tokens) and tokens[token] == "*":
            star, retry = token, char
            token += 1
        elif token < len(tokens) and _accepts(tokens[token], name[char]):
            token += 1
            char += 1
        elif star >= 0:
            retry += 1
            token, char = star + 1, retry
        else:
            return False
    return all(rest == "*" for rest in tokens[token:])


def _match_segments(tests: Sequence[_Test | None], parts: Sequence[str]) -> bool:
    """Match names against tests, where None (`**`) takes any number of names."""
    test = part = 0
    star, retry = -1, 0
    while part < len(parts):
        current = tests[test] if test < len(tests) else _nothing
        if current is None:
            star, retry = test, part
            test += 1
            if test == len(tests):
                return True
        elif current(parts[part]):
            test += 1
            part += 1
        elif star >= 0:
            retry += 1
            test, part = star + 1, retry
        else:
            return False
    return test == len(tests)


def _nothing(name: str) -> bool:
    return False
