"""What a word is: the lexical terms that index and question must agree on.

From an identifier come the whole word, its sub-words (camel, snake, digits apart) and a light stem
beside each; runs of CJK characters give bigrams, a single character itself. Everything is folded
to lower case. Terms are stored as 64-bit hashes, so the index keeps no dictionary of words.
"""

from __future__ import annotations

import re
import unicodedata
from enum import IntEnum
from hashlib import blake2b
from itertools import pairwise

MAX_WORD = 80
"""Longer runs (base64, minified code) are no words anybody asks for."""
VERSION = 1
"""Raised when the same text would give other terms: postings of another version are rebuilt."""


class Field(IntEnum):
    """Where in a chunk a term stands. Each has its own weight in ranking."""

    PATH = 0
    BREADCRUMB = 1
    SIGNATURE = 2
    DOC = 3
    BODY = 4


_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f"
_WORD = re.compile(rf"[{_CJK}]+|(?:(?![{_CJK}])[^\W])+")
_ASCII_WORD = re.compile(r"\w+", re.ASCII)
"""The same of ASCII text, four times as fast."""
_CJK_ONLY = re.compile(rf"[{_CJK}]+\Z")
_SUBWORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_A-Za-z]+")

_WIDE_SUBWORD = re.compile(r"[^\W\d_]+|[0-9]+")
"""Sub-words outside ASCII: humps are not looked for, accents would break them."""

_SUFFIXES = (
    ("ations", ""), ("ation", ""), ("ings", ""), ("ing", ""), ("ies", "y"), ("ied", "y"),
    ("ers", ""), ("ors", ""), ("er", ""), ("or", ""), ("ed", ""), ("es", ""), ("ments", ""),
    ("ment", ""), ("s", ""), ("e", ""),
)  # fmt: skip
_SUFFIXES_BY_END = {
    end: tuple(pair for pair in _SUFFIXES if pair[0][-1] == end)
    for end in {suffix[-1] for suffix, _ in _SUFFIXES}
}
MIN_STEM = 3


def stem(word: str) -> str:
    """Return a light English stem of a lower-case word: one suffix off, at least 3 letters left."""
    if not word.isascii() or not word.isalpha() or len(word) <= MIN_STEM:
        return word
    for suffix, replacement in _SUFFIXES_BY_END.get(word[-1], ()):
        if word.endswith(suffix) and len(word) - len(suffix) >= MIN_STEM:
            if suffix == "s" and word.endswith("ss"):
                return word
            base = word[: len(word) - len(suffix)] + replacement
            doubled = suffix in ("ing", "ed", "er") and len(base) > MIN_STEM
            if doubled and base[-1] == base[-2] and base[-1] not in "lsz":
                base = base[:-1]
            return base
    return word


def words(text: str) -> list[str]:
    """Return the words of a text in order, as they are written (NFKC)."""
    if text.isascii():
        return [word for word in _ASCII_WORD.findall(text) if len(word) <= MAX_WORD]
    text = unicodedata.normalize("NFKC", text)
    return [word for word in _WORD.findall(text) if len(word) <= MAX_WORD or _CJK_ONLY.match(word)]


def expand(word: str) -> tuple[str, ...]:
    """Return the terms of one word: itself, its sub-words, and their stems, without repetition.

    >>> expand("openSessions")
    ('opensessions', 'open', 'sessions', 'session')
    """
    if not word.isascii() and _CJK_ONLY.match(word):
        return (word,) if len(word) == 1 else tuple(a + b for a, b in pairwise(word))
    folded = word.lower()
    terms = {folded: None}
    parts = (_SUBWORD if word.isascii() else _WIDE_SUBWORD).findall(word)
    for part in parts if len(parts) > 1 else [word]:
        lower = part.lower()
        if len(lower) > 1 or len(parts) == 1:
            terms[lower] = None
            terms[stem(lower)] = None
    return tuple(terms)


def terms(text: str) -> list[str]:
    """Return all terms of a text, with repetition, in order."""
    result: list[str] = []
    cache: dict[str, tuple[str, ...]] = {}
    for word in words(text):
        found = cache.get(word)
        if found is None:
            found = cache[word] = expand(word)
        result.extend(found)
    return result


def term_hash(term: str) -> int:
    """Return the unsigned 64-bit hash under which a term is stored.

    BLAKE2b (RFC 7693), 8 bytes: among 10 million terms a collision has a chance of 3e-6.
    """
    return int.from_bytes(
        blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little"
    )
