"""The coarse half of grep: which chunks to ask a collection for, so that no true match is missed.

A clause (one of several strings must occur) becomes one regular expression of Chroma, without
regard to case. Where lines may lie across two chunks, it also finds a chunk that ends with the
longer beginning of a string, one that begins with its end, and one so short that it is the middle
of it: whichever way a string is cut, one of its pieces is found. What cannot be asked for is left
to the exact matcher, which then reads every page.
"""

from __future__ import annotations

from collections.abc import Sequence

LITERAL_CHARS = 24
"""The beginning of a literal that is asked for; more hardly ever excludes anything."""
MAX_LITERALS = 64
_SPECIAL = frozenset("\\.+*?()|[]{}^$#&-~")


def clauses_worth(literals: Sequence[Sequence[bytes]]) -> list[Sequence[bytes]]:
    """Return the clauses that can be asked for, the most selective first."""
    possible = [clause for clause in literals if _askable(clause)]
    return sorted(possible, key=lambda clause: (-min(map(len, clause)), len(clause)))


def _askable(clause: Sequence[bytes]) -> bool:
    return 0 < len(clause) <= MAX_LITERALS and all(_text(literal) for literal in clause)


def _text(literal: bytes) -> str:
    """Return the text of a literal; empty when no document of Chroma can be asked for it."""
    try:
        text = literal.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    return "" if "\0" in text else text[:LITERAL_CHARS]


def expression(clause: Sequence[bytes], *, seams: bool) -> str:
    """Return the regular expression that finds a chunk of every page that a clause lets through.

    `seams`: whether a match may lie across chunks.
    """
    alternatives: dict[str, None] = {}
    for literal in clause:
        text = _text(literal)
        alternatives[_escaped(text)] = None
        if seams and len(text) > 1:
            alternatives.update(dict.fromkeys(_pieces(text)))
    return "(?i)" + "|".join(alternatives)


def _pieces(text: str) -> list[str]:
    """Return what finds one of the pieces of a text that is cut somewhere.

    With the middle m: a first piece that reaches to m or beyond ends its chunk; a last piece that
    begins before m begins its chunk; else a piece in between contains m, and is a whole chunk.
    """
    middle = (len(text) + 1) // 2
    left, right = text[:middle], text[middle:]
    beginning = _optional_after(right[:-1])
    end = _optional_before(left[1:])
    pieces = [f"{_escaped(left)}{beginning}\\z"]
    if middle > 1:
        pieces.append(f"\\A{end}{_escaped(right)}" if right else f"\\A{end}")
        inner = _escaped(left[-1]) if len(left) > 1 else ""
        before = _optional_before(left[1:-1])
        if inner and len(right) > 1:
            pieces.append(f"\\A{before}{inner}{beginning}\\z")
    return pieces


def _optional_after(text: str) -> str:
    """Return an expression for every beginning of a text, the empty one too."""
    result = ""
    for character in reversed(text):
        result = f"(?:{_escaped(character)}{result})?"
    return result


def _optional_before(text: str) -> str:
    """Return an expression for every end of a text, the empty one too."""
    result = ""
    for character in text:
        result = f"(?:{result}{_escaped(character)})?"
    return result


def _escaped(text: str) -> str:
    return "".join(_escape(character) for character in text)


def _escape(character: str) -> str:
    if character in _SPECIAL:
        return "\\" + character
    if character < " " or character == "\x7f":
        return f"\\x{ord(character):02x}"
    return character
