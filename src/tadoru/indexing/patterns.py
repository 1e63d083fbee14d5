"""Ignore patterns with the meaning that git gives them.

Used where git itself cannot be asked: trees outside git, `.tadoruignore`, the configured `ignore`
and `include`, and the reason why a path is left out. Inside a repository git decides, not this.
Refuses nothing: a pattern that git would never match (an open bracket, a trailing backslash) never
matches here either. Source: gitignore(5) and git's wildmatch.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

_POSIX = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": " \\t", "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9", "graph": "\\x21-\\x7e", "lower": "a-z", "print": "\\x20-\\x7e",
    "punct": "!-/:-@\\[-`{-~", "space": " \\t\\n\\r\\f\\v", "upper": "A-Z", "xdigit": "0-9A-Fa-f",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of an ignore file."""

    text: str
    """The line as it is written."""
    source: str
    """Where it stands, for people: a root-relative file name or `defaults`."""
    negated: bool
    expression: str
    """Regular expression over the path relative to the rule's base; directories end in `/`."""


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of one file. A later one overrules an earlier one."""

    base: str
    """Root-relative directory that the patterns are relative to."""
    rules: tuple[Rule, ...]
    compiled: tuple[re.Pattern[str], ...]
    any: re.Pattern[str]
    above: str = ""
    """For a file above the root: the root's path relative to that file's directory."""

    def match(self, path: str, is_dir: bool) -> Rule | None:
        """Return the rule that decides about a root-relative path; None when none speaks."""
        if self.above:
            path = f"{self.above}/{path}"
        elif self.base:
            if not path.startswith(self.base + "/"):
                return None
            path = path[len(self.base) + 1 :]
        subject = as_bytes(path) + ("/" if is_dir else "")
        if self.any.match(subject) is None:
            return None
        for rule, pattern in zip(reversed(self.rules), reversed(self.compiled), strict=True):
            if pattern.match(subject):
                return rule
        return None


def rule_set(lines: Iterable[str], *, base: str = "", source: str = "") -> RuleSet | None:
    """Compile the lines of an ignore file; None when it has no rule."""
    rules = tuple(rule for line in lines if (rule := parse(line, source)) is not None)
    if not rules:
        return None
    return RuleSet(
        base,
        rules,
        tuple(_compile(rule.expression) for rule in rules),
        _compile("|".join(f"(?:{rule.expression})" for rule in rules)),
    )


@lru_cache(maxsize=512)
def _compile(expression: str) -> re.Pattern[str]:
    return re.compile(expression, re.DOTALL)


def as_bytes(text: str) -> str:
    """Return a text with one character per byte: git's wildcards match bytes."""
    return text if text.isascii() else os.fsencode(text).decode("latin-1")


def file_lines(data: bytes) -> list[str]:
    """Split an ignore file as git does: LF or CRLF, a byte-order mark skipped, any bytes."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    return [line.removesuffix("\r") for line in data.decode("utf-8", "surrogateescape").split("\n")]


def parse(line: str, source: str = "") -> Rule | None:
    """Parse one line; None for comments, blank lines and patterns that match nothing."""
    if not line or line.startswith("#"):
        return None
    pattern = as_bytes(_without_trailing_spaces(line))
    negated = pattern.startswith("!")
    pattern = pattern[1:] if negated else pattern
    dir_only = pattern.endswith("/")
    pattern = pattern[:-1] if dir_only else pattern
    anchored = "/" in pattern
    pattern = pattern.removeprefix("/")
    if not pattern:
        return None
    body = wildcard(pattern) if anchored else wildcard(pattern, whole_path=False)
    if body is None:
        return None
    prefix = "" if anchored else "(?:.*/)?"
    return Rule(line, source, negated, f"{prefix}{body}{'/' if dir_only else '/?'}\\Z")


def _without_trailing_spaces(line: str) -> str:
    """Cut trailing spaces that no backslash protects."""
    end = len(line)
    while end and line[end - 1] == " ":
        backslashes = 0
        while backslashes < end - 1 and line[end - 2 - backslashes] == "\\":
            backslashes += 1
        if backslashes % 2:
            break
        end -= 1
    return line[:end]


def wildcard(pattern: str, *, whole_path: bool = True) -> str | None:
    """Translate a wildcard pattern to a regular expression; None when it can match nothing.

    `whole_path`: `**` between slashes spans directories; otherwise it is two plain stars.
    """
    out: list[str] = []
    i = 0
    while i < len(pattern):
        char = pattern[i]
        if char == "*":
            end = i
            while end < len(pattern) and pattern[end] == "*":
                end += 1
            spans = whole_path and end - i == 2 and _between_slashes(pattern, i, end)
            text, i = _double_star(pattern, i, end) if spans else (_STAR, end)
            out.append(text)
        elif char == "?":
            out.append("[^/]")
            i += 1
        elif char == "[":
            found = _bracket(pattern, i)
            if found is None:
                return None
            text, i = found
            out.append(text)
        elif char == "\\":
            if i + 1 == len(pattern):
                return None
            out.append(re.escape(pattern[i + 1]))
            i += 2
        else:
            out.append(re.escape(char))
            i += 1
    return _joined(out)


_STAR = "[^/]*"
_DEEP = "(?:.*/)?"


def _joined(parts: list[str]) -> str:
    """Join the parts of an expression so that matching takes no more than the square of a path.

    What stands between two wildcards may as well be matched where it first occurs, and never be
    tried elsewhere: with `*a*a*a*b` plain stars would try all ways to place each `a`.
    """
    runs = _split(parts, _DEEP)
    out = _segments(runs[0])
    for run in runs[1:-1]:
        out += f"(?>(?:.*?/)??{_segments(run)})"
    return out + _DEEP + _segments(runs[-1]) if len(runs) > 1 else out


def _segments(parts: list[str]) -> str:
    out: list[str] = []
    for segment in _split(parts, "/"):
        first, *starred = _split(segment, _STAR)
        text = "".join(first)
        text += "".join(f"(?>[^/]*?{''.join(fixed)})" for fixed in starred[:-1])
        out.append(text + _STAR + "".join(starred[-1]) if starred else text)
    return "/".join(out)


def _split(parts: list[str], at: str) -> list[list[str]]:
    found: list[list[str]] = [[]]
    for part in parts:
        if part == at:
            found.append([])
        else:
            found[-1].append(part)
    return found


def _between_slashes(pattern: str, start: int, end: int) -> bool:
    return (start == 0 or pattern[start - 1] == "/") and (
        end == len(pattern) or pattern[end] == "/"
    )


def _double_star(pattern: str, start: int, end: int) -> tuple[str, int]:
    if end == len(pattern):
        return (".*" if start == 0 else ".+"), end
    return _DEEP, end + 1


def _bracket(pattern: str, start: int) -> tuple[str, int] | None:
    """Translate a bracket expression; a slash never matches one."""
    i = start + 1
    inverted = i < len(pattern) and pattern[i] in "!^"
    i += inverted
    parts: list[str] = []
    first = True
    while i < len(pattern) and (pattern[i] != "]" or first):
        first = False
        if pattern.startswith("[:", i) and (close := pattern.find(":]", i + 2)) > 0:
            name = pattern[i + 2 : close]
            if name not in _POSIX:
                return None
            parts.append(_POSIX[name])
            i = close + 2
            continue
        low, i = _bracket_char(pattern, i)
        if low is None:
            return None
        if i + 1 < len(pattern) and pattern[i] == "-" and pattern[i + 1] != "]":
            high, i = _bracket_char(pattern, i + 1)
            if high is None:
                return None
            if low <= high:
                parts.append(f"{re.escape(low)}-{re.escape(high)}")
        else:
            parts.append(re.escape(low))
    if i >= len(pattern):
        return None
    if not parts:  # a range that runs backwards matches nothing
        return ("[^/]" if inverted else "(?!)"), i + 1
    return f"(?!/)[{'^' if inverted else ''}{''.join(parts)}]", i + 1


def _bracket_char(pattern: str, i: int) -> tuple[str | None, int]:
    if pattern[i] == "\\":
        return (pattern[i + 1], i + 2) if i + 1 < len(pattern) else (None, i)
    return pattern[i], i + 1


class RuleStack:
    """Rule sets from the weakest to the strongest, asked about a path and all directories above."""

    def __init__(self, sets: Sequence[RuleSet]) -> None:
        self._sets = tuple(sets)
        self._directories: dict[str, Rule | None] = {"": None}

    def __bool__(self) -> bool:
        return bool(self._sets)

    @property
    def includes(self) -> bool:
        """True when a rule can bring back what another one left out."""
        return any(rule.negated for rules in self._sets for rule in rules.rules)

    def reaches_below(self, directory: str, *, by_name: bool = False) -> bool:
        """Tell whether a rule that brings something back can match below a directory.

        `by_name`: count only rules that spell out the way to the directory.
        """
        for rules in self._sets:
            for rule in rules.rules:
                if rule.negated and _can_match_below(rule.text, rules.base, directory, by_name):
                    return True
        return False

    def own(self, path: str, is_dir: bool) -> Rule | None:
        """Return the strongest rule about this very path."""
        for rules in reversed(self._sets):
            rule = rules.match(path, is_dir)
            if rule is not None:
                return rule
        return None

    def decide(self, path: str, is_dir: bool = False) -> Rule | None:
        """Return the deciding rule: that of the path, else of the nearest directory above.

        Unlike in git, a rule can bring back a file below a directory that is left out.
        """
        rule = self.own(path, is_dir)
        pending = [path] if is_dir else []
        while rule is None and path:
            path = path.rpartition("/")[0]
            if path in self._directories:
                rule = self._directories[path]
                break
            pending.append(path)
            rule = self.own(path, True)
        self._directories.update(dict.fromkeys(pending, rule))
        return rule


def _can_match_below(text: str, base: str, directory: str, by_name: bool) -> bool:
    """Compare the part of a pattern before its first wildcard with a directory."""
    pattern = text.removeprefix("!").rstrip("/")
    literal = base + "/" if base else ""
    if "/" in pattern:
        literal += re.split(r"[*?\[\\]", pattern.removeprefix("/"), maxsplit=1)[0]
    below = directory + "/"
    return literal.startswith(below) or (not by_name and below.startswith(literal))
