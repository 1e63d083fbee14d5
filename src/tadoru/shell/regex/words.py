"""How GNU grep looks for whole words, and offsets of characters in bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from tadoru.shell.regex.charset import contains, word
from tadoru.shell.regex.engine import Span


def word_spans(
    text: str, ends_of: Callable[[str, int], list[int]], check: Callable[[], None]
) -> Iterator[Span]:
    """Yield matches of `-w` as GNU looks for them: the longest, then shorter, then later.

    `ends_of`: where the matches that begin at a place can end. GNU 3.8 tries shorter ones only
    within as many bytes as the search has not yet passed (`re_match` is given a length that counts
    from the last match, not from the line).
    """
    letters = word()
    inside = [contains(letters, ord(character)) for character in text]
    inside.append(False)
    offsets = _byte_offsets(text)
    at = passed = 0
    while at <= len(text):
        check()
        end = -1
        if not (at and inside[at - 1]):
            end = _fitting(ends_of(text, at), at, inside, offsets, passed)
        if end >= 0:
            yield at, end
            passed = max(end, at + 1)
        at = max(end, at + 1)


def _byte_offsets(text: str) -> Sequence[int]:
    """Return the byte offset of each character, and of the end."""
    if text.isascii():
        return range(len(text) + 1)
    sizes = (len(character.encode("utf-8", "surrogateescape")) for character in text)
    return list(accumulate(sizes, initial=0))


def _fitting(
    ends: list[int], start: int, inside: list[bool], offsets: Sequence[int], passed: int
) -> int:
    """Return the end of the match of `-w` that begins at `start`, or -1 (see `word_spans`)."""
    if not ends:
        return -1
    end = ends.pop()
    while inside[end]:
        limit = offsets[end] - 1 - offsets[passed]
        while ends and offsets[ends[-1]] > limit:
            ends.pop()
        if not ends or ends[-1] == start:
            return -1
        end = ends.pop()
    return end


def in_bytes(text: str, spans: list[Span]) -> list[Span]:
    """Turn character offsets into byte offsets."""
    found: list[Span] = []
    chars = size = 0
    for start, end in spans:
        size += len(text[chars:start].encode("utf-8", "surrogateescape"))
        length = len(text[start:end].encode("utf-8", "surrogateescape"))
        found.append((size, size + length))
        chars, size = end, size + length
    return found
