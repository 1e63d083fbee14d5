"""The side-by-side layout of `diff -y`, with the tabs that GNU diff puts between the columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from unicodedata import combining, east_asian_width

TAB = 8
GUTTER = 3
DEFAULT_WIDTH = 130


@dataclass(frozen=True, slots=True)
class Columns:
    """Where the columns lie. `width`: of a whole line."""

    width: int = DEFAULT_WIDTH
    expand: bool = False
    suppress: bool = False
    """Leave out lines that are equal."""
    left_only: bool = False
    """Show only the left one of two equal lines."""

    @property
    def _offset(self) -> int:
        tab = 1 if self.expand else TAB
        return (self.width + tab + GUTTER) // (2 * tab) * tab

    @property
    def _half(self) -> int:
        return max(0, min(self._offset - GUTTER, self.width - self._offset))

    def rows(
        self, hunks: Sequence[tuple[int, int, int, int]], old: list[bytes], new: list[bytes]
    ) -> Iterator[bytes]:
        """Yield the lines of a comparison. `hunks`: [a, b) of `old` against [c, d) of `new`."""
        i = j = 0
        for a, b, c, d in [*hunks, (len(old), len(old), len(new), len(new))]:
            if not self.suppress:
                for left, right in zip(old[i:a], new[j:c], strict=True):
                    yield self._row(left, "(" if self.left_only else " ", right)
            both = min(b - a, d - c)
            for number in range(both):
                yield self._row(old[a + number], "|", new[c + number])
            for left in old[a + both : b]:
                yield self._row(left, "<", None)
            for right in new[c + both : d]:
                yield self._row(None, ">", right)
            i, j = b, d

    def _row(self, left: bytes | None, mark: str, right: bytes | None) -> bytes:
        start = self._offset if self._half else self.width
        ended = left is not None and left.endswith(b"\n")
        text, column = self._half_line(left, 0) if left is not None else (b"", 0)
        if mark != " ":
            middle = (self._half + start - 1) // 2
            if mark == "|" and ended != (right or b"").endswith(b"\n"):
                mark = "/" if ended else "\\"
            text += self._to(column, middle) + mark.encode()
            column = middle + 1
        if right is not None and mark != "(":
            ended |= right.endswith(b"\n")
            if right != b"\n":
                text += self._to(column, start) + self._half_line(right, start)[0]
        return text + (b"\n" if ended else b"")

    def _to(self, column: int, target: int) -> bytes:
        """Return what leads from one column to another."""
        text = b""
        while not self.expand and column + TAB - column % TAB <= target:
            column += TAB - column % TAB
            text += b"\t"
        return text + b" " * max(0, target - column)

    def _half_line(self, line: bytes, indent: int) -> tuple[bytes, int]:
        """Return what fits of a line into its half, and the column after it."""
        pieces: list[bytes] = []
        wanted = shown = 0
        for letter in line.removesuffix(b"\n").decode("utf-8", "surrogateescape"):
            if letter == "\t":
                spaces = TAB - wanted % TAB
                if wanted == shown and shown + spaces < self._half:
                    pieces.append(b" " * spaces if self.expand else b"\t")
                    shown += spaces
                wanted += spaces
            elif letter == "\r":
                pieces.append(b"\r" + self._to(0, indent))
                wanted = shown = 0
            else:
                wanted += _cells(letter)
                if wanted <= self._half:
                    shown = wanted
                    pieces.append(letter.encode("utf-8", "surrogateescape"))
        return b"".join(pieces), shown


def _cells(letter: str) -> int:
    if letter < " " or "\udc80" <= letter <= "\udcff" or combining(letter):
        return 0
    return 2 if east_asian_width(letter) in "WF" else 1
