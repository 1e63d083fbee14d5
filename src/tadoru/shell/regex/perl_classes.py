"""Classes and escapes that Perl's and Rust's expressions share."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from tadoru.shell.regex.charset import (
    ASCII,
    CLASS_NAMES,
    DIGIT,
    INVALID,
    LAST,
    Ranges,
    caseless,
    intersect,
    named,
    negate,
    single,
    union,
    word,
)
from tadoru.shell.regex.nodes import PatternError

_CONTROLS = {"n": 10, "t": 9, "r": 13, "f": 12, "v": 11, "a": 7}
_PERL_BLANK: Ranges = union(named("blank"), ((0xA0, 0xA0), (0x180E, 0x180E), (0x2007, 0x2007)))
_VERTICAL: Ranges = union(((10, 13), (0x85, 0x85), (0x2028, 0x2029)))
_RUST_SPACE: Ranges = union(
    named("space"), ((0x85, 0x85), (0xA0, 0xA0), (0x2007, 0x2007), (0x202F, 0x202F))
)


class Reader:
    """A position in an expression, and the errors of its dialect."""

    def __init__(self, pattern: str, *, rust: bool, at: int = 0) -> None:
        self.pattern = pattern
        self.rust = rust
        self.at = at

    def take(self, text: str) -> bool:
        """Step over `text` when it comes next."""
        if not self.pattern.startswith(text, self.at):
            return False
        self.at += len(text)
        return True

    def error(self, perl: str, rust: str, at: int, width: int = 1) -> PatternError:
        """Return the error of this dialect; Rust's points at the place."""
        if not self.rust:
            return PatternError(perl)
        if "\n" in self.pattern:
            return PatternError(f"regex parse error: {rust}")
        return PatternError(
            f"regex parse error:\n    {self.pattern}\n    {' ' * at}{'^' * width}\nerror: {rust}"
        )

    def escaped_code(self) -> int:
        """Return the character that an escape stands for; `at` is after the backslash."""
        here = self.pattern[self.at]
        self.at += 1
        if here in _CONTROLS:
            return _CONTROLS[here]
        if here in "xuU" and (here == "x" or self.rust):
            return self._hexadecimal(here)
        if not self.rust and here == "e":
            return 27
        if not self.rust and here == "0":
            return self._octal()
        if here.isalnum() and here.isascii():
            raise self.error(
                "unrecognized character follows \\", "unrecognized escape sequence", self.at - 2, 2
            )
        return ord(here)

    def _octal(self) -> int:
        end = self.at
        while end < len(self.pattern) and end < self.at + 2 and self.pattern[end] in "01234567":
            end += 1
        text, self.at = self.pattern[self.at : end], end
        return int(text or "0", 8)

    def _hexadecimal(self, kind: str) -> int:
        width = {"x": 2, "u": 4, "U": 8}[kind]
        if self.take("{"):
            end = self.pattern.find("}", self.at)
            text = self.pattern[self.at : end] if end >= 0 else ""
            self.at = end + 1
        else:
            end = self.at
            while end < min(len(self.pattern), self.at + width) and self.pattern[end] in _HEX:
                end += 1
            text, self.at = self.pattern[self.at : end], end
            text = text if not self.rust or len(text) == width else ""
        if (not text and self.rust) or not set(text) <= _HEX or int(text or "0", 16) > LAST:
            raise self.error(
                "non-hex character in \\x{} (closing brace missing?)",
                "invalid escape sequence found",
                self.at,
            )
        return int(text or "0", 16)

    def property(self) -> Ranges | None:
        """Read `p{Name}` or `pX`; None for one that only the backtracking engine knows."""
        start = self.at - 1
        negated = self.pattern[self.at] == "P"
        self.at += 1
        if self.take("{"):
            end = self.pattern.find("}", self.at)
            name = self.pattern[self.at : end] if end >= 0 else ""
            self.at = end + 1 if end >= 0 else len(self.pattern)
        else:
            name = self.pattern[self.at : self.at + 1]
            self.at += 1
        if name.startswith("^"):
            negated, name = not negated, name[1:]
        category = _CATEGORIES.get(name.lower().replace("_", ""), name)
        ranges = _general(category) if len(category) <= 2 else None
        if ranges is None or not category:
            if len(name) <= 2:
                raise self.error(
                    "unknown property after \\P or \\p",
                    "Unicode property not found",
                    start,
                    self.at - start,
                )
            return None
        return negate(union(ranges, INVALID)) if negated else ranges


_HEX = frozenset("0123456789abcdefABCDEF")
_CATEGORIES = {
    "letter": "L",
    "alphabetic": "L",
    "uppercase": "Lu",
    "uppercaseletter": "Lu",
    "lowercase": "Ll",
    "lowercaseletter": "Ll",
    "mark": "M",
    "number": "N",
    "decimalnumber": "Nd",
    "punctuation": "P",
    "symbol": "S",
    "separator": "Z",
    "other": "C",
}


@lru_cache(maxsize=64)
def _general(category: str) -> Ranges | None:
    """Return the characters of a general category (`L`, `Lu`); None when there is none such."""
    found: list[tuple[int, int]] = []
    for code in range(LAST + 1):
        if unicodedata.category(chr(code)).startswith(category) and not 0xD800 <= code <= 0xDFFF:
            if found and found[-1][1] == code - 1:
                found[-1] = (found[-1][0], code)
            else:
                found.append((code, code))
    return tuple(found) or None


def shorthand(letter: str, *, rust: bool) -> Ranges | None:
    """Return the class that `\\letter` stands for, or None."""
    small = letter.lower()
    if small == "w":
        found = word() if rust else intersect(word(), ASCII)
    elif small == "d":
        found = _general("Nd") or DIGIT if rust else DIGIT
    elif small == "s":
        found = _RUST_SPACE if rust else intersect(named("space"), ASCII)
    elif small == "h" and not rust:
        found = _PERL_BLANK
    elif letter == "V" and not rust:
        found = _VERTICAL
    else:
        return None
    return negate(union(found, INVALID)) if letter.isupper() else found


class ClassReader(Reader):
    """Reads `[...]`; `at` is after the opening bracket."""

    def __init__(self, pattern: str, at: int, *, rust: bool, fold: bool) -> None:
        super().__init__(pattern, rust=rust, at=at)
        self._fold = fold
        self._opening = at - 1
        self._unknown = False

    def read(self) -> Ranges | None:
        """Return the set; None when only the backtracking engine knows it."""
        negated = self.take("^")
        found = self._members(first=True)
        if self._fold:
            found = caseless(found)
        if negated:
            found = negate(union(found, INVALID))
        return None if self._unknown else found

    def _members(self, *, first: bool) -> Ranges:
        parts: list[Ranges] = []
        while True:
            if self.at >= len(self.pattern):
                raise self.error(
                    "missing terminating ] for character class",
                    "unclosed character class",
                    self._opening,
                )
            here = self.pattern[self.at]
            if here == "]" and not first:
                self.at += 1
                return union(*parts)
            first = False
            if self.rust and self.pattern.startswith(("&&", "--", "~~"), self.at):
                return self._combined(union(*parts))
            parts.append(self._item())

    def _combined(self, left: Ranges) -> Ranges:
        operator = self.pattern[self.at : self.at + 2]
        self.at += 2
        right = self._members(first=False)
        if operator == "&&":
            return intersect(left, right)
        without = intersect(left, negate(right))
        return without if operator == "--" else union(without, intersect(right, negate(left)))

    def _item(self) -> Ranges:
        start = self.at
        low = self._element()
        if not isinstance(low, int):
            return low
        if not self.pattern.startswith("-", self.at) or self.at + 1 >= len(self.pattern):
            return single(low)
        if self.pattern[self.at + 1] == "]" or (self.rust and self.pattern[self.at + 1] == "-"):
            return single(low)
        dash = self.at
        self.at += 1
        high = self._element()
        if not isinstance(high, int):
            if self.rust:
                raise self.error("", "invalid range boundary, must be a literal", dash)
            return union(single(low), single(0x2D), high)
        if low > high:
            raise self.error(
                "range out of order in character class",
                "invalid character class range, the start must be <= the end",
                start,
                self.at - start,
            )
        return ((low, high),)

    def _element(self) -> int | Ranges:
        here = self.pattern[self.at]
        if here == "[":
            posix = self._posix()
            if posix is not None:
                return posix
            if self.rust:
                inner = ClassReader(self.pattern, self.at + 1, rust=True, fold=self._fold)
                found = inner.read()
                self.at = inner.at
                self._unknown = self._unknown or found is None
                return found or ()
        self.at += 1
        if here != "\\":
            return ord(here)
        if self.at >= len(self.pattern):
            raise self.error(
                "missing terminating ] for character class",
                "unclosed character class",
                self._opening,
            )
        letter = self.pattern[self.at]
        found = shorthand(letter, rust=self.rust)
        if found is not None:
            self.at += 1
            return found
        if letter in "pP":
            known = self.property()
            self._unknown = self._unknown or known is None
            return known or ()
        if letter == "b" and not self.rust:
            self.at += 1
            return 8
        return self.escaped_code()

    def _posix(self) -> Ranges | None:
        """Read `[:name:]`; None when it is not one."""
        end = self.pattern.find(":]", self.at)
        if not self.pattern.startswith("[:", self.at) or end < 0:
            return None
        name = self.pattern[self.at + 2 : end]
        negated = name.startswith("^")
        name = name.removeprefix("^")
        if name == "word":
            found = intersect(word(), ASCII)
        elif name == "ascii":
            found = ASCII
        elif name in CLASS_NAMES:
            found = intersect(named(name), ASCII)
        else:
            if self.rust:
                return None
            raise PatternError("unknown POSIX class name")
        self.at = end + 2
        return negate(union(found, INVALID)) if negated else found
