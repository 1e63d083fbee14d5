"""POSIX basic and extended expressions as GNU grep reads them, to a tree.

Follows what the tools do, not the standard's text: `\\|`, `\\+` and `\\?` in basic expressions,
a `*` without anything before it, `a**`, `{,3}`, `{1` as itself. Errors carry glibc's words.
Refuses nesting beyond `MAX_DEPTH`, so that no recursion over the tree can run out of stack.
"""

from __future__ import annotations

from tadoru.shell.regex.brackets import Bracket
from tadoru.shell.regex.charset import (
    ANY,
    INVALID,
    Ranges,
    caseless,
    named,
    negate,
    single,
    union,
    word,
)
from tadoru.shell.regex.nodes import (
    EMPTY,
    WORD_PLACES,
    At,
    Backref,
    Chars,
    Group,
    Node,
    PatternError,
    Place,
    Repeat,
    alt,
    cat,
)

MAX_DEPTH = 120
"""Groups within groups. Every walk over the tree recurses a few frames per level."""
MAX_REPEAT = 0x7FFF
"""RE_DUP_MAX of glibc."""

_SIMPLE: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_PLACES = {
    "<": At.WORD_START,
    ">": At.WORD_END,
    "b": At.BOUNDARY,
    "B": At.NOT_BOUNDARY,
    "`": At.LINE_START,
    "'": At.LINE_END,
}


class PosixParser:
    """Parses one expression (no newline in it).

    `fold`: letter case is ignored. `groups_before`: how many groups other expressions have.
    """

    def __init__(self, pattern: str, *, extended: bool, fold: bool, groups_before: int = 0) -> None:
        self._pattern = pattern
        self._extended = extended
        self._fold = fold
        self._at = 0
        self._depth = 0
        self._before = groups_before
        self.groups = groups_before
        self._closed: set[int] = set()
        self.warnings: list[str] = []

    def parse(self) -> Node:
        """Return the tree. Raises PatternError."""
        node = self._alternatives()
        if self._at < len(self._pattern):
            raise PatternError("Unmatched ) or \\)")
        return node

    # -- reading -------------------------------------------------------------------------------

    def _operator(self) -> str:
        """Return the operator here (`(`, `)`, `|`, `{`, `?`, `+`, `*`) without its backslash."""
        pattern, at = self._pattern, self._at
        if at >= len(pattern):
            return ""
        here = pattern[at]
        if here == "*":
            return "*"
        if self._extended:
            return here if here in "()|{?+" else ""
        if here == "\\" and at + 1 < len(pattern) and pattern[at + 1] in "()|{?+":
            return pattern[at + 1]
        return ""

    def _skip_operator(self) -> None:
        self._at += 1 if self._extended or self._pattern[self._at] == "*" else 2

    # -- grammar -------------------------------------------------------------------------------

    def _alternatives(self) -> Node:
        before = frozenset(self._closed)
        branches = [self._branch()]
        while self._operator() == "|":
            self._skip_operator()
            closed, self._closed = self._closed, set(before)
            branches.append(self._branch())
            self._closed |= closed
        return alt(branches)

    def _ends_branch(self, operator: str) -> bool:
        if operator == "|":
            return True
        return operator == ")" and not (self._extended and self._depth == 0)

    def _branch(self) -> Node:
        parts: list[Node] = []
        start = True
        while self._at < len(self._pattern):
            operator = self._operator()
            if self._ends_branch(operator):
                break
            after = parts[-1] if parts and isinstance(parts[-1], Place) else None
            if operator and operator in "*+?{" and self._repeats(operator, after, start=start):
                self._repeat_nothing(parts, after, start=start)
                continue
            atom = self._atom(operator, first=not parts)
            if not isinstance(atom, Place):
                atom = self._repeated(atom)
                start = False
            parts.append(atom)
        return cat(parts) if parts else EMPTY

    def _repeat_nothing(self, parts: list[Node], after: Place | None, *, start: bool) -> None:
        """Read repetitions of a place or of nothing; glibc drops those of a word boundary."""
        repeated: Node = after or EMPTY
        while operator := self._repetition():
            if start and self._extended:
                shown = "{...}" if operator == "{" else operator
                self.warnings.append(f"{shown} at start of expression")
            repeated = self._repeat_once(repeated, operator)
        if after is not None and after.at not in WORD_PLACES:
            parts[-1] = repeated

    def _repetition(self) -> str:
        """Return the repetition operator here, or nothing."""
        operator = self._operator()
        if not operator or operator not in "*+?{":
            return ""
        if operator == "{" and self._extended and self._interval(self._at + 1) is None:
            return ""
        return operator

    def _repeats(self, operator: str, after: Place | None, *, start: bool) -> bool:
        """Tell whether an operator at the start, or after a place, is one or stands for itself."""
        if self._extended:
            return operator != "{" or self._interval(self._at + 1) is not None
        return not start and after is not None and after.at is At.LINE_END

    def _atom(self, operator: str, *, first: bool) -> Node:
        pattern = self._pattern
        if operator == "(":
            return self._group()
        if operator:
            self._skip_operator()
            return self._literal(operator)
        here = pattern[self._at]
        self._at += 1
        if here == "\\":
            return self._escape()
        if here == "[":
            bracket = Bracket(pattern, self._at, fold=self._fold)
            ranges = bracket.read()
            self._at = bracket.at
            return Chars(ranges)
        if here == ".":
            return Chars(ANY)
        if here == "^" and (self._extended or first):
            return Place(At.LINE_START)
        if here == "$" and (self._extended or self._at_branch_end()):
            return Place(At.LINE_END)
        return self._literal(here)

    def _at_branch_end(self) -> bool:
        return self._at >= len(self._pattern) or self._operator() in ("|", ")")

    def _literal(self, text: str) -> Node:
        ranges: Ranges = single(ord(text))
        return Chars(caseless(ranges) if self._fold else ranges)

    def _group(self) -> Node:
        self._skip_operator()
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise PatternError("Regular expression too big")
        self.groups += 1
        number = self.groups
        inner = self._alternatives()
        if self._operator() != ")":
            raise PatternError("Unmatched ( or \\(")
        self._skip_operator()
        self._depth -= 1
        self._closed.add(number)
        return Group(inner, number)

    def _escape(self) -> Node:
        if self._at >= len(self._pattern):
            raise PatternError("Trailing backslash")
        here = self._pattern[self._at]
        self._at += 1
        if here in _PLACES:
            return Place(_PLACES[here])
        if here in "wW":
            return Chars(word() if here == "w" else negate(union(word(), INVALID)))
        if here in "sS":
            space = named("space")
            return Chars(space if here == "s" else negate(union(space, INVALID)))
        if here in "123456789":
            number = self._before + int(here)
            if number not in self._closed:
                raise PatternError("Invalid back reference")
            return Backref(number, fold=self._fold)
        return self._literal(here)

    # -- repetition ----------------------------------------------------------------------------

    def _repeated(self, atom: Node) -> Node:
        """Apply all repetitions that follow: `a**` and `a{2}{3}` are allowed."""
        while operator := self._repetition():
            atom = self._repeat_once(atom, operator)
        return atom

    def _repeat_once(self, atom: Node, operator: str) -> Node:
        if operator != "{":
            self._skip_operator()
            return _repeat(atom, *_SIMPLE[operator])
        found = self._interval(self._at + (1 if self._extended else 2))
        if found is None:
            raise PatternError("Invalid preceding regular expression")
        low, high, self._at = found
        return _repeat(atom, low, high)

    def _interval(self, at: int) -> tuple[int, int | None, int] | None:
        """Return (low, high, end) of the interval whose brace ends before `at`.

        None: an extended one that is not well formed stands for itself. Raises PatternError.
        """
        pattern = self._pattern
        low_text, at = _digits(pattern, at)
        comma = pattern.startswith(",", at)
        high_text = low_text
        if comma:
            high_text, at = _digits(pattern, at + 1)
        closing = "}" if self._extended else "\\}"
        if not pattern.startswith(closing, at) or not (low_text or comma):
            if self._extended:
                return None
            if "\\}" not in pattern[at:]:
                raise PatternError("Unmatched \\{")
            raise PatternError("Invalid content of \\{\\}")
        low = int(low_text[:6] or 0)
        high = int(high_text[:6]) if high_text else None
        if high is not None and low > high:
            raise PatternError("Invalid content of \\{\\}")
        if max(low, high or 0) > MAX_REPEAT:
            raise PatternError("Regular expression too big")
        return low, high, at + len(closing)


def _digits(text: str, at: int) -> tuple[str, int]:
    end = at
    while end < len(text) and text[end] in "0123456789":
        end += 1
    return text[at:end].lstrip("0") or text[at:end][:1], end


def _repeat(node: Node, low: int, high: int | None) -> Node:
    """Repeat a node; collapses `x**` so that stacked stars do not nest."""
    stacked = isinstance(node, Repeat) and node.low <= 1 and node.high is None
    if stacked and isinstance(node, Repeat) and low == 0 and high is None:
        return Repeat(node.node, 0, None)
    if node == EMPTY or (low, high) == (1, 1):
        return node
    return Repeat(node, low, high)
