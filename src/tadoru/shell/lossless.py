"""Bytes that are not UTF-8, carried through an interpreter that only knows text.

bashkit's own commands and variables replace what is not UTF-8 by U+FFFD. So at its border each
such byte becomes one private character, U+10FF80 to U+10FFFF, and becomes the byte again where
data leave it: `sort`, `cut`, `awk` and `$(...)` then return exactly what they were given, and count
one character for one byte as GNU does. Commands that look at bytes (`md5sum`, `od`, ...) are kept
outside of this by `commands/native.py`. Text that holds those private characters itself is taken
apart into bytes, so that nothing is ambiguous.
"""

from __future__ import annotations

import codecs
import re

BASE = 0x10FF00
_LEADS = (b"\xf4\x8f\xbe", b"\xf4\x8f\xbf")
"""How the private characters begin in UTF-8."""
_ESCAPED = re.compile(rb"\xf4\x8f([\xbe\xbf])([\x80-\xbf])")
_OWN = re.compile("[\U0010ff80-\U0010ffff]")
_HANDLER = "tadoru-lossless"
_PLAIN = "surrogateescape"
_CARRIED = {0xDC00 + byte: BASE + byte for byte in range(0x80, 0x100)}
"""Python's own stand-ins for such bytes -> ours, which are valid UTF-8."""


def _carry(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    wrong = error.object[error.start : error.end]
    return "".join(chr(BASE + byte) for byte in wrong), error.end


codecs.register_error(_HANDLER, _carry)


def escape(data: bytes) -> bytes:
    """Return data as valid UTF-8, from which `unescape` makes the same bytes again."""
    if data.isascii():
        return data
    if any(lead in data for lead in _LEADS):
        return _OWN.sub(_apart, data.decode("utf-8", _PLAIN)).translate(_CARRIED).encode()
    return data.decode("utf-8", _HANDLER).encode()


def _apart(found: re.Match[str]) -> str:
    """Take a private character of the text itself apart into its four bytes."""
    return found[0].encode().decode("ascii", _PLAIN)


def unescape(data: bytes) -> bytes:
    """Return the bytes that `escape` was given."""
    if b"\xf4\x8f" not in data:
        return data
    return _ESCAPED.sub(_byte, data)


def _byte(found: re.Match[bytes]) -> bytes:
    return found[2] if found[1] == b"\xbe" else bytes((found[2][0] + 0x40,))


class Unescaper:
    """`unescape` for a stream that comes in pieces."""

    def __init__(self) -> None:
        self._held = b""

    def feed(self, piece: bytes) -> bytes:
        """Return what is certain so far; an empty piece is the end and returns the rest."""
        data = self._held + piece
        self._held = b""
        if piece:
            start = data.rfind(b"\xf4", max(0, len(data) - 3))
            if start >= 0 and any(lead.startswith(data[start:]) for lead in _LEADS):
                data, self._held = data[:start], data[start:]
        return unescape(data)


class Escaper:
    """`escape` for a stream that comes in pieces: a character may lie on two of them."""

    def __init__(self) -> None:
        self._held = b""

    def feed(self, piece: bytes, *, final: bool = False) -> bytes:
        """Return what is certain so far."""
        if not self._held and piece.isascii():
            return piece
        data = self._held + piece
        self._held = b""
        if not final:
            keep = _incomplete(data)
            if keep:
                data, self._held = data[:-keep], data[-keep:]
        return escape(data)


def _incomplete(data: bytes) -> int:
    """Return how many bytes at the end may be the beginning of a character."""
    for back in range(1, min(3, len(data)) + 1):
        byte = data[-back]
        if byte >= 0xC0:
            length = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return back if length > back else 0
        if byte < 0x80:
            return 0
    return 0
