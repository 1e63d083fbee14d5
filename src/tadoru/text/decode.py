"""From the bytes of a file to its text, and back to offsets.

Decides what is text and in which encoding; refuses to guess on binary content. A byte-order mark
wins, then UTF-8, then detection on a bounded prefix; the text never carries U+FEFF at its start,
and its line ends stay as they are on disk.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from dataclasses import dataclass

DETECT_BYTES = 64 * 1024
"""Bytes given to the detector: enough for East Asian encodings, bounded for time."""
BINARY_PROBE = 8_000
"""A NUL within the first 8,000 bytes marks a binary file, as in git."""

GOOD_PER_BAD = 4
"""Valid characters outside ASCII per wrong byte, from which on a text is broken UTF-8. In a legacy
encoding a valid sequence comes about by chance once in some hundred."""
CONTROL_SHARE = 0.03
"""More control characters than this are no text; random bytes have 0.1."""

_FOREIGN = re.compile(r"[^\x00-\x7f]+")
_MAGIC = (
    b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"PK\x03\x04", b"\x1f\x8b", b"%PDF-", b"\x7fELF", b"BZh",
    b"\xfd7zXZ", b"7z\xbc\xaf", b"\x28\xb5\x2f\xfd", b"\xca\xfe\xba\xbe", b"Rar!", b"RIFF", b"OggS",
    b"ID3", b"wOF", b"\x00\x01\x00\x00", b"\xde\x12\x04\x95", b"\x95\x04\x12\xde",
)  # fmt: skip
"""Starts of formats that may have no NUL in their first bytes."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text with the encoding that it came in."""

    text: str
    encoding: str
    """Codec name; `utf-8` unless something else was found."""
    mark: int = 0
    """Bytes of the byte-order mark, which the text leaves out."""
    exact: bool = True
    """False when bytes had to be replaced by U+FFFD."""


def decode(data: bytes) -> Decoded | None:
    """Decode a file; None when it is binary."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _decode_as(data[len(mark) :], name, len(mark))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return _detect(data)
    if "\0" in text[:BINARY_PROBE]:
        return _wide_without_mark(data)
    if "\x1b" in text:
        return _escaped(data) or Decoded(text, "utf-8")
    return Decoded(text, "utf-8")


def decode_as(data: bytes, encoding: str) -> Decoded:
    """Decode with an encoding that `decode` found before."""
    for mark, _ in _MARKS:
        if data.startswith(mark):
            return _decode_as(data[len(mark) :], encoding, len(mark))
    return _decode_as(data, encoding, 0)


def _decode_as(data: bytes, encoding: str, mark: int) -> Decoded:
    try:
        return Decoded(data.decode(encoding), encoding, mark)
    except UnicodeDecodeError:
        return Decoded(data.decode(encoding, "replace"), encoding, mark, exact=False)


def _wide_without_mark(data: bytes) -> Decoded | None:
    """Recognise UTF-16 without a mark: NULs in every other byte of ASCII text, and only there."""
    head = data[:BINARY_PROBE]
    if len(data) < 4 or len(data) % 2:
        return None
    for encoding, zeros, letters in (("utf-16-le", 1, 0), ("utf-16-be", 0, 1)):
        half = len(head) // 2
        if head[zeros::2].count(0) >= half * 0.7 and head[letters::2].count(0) == 0:
            decoded = _decode_as(data, encoding, 0)
            return decoded if decoded.exact else None
    return None


def _detect(data: bytes) -> Decoded | None:
    if b"\0" in data[:BINARY_PROBE]:
        return _wide_without_mark(data)
    if data.startswith(_MAGIC) or _mostly_control(data[:BINARY_PROBE]):
        return None
    lossy = data.decode("utf-8", "replace")
    good, bad = _non_ascii(lossy)
    if good >= GOOD_PER_BAD * bad:  # UTF-8 with a few stray bytes
        return Decoded(lossy, "utf-8", exact=False)
    from tadoru.text.detect import detect

    prefix = _prefix(data)
    encoding = detect(prefix) or _by_charset_normalizer(prefix)
    if encoding is not None:
        decoded = _decode_as(data, encoding, 0)
        if decoded.exact:
            return decoded
    return Decoded(data.decode("latin-1"), "latin-1")


def _escaped(data: bytes) -> Decoded | None:
    """Decode text whose encoding switches by escape sequences, all in ASCII bytes."""
    from tadoru.text.detect import detect

    encoding = detect(_prefix(data)) if b"\x1b$" in data else None
    decoded = _decode_as(data, encoding, 0) if encoding else None
    return decoded if decoded and decoded.exact else None


def _by_charset_normalizer(prefix: bytes) -> str | None:
    import charset_normalizer

    best = charset_normalizer.from_bytes(prefix, enable_fallback=False).best()
    return best.encoding if best is not None else None


def _non_ascii(text: str) -> tuple[int, int]:
    """Count characters outside ASCII, and those that stand for a wrong byte."""
    foreign = "".join(_FOREIGN.findall(text))
    bad = foreign.count("\ufffd")
    return len(foreign) - bad, bad


def _prefix(data: bytes) -> bytes:
    """Cut at a line end, so that no multi-byte character is split."""
    if len(data) <= DETECT_BYTES:
        return data
    end = data.rfind(b"\n", 0, DETECT_BYTES)
    return data[: end + 1] if end > 0 else data[:DETECT_BYTES]


def _mostly_control(head: bytes) -> bool:
    control = sum(byte < 9 or 13 < byte < 27 or 27 < byte < 32 for byte in head)
    return control > CONTROL_SHARE * len(head)


class Offsets:
    """Lines, characters and bytes of one text.

    Lines end at LF, CRLF or a lone CR is not an end (as git and grep count them).
    """

    def __init__(self, text: str, encoding: str = "utf-8", mark: int = 0) -> None:
        self._text = text
        self._encoding = encoding
        self._mark = mark
        self._ascii = text.isascii() and encoding in ("utf-8", "ascii", "latin-1")
        starts = [0]
        position = text.find("\n")
        while position >= 0:
            starts.append(position + 1)
            position = text.find("\n", position + 1)
        if len(starts) > 1 and starts[-1] == len(text):
            starts.pop()
        self._starts = starts
        self._line_bytes: list[int] | None = None

    @property
    def line_count(self) -> int:
        return len(self._starts) if self._text else 0

    def line_of(self, char: int) -> int:
        """Return the 1-based line of a character offset."""
        return max(1, bisect_right(self._starts, char))

    def line_start(self, line: int) -> int:
        """Return the character offset where a 1-based line starts; the end beyond the last."""
        if line < 1:
            return 0
        return self._starts[line - 1] if line <= len(self._starts) else len(self._text)

    def byte_of(self, char: int) -> int:
        """Return the offset in the file on disk of a character offset."""
        if self._ascii:
            return char + self._mark
        if self._line_bytes is None:
            total = self._mark
            self._line_bytes = []
            ends = [*self._starts[1:], len(self._text)]
            for start, end in zip(self._starts, ends, strict=True):
                self._line_bytes.append(total)
                total += len(self._text[start:end].encode(self._encoding, "replace"))
        line = self.line_of(char)
        start = self._starts[line - 1]
        return self._line_bytes[line - 1] + len(
            self._text[start:char].encode(self._encoding, "replace")
        )
