"""Expressions of Perl (`grep -P`) and of Rust's regex crate (`rg`), to the same tree.

What an automaton can match is parsed whole, so that RE2 and the literals serve it as they serve
POSIX. Look-around, atomic groups, possessive repetition and the like become Opaque: the
backtracking engine reads the expression itself. In Perl's dialect `\\w`, `\\d`, `\\s` and `\\b` are
ASCII, as in GNU grep 3.8; in Rust's they are Unicode, and what an automaton cannot match is an
error.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tadoru.shell.regex.charset import ANY, NEWLINE, Ranges, caseless, negate, single
from tadoru.shell.regex.nodes import (
    EMPTY,
    At,
    Backref,
    Chars,
    Group,
    Node,
    Opaque,
    PatternError,
    Place,
    Repeat,
    alt,
    cat,
    char,
)
from tadoru.shell.regex.perl_classes import ClassReader, Reader, shorthand

MAX_DEPTH = 120
"""Groups within groups; every walk over the tree recurses a few frames per level."""
MAX_REPEAT = 65_535

_LOOKS = {"?<=": False, "?<!": True, "?=": False, "?!": True}
"""How look-around begins -> whether it is negative."""
_PLACES = {
    "A": At.LINE_START,
    "z": At.LINE_END,
    "Z": At.LINE_END,
    "b": At.BOUNDARY,
    "B": At.NOT_BOUNDARY,
}


@dataclass(frozen=True, slots=True)
class Flags:
    """Switches that `(?flags)` can change."""

    fold: bool = False
    dotall: bool = False
    extended: bool = False
    swap_greed: bool = False


class PerlParser(Reader):
    """Parses one expression. `rust`: the dialect of `rg`."""

    def __init__(self, pattern: str, *, rust: bool, fold: bool) -> None:
        super().__init__(pattern, rust=rust)
        self._flags = Flags(fold=fold)
        self._depth = 0
        self._groups = 0
        self._highest_reference = 0
        self.names: dict[str, int] = {}

    def parse(self) -> Node:
        """Return the tree. Raises PatternError in the words of the dialect's own engine."""
        node = self._alternatives()
        if self.at < len(self.pattern):
            raise self.error("unmatched closing parenthesis", "unopened group", self.at)
        if self._highest_reference > self._groups:
            raise PatternError("reference to non-existent subpattern")
        return node

    # -- structure -----------------------------------------------------------------------------

    def _alternatives(self) -> Node:
        branches = [self._branch()]
        while self.take("|"):
            branches.append(self._branch())
        return alt(branches)

    def _branch(self) -> Node:
        parts: list[Node] = []
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            start = self.at
            atom = self._atom()
            if atom is None:
                continue
            parts.append(self._repeated(atom, start))
        return cat(parts) if parts else EMPTY

    def _atom(self) -> Node | None:
        """Return the next atom; None for what only changes how to read on."""
        here = self.pattern[self.at]
        if self._flags.extended and (here.isspace() or here == "#"):
            self._skip_comment(here)
            return None
        if here in "*+?" or (here == "{" and (self._interval() is not None or self.rust)):
            raise self.error(
                "quantifier does not follow a repeatable item",
                "repetition operator missing expression",
                self.at,
            )
        self.at += 1
        if here == "(":
            return self._group()
        if here == "[":
            return self._class()
        if here == ".":
            return Chars(ANY if self._flags.dotall else negate(NEWLINE, within=ANY))
        if here == "^":
            return Place(At.LINE_START)
        if here == "$":
            return Place(At.LINE_END)
        if here == "\\":
            return self._escape()
        return self._literal(ord(here))

    def _skip_comment(self, here: str) -> None:
        if here == "#":
            end = self.pattern.find("\n", self.at)
            self.at = len(self.pattern) if end < 0 else end + 1
        else:
            self.at += 1

    def _literal(self, code: int) -> Node:
        return Chars(caseless(single(code))) if self._flags.fold else char(code)

    def _class(self) -> Node:
        reader = ClassReader(self.pattern, self.at, rust=self.rust, fold=self._flags.fold)
        ranges = reader.read()
        self.at = reader.at
        return Opaque() if ranges is None else Chars(ranges)

    # -- groups --------------------------------------------------------------------------------

    def _group(self) -> Node | None:
        """Return a group; None for a comment and for flags, which only change how to read on."""
        opening = self.at - 1
        if self.take("?#"):
            self._close(opening, self.pattern.find(")", self.at))
            return None
        saved = self._flags
        look = next((mark for mark in _LOOKS if self.take(mark)), "")
        if look and self.rust:
            raise self.error(
                "",
                "look-around, including look-ahead and look-behind, is not supported",
                opening,
                len(look) + 1,
            )
        number, name, opaque = 0, "", False
        if not look:
            if self.pattern.startswith("?", self.at):
                opened = self._special_group()
                if opened is None:
                    return None
                number, name, opaque = opened
            else:
                self._groups += 1
                number = self._groups
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise PatternError("Regular expression too big")
        inner = self._alternatives()
        self._close(opening, self.at if self.pattern.startswith(")", self.at) else -1)
        self._depth -= 1
        self._flags = saved
        if look:
            return Opaque(None if _LOOKS[look] else inner, empty=True)
        if opaque:
            return Opaque()
        return Group(inner, number, name) if number else inner

    def _close(self, opening: int, end: int) -> None:
        if end < 0:
            raise self.error("missing closing parenthesis", "unclosed group", opening)
        self.at = end + 1

    def _special_group(self) -> tuple[int, str, bool] | None:
        """Read what follows `(` up to the group's own expression: number, name, opaque.

        None: flags that end with their parenthesis.
        """
        if self.take("?:"):
            return 0, "", False
        if self.pattern.startswith(("?P<", "?<", "?'"), self.at):
            self._groups += 1
            return self._groups, self._name(), False
        opaque = ("?>", "?|", "?R", "?(", "?&", "?P")
        if not self.rust and self.pattern.startswith(opaque, self.at):
            self.at += 2
            return 0, "", True
        return (0, "", False) if self._read_flags() else None

    def _name(self) -> str:
        opening = self.at
        self.at = min(i for m in "<'" if (i := self.pattern.find(m, self.at)) >= 0) + 1
        close = "'" if self.pattern[self.at - 1] == "'" else ">"
        end = self.pattern.find(close, self.at)
        name = self.pattern[self.at : end]
        if end < 0 or not name.isidentifier():
            raise self.error("subpattern name expected", "invalid capture group name", opening)
        if name in self.names:
            raise self.error(
                "two named subpatterns have the same name", "duplicate capture group name", opening
            )
        self.names[name] = self._groups
        self.at = end + 1
        return name

    def _read_flags(self) -> bool:
        """Read `?i-s)` or `?i-s:`. True when a group follows."""
        self.at += 1
        on = True
        flags = self._flags
        fields = {"i": "fold", "s": "dotall", "x": "extended", "U": "swap_greed"}
        while self.at < len(self.pattern):
            letter = self.pattern[self.at]
            self.at += 1
            if letter in ":)":
                self._flags = flags
                return letter == ":"
            if letter == "-":
                on = False
            elif letter in fields:
                flags = replace(flags, **{fields[letter]: on})
            elif letter not in "mu":
                raise self.error(
                    "unrecognized character after (? or (?-", "unrecognized flag", self.at - 1
                )
        raise self.error("missing closing parenthesis", "unclosed group", self.at - 1)

    # -- repetition ----------------------------------------------------------------------------

    def _repeated(self, atom: Node, start: int) -> Node:
        simple: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
        while self.at < len(self.pattern):
            here = self.pattern[self.at]
            if here in simple:
                low, high = simple[here]
                self.at += 1
            elif here == "{" and (found := self._interval()) is not None:
                low, high, self.at = found
            else:
                return atom
            if not self.rust and self.take("+"):
                return Opaque()
            lazy = self.take("?") is not self._flags.swap_greed
            atom = Repeat(atom, low, high, lazy)
            if not self.rust:
                self._reject_stacked()
        return atom

    def _reject_stacked(self) -> None:
        following = self.pattern[self.at : self.at + 1]
        if following and following in "*+?":
            raise PatternError("quantifier does not follow a repeatable item")

    def _interval(self) -> tuple[int, int | None, int] | None:
        """Return (low, high, end) of the interval here; None when it stands for itself."""
        end = self.pattern.find("}", self.at)
        if end < 0:
            if self.rust:
                raise self.error("", "unclosed counted repetition", self.at)
            return None
        low, comma, high = self.pattern[self.at + 1 : end].partition(",")
        low, high = low.strip(), high.strip()
        digits = (
            low.isascii() and low.isdigit() and (not high or (high.isascii() and high.isdigit()))
        )
        if not digits:
            if self.rust:
                raise self.error("", "repetition quantifier expects a valid decimal", self.at + 1)
            return None
        least = int(low[:9])
        most = (int(high[:9]) if high else None) if comma else least
        if max(least, most or 0) > MAX_REPEAT:
            raise self.error(
                "number too big in {} quantifier", "compiled regex exceeds size limit", self.at
            )
        if most is not None and least > most:
            raise self.error(
                "numbers out of order in {} quantifier",
                "invalid repetition count range, the start must be <= the end",
                self.at,
                end + 1 - self.at,
            )
        return least, most, end + 1

    # -- escapes -------------------------------------------------------------------------------

    def _escape(self) -> Node | None:
        if self.at >= len(self.pattern):
            raise self.error(
                "\\ at end of pattern",
                "incomplete escape sequence, reached end of pattern prematurely",
                self.at - 1,
            )
        here = self.pattern[self.at]
        if here in _PLACES and not (self.rust and here == "Z"):
            self.at += 1
            return Place(_PLACES[here], ascii_only=not self.rust)
        if here.isdigit() and here != "0":
            return self._reference()
        found: Ranges | None = shorthand(here, rust=self.rust)
        if found is not None:
            self.at += 1
            return Chars(found)
        if not self.rust:
            special = self._perl_escape(here)
            if special is not None:
                return special
            if here == "E":
                self.at += 1
                return None
        if here in "pP":
            ranges = self.property()
            return Opaque() if ranges is None else Chars(ranges)
        return self._literal(self.escaped_code())

    def _perl_escape(self, here: str) -> Node | None:
        if here == "Q":
            end = self.pattern.find("\\E", self.at)
            text = self.pattern[self.at + 1 : end if end >= 0 else None]
            self.at = end + 2 if end >= 0 else len(self.pattern)
            return cat([self._literal(ord(letter)) for letter in text]) if text else EMPTY
        if here in "KG":
            self.at += 1
            return Opaque(empty=True)
        if here in "RXgkC":
            self.at += 1
            if here in "gk":
                end = max(self.pattern.find(close, self.at) for close in "}>'")
                self.at = end + 1 if end >= 0 else self.at + 1
            return Opaque()
        if here == "N" and not self.pattern.startswith("{", self.at + 1):
            self.at += 1
            return Chars(negate(NEWLINE, within=ANY))
        return None

    def _reference(self) -> Node:
        if self.rust:
            raise self.error("", "backreferences are not supported", self.at - 1, 2)
        end = self.at
        while end < len(self.pattern) and self.pattern[end].isdigit() and end < self.at + 2:
            end += 1
        number = int(self.pattern[self.at : end])
        self.at = end
        self._highest_reference = max(self._highest_reference, number)
        return Backref(number, fold=self._flags.fold)
