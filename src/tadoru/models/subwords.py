"""The words of code for the embedded model: identifiers into sub-words, those into known pieces.

Decides what a token is, for training and for use alike: camel, snake and digits are apart, case is
folded, CJK runs give characters and bigrams, a word that is not in the vocabulary is cut greedily
into the longest pieces that are. Numbers and punctuation are no words. An identifier is cut once
and remembered, which makes this faster on code than a general tokenizer.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, pairwise

INSIDE = "#"
"""Begins a piece that continues a word."""
WHOLE = "="
"""Begins an identifier of several sub-words that is known as one."""
MAX_WORD = 40
"""Characters of a sub-word; longer runs are no words anybody asks for."""
MAX_PARTS = 12
"""Sub-words of one identifier."""
CACHED = 30_000
"""Identifiers that are remembered, about 7 MB; the rare ones beyond are cut again."""

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_ASCII = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WIDE = re.compile(rf"[{_CJK}]+|(?:(?![{_CJK}])[^\W\d])(?:(?![{_CJK}])\w)*")
_IS_CJK = re.compile(rf"[{_CJK}]")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\dA-Za-z_]+")


def identifiers(text: str) -> list[str]:
    """Return identifiers and words of a text in order, as they are written."""
    if text.isascii():
        return _ASCII.findall(text)
    return _WIDE.findall(unicodedata.normalize("NFKC", text))


def parts_of(identifier: str) -> list[str]:
    """Return the sub-words of an identifier, folded; the characters and bigrams of a CJK run.

    >>> parts_of("readHTTPFile_v2")
    ['read', 'http', 'file', 'v', '2']
    """
    if not identifier.isascii() and _IS_CJK.match(identifier):
        return [*identifier, *(a + b for a, b in pairwise(identifier))][: 4 * MAX_PARTS]
    parts = _PART.findall(identifier)[:MAX_PARTS]
    return [part.lower()[:MAX_WORD] for part in parts]


def whole_of(parts: Sequence[str]) -> str:
    """Return the name under which an identifier of several sub-words may be known as one."""
    return WHOLE + "".join(parts)


class _Known(dict[str, tuple[int, ...]]):
    """Identifier -> its tokens, learnt as identifiers come up."""

    def __init__(self, cut: Callable[[str], tuple[int, ...]]) -> None:
        super().__init__()
        self._cut = cut

    def __missing__(self, identifier: str) -> tuple[int, ...]:
        if len(self) >= CACHED:
            self.clear()
        found = self[identifier] = self._cut(identifier)
        return found


class Vocabulary:
    """Known pieces and their numbers. Threads may share it."""

    def __init__(self, pieces: Iterable[str]) -> None:
        known = list(pieces)
        self._numbers = dict(zip(known, range(len(known)), strict=True))
        self._longest = max(map(len, self._numbers), default=0)
        self._known = _Known(self._cut)

    def __len__(self) -> int:
        return len(self._numbers)

    def tokens(self, identifier: str) -> tuple[int, ...]:
        """Return the numbers of the pieces of one identifier."""
        return self._known[identifier]

    def _cut(self, identifier: str) -> tuple[int, ...]:
        parts = parts_of(identifier)
        found: list[int] = []
        for part in parts:
            number = self._numbers.get(part)
            if number is None:
                self._pieces(part, found)
            else:
                found.append(number)
        if len(parts) > 1 and (whole := self._numbers.get(whole_of(parts))) is not None:
            found.append(whole)
        return tuple(found)

    def _pieces(self, part: str, found: list[int]) -> None:
        """Add the longest known pieces from left to right; what begins with none is passed over."""
        if not part.isascii() and _IS_CJK.match(part):
            return
        start, mark = 0, ""
        while start < len(part):
            for end in range(min(len(part), start + self._longest), start, -1):
                number = self._numbers.get(mark + part[start:end])
                if number is not None:
                    found.append(number)
                    break
            else:
                end = start + 1
            start, mark = end, INSIDE

    def counts(self, text: str) -> Counter[int]:
        """Return how often each token stands in a text."""
        return Counter(chain.from_iterable(map(self._known.__getitem__, identifiers(text))))
