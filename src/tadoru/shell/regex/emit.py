"""A tree written as an RE2 expression.

Two alphabets: `ascii` for texts without a byte above 0x7F, where every class shrinks to a few
ranges and RE2's own word boundaries are GNU's; else Unicode, where they are not. What RE2 cannot
say is left out or loosened, so that the expression matches at least what the tree does; `exact`
tells whether it matches nothing else.
"""

from __future__ import annotations

from tadoru.shell.regex.charset import (
    ANY,
    ASCII,
    INVALID,
    Ranges,
    intersect,
    negate,
    word,
)
from tadoru.shell.regex.nodes import (
    WORD_PLACES,
    Alt,
    At,
    Backref,
    Cat,
    Chars,
    Group,
    Node,
    Opaque,
    Place,
    Repeat,
    groups,
)

MAX_COUNTED = 200
"""Copies that RE2 is asked to write out, over all levels; beyond, a repetition has no bounds."""
_NEVER = r"[^\x00-\x{10FFFF}]"
_SPECIAL = frozenset(r"\.+*?()|[]{}^$-")
_PLAIN_PLACES = {
    At.LINE_START: "(?m:^)",
    At.LINE_END: "(?m:$)",
    At.TEXT_START: r"\A",
    At.TEXT_END: r"\z",
}
_VALID = negate(INVALID)


class Emitter:
    """Writes trees for RE2. `exact` turns false once something had to be loosened."""

    def __init__(self, *, ascii_only: bool, groups_of: Node) -> None:
        self._ascii = ascii_only
        self._groups_of = groups_of
        self._copying = False
        self.exact = True

    def write(self, node: Node, copies: int = 1) -> str:
        """Return the expression. `copies`: how often the enclosing repetitions write it out."""
        if isinstance(node, Chars):
            return self._chars(node.ranges)
        if isinstance(node, Cat):
            return self._cat(node, copies)
        if isinstance(node, Alt):
            return "(?:" + "|".join(self.write(b, copies) for b in node.branches) + ")"
        if isinstance(node, Group):
            return f"(?:{self.write(node.node, copies)})"
        if isinstance(node, Repeat):
            return self._repeat(node, copies)
        if isinstance(node, Place):
            return self._place(node)
        self.exact = False
        if isinstance(node, Backref) and not self._copying:
            return self._backref(node, copies)
        if isinstance(node, Opaque) and node.empty:
            return "(?:)"
        return r"[\x00-\x{10FFFF}]*"

    def _cat(self, node: Cat, copies: int) -> str:
        written: list[str] = []
        for at, part in enumerate(node.parts):
            if isinstance(part, Place) and part.at in (At.WORD_START, At.WORD_END):
                written.append(self._word_edge(part, node, at))
            else:
                written.append(self.write(part, copies))
        return "".join(written) or "(?:)"

    def _word_edge(self, place: Place, node: Cat, at: int) -> str:
        """In ASCII, `\\<` before a word character and `\\>` after one are RE2's `\\b`."""
        forward = place.at is At.WORD_START
        others = node.parts[at + 1 :] if forward else node.parts[:at][::-1]
        if self._ascii and others and edge_is_word(others[0], forward=forward):
            return r"\b"
        self.exact = False
        return "(?:)"

    def _place(self, node: Place) -> str:
        if node.at not in WORD_PLACES:
            if self._copying:
                return "(?:)"
            return _PLAIN_PLACES[node.at]
        usable = (self._ascii or node.ascii_only) and not self._copying
        if usable and node.at in (At.BOUNDARY, At.NOT_BOUNDARY):
            return str(node.at.value)
        self.exact = False
        return "(?:)"

    def _backref(self, node: Backref, copies: int) -> str:
        """Stand in for what a group matched: its own expression, wherever it may match."""
        group = groups(self._groups_of).get(node.number)
        if group is None:
            return "(?:)"
        self._copying = True
        try:
            return f"(?:{self.write(group, copies)})"
        finally:
            self._copying = False

    def _repeat(self, node: Repeat, copies: int) -> str:
        low, high = node.low, node.high
        counted = max(low, high or 0)
        if counted * copies > MAX_COUNTED and (low > 1 or (high or 0) > 1):
            self.exact = False
            low, high, counted = min(low, 1), None, 1
        inner = f"(?:{self.write(node.node, copies * max(counted, 1))})"
        if high == 0:
            return "(?:)"
        suffix = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((low, high))
        if suffix is None:
            suffix = f"{{{low},{'' if high is None else high}}}" if low != high else f"{{{low}}}"
        return inner + suffix + ("?" if node.lazy else "")

    def _chars(self, ranges: Ranges) -> str:
        alphabet = ASCII if self._ascii else _VALID
        ranges = intersect(ranges, alphabet)
        if not ranges:
            return _NEVER
        if ranges in (_VALID, ANY):
            return r"[\x00-\x{10FFFF}]"
        if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
            return _code(ranges[0][0])
        return "[" + "".join(_range(low, high) for low, high in ranges) + "]"


def _code(code: int) -> str:
    if 0x20 < code < 0x7F:
        return "\\" + chr(code) if chr(code) in _SPECIAL else chr(code)
    return f"\\x{{{code:X}}}"


def _range(low: int, high: int) -> str:
    return _code(low) if low == high else f"{_code(low)}-{_code(high)}"


def edge_is_word(node: Node, *, forward: bool) -> bool:
    """Tell whether every match of a node begins (or ends) with a word character."""
    if isinstance(node, Chars):
        return bool(node.ranges) and intersect(node.ranges, word()) == node.ranges
    if isinstance(node, Group):
        return edge_is_word(node.node, forward=forward)
    if isinstance(node, Repeat):
        return node.low > 0 and edge_is_word(node.node, forward=forward)
    if isinstance(node, Alt):
        return all(edge_is_word(branch, forward=forward) for branch in node.branches)
    if isinstance(node, Cat) and node.parts:
        return edge_is_word(node.parts[0 if forward else -1], forward=forward)
    return False
