"""What no automaton can match: back-references and Perl's look-around, under a time limit.

Runs the `regex` package, which can be stopped; Python's `re` cannot, and never sees a pattern.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tadoru.errors import LimitExceeded
from tadoru.shell.regex.charset import ANY, Ranges, word_context
from tadoru.shell.regex.nodes import (
    Alt,
    At,
    Backref,
    Cat,
    Chars,
    Group,
    Node,
    PatternError,
    Place,
    Repeat,
)

MAX_EXPRESSION = 512 << 10
"""Characters of an expression; compiling cannot be stopped (about 0.6 s for so many)."""
LEAST_SECONDS = 0.001


class Backtracker:
    """Matches one expression of the `regex` package against decoded lines.

    `left`: seconds that remain, asked before each search.
    """

    def __init__(self, expression: str, left: Callable[[], float], *, flags: str = "") -> None:
        import regex

        if len(expression) > MAX_EXPRESSION:
            raise PatternError("Regular expression too big")
        letters: dict[str, Any] = {
            "i": regex.IGNORECASE,
            "p": regex.POSIX,
            "a": regex.ASCII,
            "m": regex.MULTILINE,
            "s": regex.DOTALL,
            "1": regex.VERSION1,
        }
        value: Any = 0
        for letter in flags:
            value |= letters[letter]
        try:
            self._regex = regex.compile(expression, value)
        except (regex.error, RecursionError, ValueError, OverflowError) as error:
            raise PatternError(str(error)) from None
        self._left = left

    def find(self, line: str, start: int = 0) -> Any:
        """Return the first match object at or after `start`, or None.

        Raises LimitExceeded when the time is over.
        """
        try:
            return self._regex.search(line, start, timeout=max(self._left(), LEAST_SECONDS))
        except TimeoutError:
            raise LimitExceeded(
                "the expression took too long", hint="avoid nested repetitions and back-references"
            ) from None


def write(node: Node) -> str:
    """Write a tree for the `regex` package."""
    if isinstance(node, Chars):
        return _chars(node.ranges)
    if isinstance(node, Cat):
        return "".join(write(part) for part in node.parts) or "(?:)"
    if isinstance(node, Alt):
        return "(?:" + "|".join(write(branch) for branch in node.branches) + ")"
    if isinstance(node, Group):
        return f"({write(node.node)})"
    if isinstance(node, Repeat):
        high = "" if node.high is None else str(node.high)
        return f"(?:{write(node.node)}){{{node.low},{high}}}" + ("?" if node.lazy else "")
    if isinstance(node, Place):
        return _place(node.at)
    if isinstance(node, Backref):
        return f"(?i:\\{node.number})" if node.fold else f"(?:\\{node.number})"
    raise PatternError("Unknown syntax")


def _place(at: At) -> str:
    if at in (At.LINE_START, At.TEXT_START):
        return r"\A"
    if at in (At.LINE_END, At.TEXT_END):
        return r"\Z"
    letter = _chars(word_context())
    opens = f"(?<!{letter})(?={letter})"
    closes = f"(?<={letter})(?!{letter})"
    if at is At.WORD_START:
        return opens
    if at is At.WORD_END:
        return closes
    either = f"(?:{opens}|{closes})"
    return either if at is At.BOUNDARY else f"(?!{either})"


def _chars(ranges: Ranges) -> str:
    if not ranges:
        return "(?!)"
    if ranges == ANY:
        return r"[^\uD800-\uDFFF]"
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return f"\\U{ranges[0][0]:08X}"
    return "[" + "".join(f"\\U{low:08X}-\\U{high:08X}" for low, high in ranges) + "]"
