"""Models that need no weights: deterministic, quick, and roughly sensible."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tadoru.text.terms import term_hash, terms

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class HashEmbedder:
    """An `Embedder` that adds up one random direction per term: shared words make vectors near."""

    def __init__(self, dimension: int = 64, name: str = "hash") -> None:
        self._dimension = dimension
        self._name = name
        self.calls: list[int] = []
        """How many texts each call of `encode` was given."""

    @property
    def fingerprint(self) -> str:
        return f"{self._name}-{self._dimension}"

    @property
    def dimension(self) -> int:
        return self._dimension

    def encode(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
        import numpy as np

        self.calls.append(len(texts))
        vectors = np.zeros((len(texts), self._dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for term in terms(text) or ["\0"]:
                direction = np.random.default_rng(term_hash(f"{self._name} {term}"))
                vectors[row] += direction.standard_normal(self._dimension).astype(np.float32)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: npt.NDArray[np.float32] = vectors / np.maximum(norms, 1e-12)
        return unit


class OverlapReranker:
    """A `Reranker` by the share of the question's terms that a document contains."""

    name = "overlap"

    def score(self, question: str, documents: Sequence[str]) -> list[float]:
        wanted = set(terms(question))
        if not wanted:
            return [0.0] * len(documents)
        return [len(wanted & set(terms(document))) / len(wanted) for document in documents]


class CountingTokens:
    """A `TokenCounter` of one token per four characters, that remembers how much it was asked."""

    name = "counting"

    def __init__(self) -> None:
        self.characters = 0
        """Characters counted so far: packing must not count everything again and again."""

    def count(self, text: str) -> int:
        self.characters += len(text)
        return math.ceil(len(text) / 4)
