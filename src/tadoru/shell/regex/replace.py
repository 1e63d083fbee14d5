"""Replacement of matches, for `rg -r`: `$0`, `$1`, `$name`, `${name}`, `$$`."""

from __future__ import annotations

from tadoru.shell.regex.engine import Span
from tadoru.shell.regex.matcher import Matcher


class Replacer:
    """Replaces what a matcher finds by a template."""

    def __init__(self, matcher: Matcher, template: str) -> None:
        self._matcher = matcher
        self._parts = _parse(template)

    def line(self, line: bytes) -> bytes:
        """Return a line with every match replaced."""
        pieces: list[bytes] = []
        at = 0
        for start, end in self._matcher.spans(line):
            pieces += [line[at:start], self.one(line, start, end)]
            at = end
        return b"".join([*pieces, line[at:]])

    def one(self, line: bytes, start: int, end: int) -> bytes:
        """Return what replaces the match at (start, end) of a line."""
        groups: dict[int | str, Span] | None = None
        pieces: list[bytes] = []
        for literal, group in self._parts:
            pieces.append(literal)
            if group == 0:
                pieces.append(line[start:end])
            elif group is not None:
                if groups is None:
                    groups = self._matcher.groups(line, start)
                span = groups.get(group, (0, 0))
                pieces.append(line[span[0] : span[1]])
        return b"".join(pieces)


def _parse(template: str) -> list[tuple[bytes, int | str | None]]:
    """Split a template into (literal, group after it)."""
    parts: list[tuple[bytes, int | str | None]] = []
    literal = ""
    at = 0
    while at < len(template):
        here = template[at]
        at += 1
        if here != "$" or at >= len(template):
            literal += here
            continue
        if template[at] == "$":
            literal += "$"
            at += 1
            continue
        braced = template[at] == "{"
        start = at + braced
        end = start
        while end < len(template) and (template[end].isalnum() or template[end] == "_"):
            end += 1
        closed = not braced or template.startswith("}", end)
        if end == start or not closed:
            literal += here
            continue
        name = template[start:end]
        parts.append((literal.encode(), int(name) if name.isdigit() else name))
        literal = ""
        at = end + braced
    if literal:
        parts.append((literal.encode(), None))
    return parts
