"""Which lines of a chunk are shown: all of a short one, the part that answers of a long one.

A reader who pays for every token wants the place, and can ask for the rest (`more`, or the file
itself). The part begins with the chunk, where its signature is, unless the best stretch lies too
far down for that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tadoru.models.base import TokenCounter
from tadoru.search.found import Found

SLACK = 1.25
"""A chunk that is longer by less than this is not worth cutting."""
STRETCH_CHARS = 240
"""What the best stretch is taken to need (`lens.NEAR_CHARS`, and the line it ends in)."""
HEADING_CHARS = 160
_WORD = re.compile(r"\w{3}")
LINES_BEFORE = 2
"""Lines shown above the best stretch when the part begins there."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some lines of a file, as characters and as lines."""

    found: Found
    start: int
    end: int
    start_line: int
    end_line: int
    tokens: int
    whole: bool = True

    @property
    def own_text(self) -> str | None:
        """The text of a scanned piece, which has no place in the text of its file."""
        text = self.found.text if self.found.chunk.index < 0 else None
        if text is None or self.whole:
            return text
        offset = self.found.chunk.span.start_char
        return text[self.start - offset : self.end - offset]


def piece_of(found: Found, text: str, counter: TokenCounter, limit: int) -> Piece:
    """Return what is shown of a chunk in about `limit` tokens; 0 shows all of it."""
    tokens = counter.count(text)
    whole = whole_of(found, tokens, limit)
    if whole is not None:
        return whole
    span = found.chunk.span
    chars = max(1, len(text) * limit // tokens)
    start = 0
    if found.focus + STRETCH_CHARS > chars:
        for _ in range(LINES_BEFORE + 1):
            start = text.rfind("\n", 0, max(0, (start or found.focus) - 1)) + 1
    end = _line_end(text, start, chars)
    part = text[start:end]
    first = span.start_line + text.count("\n", 0, start)
    return Piece(
        found,
        span.start_char + start,
        span.start_char + end,
        first,
        first + part.rstrip("\n").count("\n"),
        counter.count(part),
        whole=False,
    )


def whole_of(found: Found, tokens: int, limit: int) -> Piece | None:
    """Return all of a chunk of so many tokens; None when it is too long for about `limit`."""
    span = found.chunk.span
    if limit and tokens > limit * SLACK:
        return None
    return Piece(found, span.start_char, span.end_char, span.start_line, span.end_line, tokens)


def heading_of(found: Found, text: str, counter: TokenCounter) -> Piece:
    """Return the one line that names a chunk: its signature, or the line where the best stretch
    begins, or the next one that has a word."""
    signature = found.chunk.signature.partition("\n")[0].strip()
    start = text.find(signature) if signature else -1
    if start < 0:
        line = text.rfind("\n", 0, min(found.focus, len(text))) + 1
        worded = _WORD.search(text, line) or _WORD.search(text)
        start = text.rfind("\n", 0, worded.start()) + 1 if worded else 0
    start += len(text[start:]) - len(text[start:].lstrip())
    end = text.find("\n", start)
    end = min(len(text) if end < 0 else end, start + HEADING_CHARS)
    offset, line = found.chunk.span.start_char, found.chunk.span.start_line
    line += text.count("\n", 0, start)
    tokens = counter.count(text[start:end])
    return Piece(found, offset + start, offset + end, line, line, tokens, whole=False)


def _line_end(text: str, start: int, chars: int) -> int:
    """Return the end of the last whole line within `chars`; within a long line, that many."""
    end = min(len(text), start + chars)
    if end == len(text):
        return end
    newline = text.rfind("\n", start, end)
    return newline + 1 if newline > start + chars // 2 else end
