"""`expr`: integers of any size, comparisons, and basic expressions, by GNU's precedence.

Expressions are matched by RE2 (through `find_regex`), so that none can take long; parentheses nest
as deep as `MAX_DEPTH`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tadoru.shell.commands.context import Answer, Context, UsageError
from tadoru.shell.commands.find_regex import to_extended

HELP = """Usage: expr EXPRESSION

  ARG1 | ARG2, ARG1 & ARG2, ARG1 < ARG2 (also <= = != >= >), ARG1 + ARG2 (also - * / %)
  STRING : REGEXP, match STRING REGEXP, substr STRING POS LENGTH, index STRING CHARS,
  length STRING, + TOKEN, ( EXPRESSION )
"""
INVALID = 2
MAX_DEPTH = 100
MAX_DIGITS = 4_000
"""Of a number: Python converts no more at once."""
_INTEGER = re.compile(r"-?\d+")
_COMPARES: dict[str, Callable[[int], bool]] = {
    "<": lambda order: order < 0,
    "<=": lambda order: order <= 0,
    "=": lambda order: order == 0,
    "==": lambda order: order == 0,
    "!=": lambda order: order != 0,
    ">=": lambda order: order >= 0,
    ">": lambda order: order > 0,
}


async def main(ctx: Context) -> int:
    words = ctx.argv[1:] if ctx.argv[:1] == ["--"] else ctx.argv
    if words == ["--help"]:
        raise Answer(HELP)
    if not words:
        raise UsageError("missing operand\nTry 'expr --help' for more information.", INVALID)
    value = _Parser(words).whole()
    await ctx.write(f"{value}\n".encode())
    return 1 if _null(value) else 0


def _null(value: str) -> bool:
    return not value.removeprefix("-").strip("0")


def _integer(value: str) -> int:
    if not _INTEGER.fullmatch(value):
        raise UsageError("non-integer argument", INVALID)
    if len(value) > MAX_DIGITS:
        raise UsageError(f"a number of more than {MAX_DIGITS} digits", INVALID)
    return int(value)


class _Parser:
    """Evaluates while it parses: nothing of `expr` has an effect."""

    def __init__(self, words: list[str]) -> None:
        self._words = words
        self._at = 0
        self._depth = 0

    def whole(self) -> str:
        value = self._or()
        if self._at < len(self._words):
            raise UsageError(f"syntax error: unexpected argument ‘{self._words[self._at]}’", 2)
        return value

    def _ahead(self, *words: str) -> str:
        """Take the next word when it is one of these; else return nothing."""
        if self._at < len(self._words) and self._words[self._at] in words:
            self._at += 1
            return self._words[self._at - 1]
        return ""

    def _word(self) -> str:
        if self._at >= len(self._words):
            last = self._words[-1]
            raise UsageError(f"syntax error: missing argument after ‘{last}’", INVALID)
        self._at += 1
        return self._words[self._at - 1]

    def _or(self) -> str:
        value = self._and()
        while self._ahead("|"):
            other = self._and()
            value = value if not _null(value) else "0" if _null(other) else other
        return value

    def _and(self) -> str:
        value = self._comparison()
        while self._ahead("&"):
            other = self._comparison()
            value = "0" if _null(value) or _null(other) else value
        return value

    def _comparison(self) -> str:
        value = self._sum()
        while sign := self._ahead(*_COMPARES):
            value = "1" if _COMPARES[sign](_order(value, self._sum())) else "0"
        return value

    def _sum(self) -> str:
        value = self._product()
        while sign := self._ahead("+", "-"):
            other = _integer(self._product())
            value = str(_integer(value) + (other if sign == "+" else -other))
        return value

    def _product(self) -> str:
        value = self._match()
        while sign := self._ahead("*", "/", "%"):
            left, right = _integer(value), _integer(self._match())
            if sign == "*":
                value = str(left * right)
                continue
            if not right:
                raise UsageError("division by zero", INVALID)
            quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
            value = str(quotient if sign == "/" else left - quotient * right)
        return value

    def _match(self) -> str:
        value = self._single()
        while self._ahead(":"):
            value = matched(value, self._single())
        return value

    def _single(self) -> str:
        name = self._word()
        if name == "+":
            return self._word()
        if name == "(":
            self._depth += 1
            if self._depth > MAX_DEPTH:
                raise UsageError(f"more than {MAX_DEPTH} parentheses are open", INVALID)
            value = self._or()
            if not self._ahead(")"):
                if self._at < len(self._words):
                    raise UsageError(
                        f"syntax error: expecting ')' instead of ‘{self._words[self._at]}’", 2
                    )
                raise UsageError(f"syntax error: expecting ')' after ‘{self._words[-1]}’", 2)
            self._depth -= 1
            return value
        if name == ")":
            raise UsageError("syntax error: unexpected ')'", INVALID)
        return self._call(name) if self._at < len(self._words) else name

    def _call(self, name: str) -> str:
        if name == "length":
            return str(len(self._single()))
        if name == "match":
            return matched(self._single(), self._single())
        if name == "index":
            text, letters = self._single(), self._single()
            places = [text.find(letter) for letter in letters if letter in text]
            return str(min(places) + 1 if places else 0)
        if name == "substr":
            text, start, length = self._single(), self._single(), self._single()
            if not (_INTEGER.fullmatch(start) and _INTEGER.fullmatch(length)):
                return ""
            first, count = _integer(start), _integer(length)
            return text[first - 1 : first - 1 + count] if first > 0 and count > 0 else ""
        return name


def _order(one: str, other: str) -> int:
    if _INTEGER.fullmatch(one) and _INTEGER.fullmatch(other):
        left, right = _integer(one), _integer(other)
        return (left > right) - (left < right)
    return (one > other) - (one < other)


def matched(text: str, pattern: str) -> str:
    """Return the first group of a match at the beginning, or how many characters match."""
    import re2

    options = re2.Options()
    options.longest_match = True
    options.dot_nl = True
    options.log_errors = False
    try:
        compiled = re2.compile(to_extended(pattern.removeprefix("^"), "basic"), options)
    except re2.error:
        raise UsageError("Invalid regular expression", INVALID) from None
    found = compiled.match(text)
    if compiled.groups:
        return (found[1] or "") if found else ""
    return str(found.end() if found else 0)
