"""Bracket expressions of POSIX, `[...]`, as glibc reads them in C.UTF-8."""

from __future__ import annotations

import re

from tadoru.shell.regex.charset import (
    CLASS_NAMES,
    INVALID,
    Ranges,
    caseless,
    named,
    negate,
    single,
    union,
    upper,
)
from tadoru.shell.regex.nodes import PatternError

UNMATCHED = "Unmatched [, [^, [:, [., or [="
_LAST_COLLATED = 0x7F
"""In C.UTF-8, glibc takes only ASCII as the end of a range or as a collating element."""
_COLONS = re.compile(r":.*[^:].*:\Z", re.DOTALL)
"""`[:space:]` without its outer brackets, which GNU refuses."""


class Bracket:
    """Reads one bracket expression; `at` is the position after it.

    `pattern[start - 1]` is the opening bracket. `fold`: letter case is ignored. Raises
    PatternError in glibc's words.
    """

    def __init__(self, pattern: str, start: int, *, fold: bool) -> None:
        self._pattern = pattern
        self._fold = fold
        self._plain = True
        """No range, class or collating form so far."""
        self.at = start

    def read(self) -> Ranges:
        """Return the set of characters, complemented where it begins with `^`."""
        pattern = self._pattern
        negated = pattern.startswith("^", self.at)
        if negated:
            self.at += 1
        if self.at >= len(pattern):
            raise PatternError("Invalid regular expression")
        first = self.at
        found: list[Ranges] = []
        while True:
            if self.at >= len(pattern):
                raise PatternError(UNMATCHED)
            if pattern[self.at] == "]" and self.at != first:
                break
            found.append(self._item(first=self.at == first))
        if self._plain and _COLONS.match(pattern[first : self.at]):
            raise PatternError("character class syntax is [[:space:]], not [:space:]")
        self.at += 1
        members = union(*found)
        if self._fold:
            members = caseless(members)
        return negate(union(members, INVALID)) if negated else members

    def _item(self, *, first: bool) -> Ranges:
        if not first and self._range_follows():
            raise PatternError("Invalid range end")  # a bare `-` is first, last or ends a range
        start, can_range = self._element()
        if not self._range_follows():
            return start
        self.at += 1
        end, can_end = self._element()
        self._plain = False
        if not (can_range and can_end):
            raise PatternError("Invalid range end")
        low, high = start[0][0], end[0][0]
        if max(low, high) > _LAST_COLLATED:
            raise PatternError("Invalid collation character")
        if self._fold:
            low, high = upper(low), upper(high)
        if low > high:
            raise PatternError("Invalid range end")
        return ((low, high),)

    def _range_follows(self) -> bool:
        """A `-` makes a range unless the bracket closes after it."""
        pattern = self._pattern
        if not pattern.startswith("-", self.at):
            return False
        if self.at + 1 >= len(pattern):
            raise PatternError(UNMATCHED)
        return pattern[self.at + 1] != "]"

    def _element(self) -> tuple[Ranges, bool]:
        """Return one character or the set of a class, and whether a range can begin or end so."""
        pattern = self._pattern
        if self.at >= len(pattern):
            raise PatternError(UNMATCHED)
        kind = pattern[self.at + 1 : self.at + 2]
        if pattern[self.at] == "[" and kind and kind in ":.=":
            self._plain = False
            end = pattern.find(kind + "]", self.at + 2)
            if end < 0:
                raise PatternError(UNMATCHED)
            name = pattern[self.at + 2 : end]
            self.at = end + 2
            return self._named(kind, name), kind == "."
        code = ord(pattern[self.at])
        self.at += 1
        return single(code), True

    def _named(self, kind: str, name: str) -> Ranges:
        if kind == ":":
            if name not in CLASS_NAMES:
                raise PatternError("Invalid character class name")
            if self._fold and name in ("upper", "lower"):
                name = "alpha"
            return named(name)
        if len(name) != 1 or ord(name) > _LAST_COLLATED:
            raise PatternError("Invalid collation character")
        return single(ord(name))
