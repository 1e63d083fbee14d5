"""The pieces that the model knows: words and identifiers that many use, and parts of the rest.

Chosen by how many texts use them, so that one package does not fill the table with its own names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from tadoru.models.subwords import INSIDE, identifiers, parts_of, whole_of

SIZE = 30_000
WHOLES, PIECES = 3_000, 4_000
"""Of these: identifiers of several words, and pieces of words that are too rare."""
MAX_PIECE = 7
_cut = lru_cache(maxsize=1_000_000)(lambda identifier: tuple(parts_of(identifier)))


def choose(texts: Iterable[str], size: int = SIZE) -> list[str]:
    """Return the pieces, most used first."""
    words: Counter[str] = Counter()
    wholes: Counter[str] = Counter()
    for text in texts:
        parts = [_cut(each) for each in set(identifiers(text))]
        words.update({part for each in parts for part in each if not part.isdigit()})
        wholes.update({whole_of(each) for each in parts if 1 < len(each) <= 4})
    singles = {mark + c for mark in ("", INSIDE) for c in "abcdefghijklmnopqrstuvwxyz"}
    kept = [w for w, _ in words.most_common(size - WHOLES - PIECES) if w not in singles]
    kept += [w for w, _ in wholes.most_common(WHOLES)]
    rest: Counter[str] = Counter()
    known = set(kept)
    for word, count in words.items():
        if word not in known and word.isascii() and len(word) > 3:
            for end in range(2, min(MAX_PIECE, len(word)) + 1):
                rest[word[:end]] += count * end
                rest[INSIDE + word[-end:]] += count * end
    room = size - len(kept) - len(singles)
    pieces = [p for p, _ in rest.most_common(room + len(known)) if p not in known][:room]
    return [*kept, *sorted(singles), *pieces]
