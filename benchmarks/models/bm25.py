"""BM25 (Robertson, Zaragoza 2009) over tadoru's own terms: what the model is added to."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import numpy.typing as npt

from tadoru.text.terms import terms

K1, B = 1.2, 0.75


class Bm25:
    """Scores of all texts for a question."""

    def __init__(self, texts: list[str]) -> None:
        self._lengths = np.zeros(len(texts), dtype=np.float32)
        postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, text in enumerate(texts):
            counts = Counter(terms(text))
            self._lengths[number] = sum(counts.values())
            for term, count in counts.items():
                postings[term].append((number, count))
        self._postings = postings
        self._average = float(self._lengths.mean())

    def scores(self, question: str) -> npt.NDArray[np.float32]:
        total = np.zeros(len(self._lengths), dtype=np.float32)
        for term in set(terms(question)):
            found = self._postings.get(term)
            if not found:
                continue
            rows, counts = np.array(found, dtype=np.int64).T
            rarity = np.log1p((len(total) - len(rows) + 0.5) / (len(rows) + 0.5))
            length = K1 * (1 - B + B * self._lengths[rows] / self._average)
            total[rows] += rarity * counts * (K1 + 1) / (counts + length)
        return total
