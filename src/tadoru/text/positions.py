"""From byte offsets in UTF-8, which parsers speak, to spans of a file.

One sweep for all offsets of a file, so a long line costs no more than a short one. Measures text in
non-whitespace bytes, the unit of chunk sizes.
"""

from __future__ import annotations

import codecs
from bisect import bisect_left
from collections.abc import Iterable

from tadoru.types import Span

_BLOCK = 256
_BLANKS = b" \t\r\x0b\x0c"


class Positions:
    """A decoded text as UTF-8 (`data`), with the way back to lines, characters and file bytes.

    `encoding`, `mark`: what `decode` found. When it had to replace bytes, byte offsets of the
    file are those of the replaced text.
    """

    def __init__(self, text: str, encoding: str = "utf-8", mark: int = 0) -> None:
        self.data = text.encode("utf-8", "surrogatepass")
        self._encoding = encoding
        self._mark = mark
        self._direct = encoding in ("utf-8", "ascii")
        self._plain = text.isascii()
        self.line_starts = [0]
        position = self.data.find(b"\n")
        while position >= 0:
            self.line_starts.append(position + 1)
            position = self.data.find(b"\n", position + 1)
        if len(self.line_starts) > 1 and self.line_starts[-1] == len(self.data):
            self.line_starts.pop()
        self._weights: list[int] | None = None

    def line_of(self, offset: int) -> int:
        """Return the 1-based line of a byte offset."""
        return max(1, bisect_left(self.line_starts, offset + 1))

    def line_start(self, offset: int) -> int:
        """Return where the line of an offset starts."""
        return self.line_starts[self.line_of(offset) - 1]

    def weight(self, start: int, end: int) -> int:
        """Return how many bytes between two offsets are no blanks (a line end counts as one)."""
        return self.weight_before(end) - self.weight_before(start)

    def weight_before(self, offset: int) -> int:
        """Return the weight of everything before an offset."""
        if self._weights is None:
            self._weights = [0]
            for at in range(0, len(self.data), _BLOCK):
                block = self.data[at : at + _BLOCK].translate(None, _BLANKS)
                self._weights.append(self._weights[-1] + len(block))
        number, rest = divmod(offset, _BLOCK)
        if not rest:
            return self._weights[number]
        at = offset - rest
        return self._weights[number] + len(self.data[at:offset].translate(None, _BLANKS))

    def whole(self, offset: int) -> int:
        """Move an offset back to the start of the character that it lies in."""
        while 0 < offset < len(self.data) and self.data[offset] & 0xC0 == 0x80:
            offset -= 1
        return offset

    def spans(self, pairs: Iterable[tuple[int, int]]) -> list[Span]:
        """Return the span of each (start, end) pair of byte offsets."""
        pairs = list(pairs)
        chars, places = self._sweep(sorted({offset for pair in pairs for offset in pair}))
        return [
            Span(
                start_line=self.line_of(start),
                end_line=self.line_of(max(start, end - 1)),
                start_char=chars[start],
                end_char=chars[end],
                start_byte=places[start],
                end_byte=places[end],
            )
            for start, end in pairs
        ]

    def _sweep(self, offsets: list[int]) -> tuple[dict[int, int], dict[int, int]]:
        """Map sorted offsets to characters of the text and to bytes of the file."""
        if self._plain and self._direct:
            return {o: o for o in offsets}, {o: o + self._mark for o in offsets}
        encoder = codecs.getincrementalencoder(self._encoding)("replace")
        chars: dict[int, int] = {}
        places: dict[int, int] = {}
        before = char = 0
        place = self._mark
        for offset in offsets:
            piece = self.data[before:offset].decode("utf-8", "surrogatepass")
            char += len(piece)
            place += offset - before if self._direct else len(encoder.encode(piece))
            chars[offset], places[offset] = char, place
            before = offset
        return chars, places
